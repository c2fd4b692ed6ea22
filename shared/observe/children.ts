import { clusterTag, hasTag, loadBalancerName, tagValue } from '../model/ownership.ts';
import type { ClusterIdentity } from '../model/ownership.ts';
import type { ServiceKey } from '../model/request.ts';
import type { ObservedResource, WireResource } from '../model/resources.ts';
import type { Cloud } from '../ports.ts';
import { memberOf, monitorOf } from './pool-contents.ts';

/** The four protocols that share a TCP port (openstack-ccm.md, 13). */
const TCP_LIKE = ['TCP', 'HTTP', 'HTTPS', 'TERMINATED_HTTPS', 'PROMETHEUS'];

/**
 * Everything on one load balancer, addressed by what it is for: a listener by protocol family and port, a pool by the
 * listener that uses it or the port it was made for, a member by pool and address. Never by name (decision 4). `owners`
 * leaves out members and monitors: enough to see whether something foreign keeps a load balancer from going.
 */
export async function observeChildren(
  loadBalancer: WireResource,
  name: ServiceKey,
  cluster: ClusterIdentity,
  cloud: Pick<Cloud, 'list' | 'get'>,
  depth: 'all' | 'owners',
): Promise<readonly ObservedResource[]> {
  const query = { loadbalancer_id: loadBalancer.id };
  const [listeners, pools] = await Promise.all([cloud.list('listener', query), cloud.list('pool', query)]);
  const observedListeners = observeListeners(listeners, name, cluster);
  const observedPools = observePools(pools, observedListeners);
  if (depth === 'owners') return [...observedListeners, ...observedPools];
  const below = await Promise.all(observedPools.map((pool) => observePoolContents(pool, cloud)));
  return [...observedListeners, ...observedPools, ...below.flat()];
}

export function observeListeners(
  wires: readonly WireResource[],
  name: ServiceKey,
  cluster: ClusterIdentity,
): readonly ObservedResource<'listener'>[] {
  const goTag = loadBalancerName(cluster.name, name);
  return wires.map((wire) => observeListener(wire, cluster, goTag));
}

export function observePools(
  wires: readonly WireResource[],
  listeners: readonly ObservedResource[],
): readonly ObservedResource<'pool'>[] {
  return wires.map((wire) => observePool(wire, listeners));
}

function observeListener(
  wire: WireResource,
  cluster: ClusterIdentity,
  goTag: string,
): ObservedResource<'listener'> {
  const protocol = String(wire['protocol']);
  const family = TCP_LIKE.includes(protocol) ? 'tcp' : protocol.toLowerCase();
  const owned = hasTag(wire['tags'], clusterTag(cluster)) || hasTag(wire['tags'], goTag);
  const address = `listener/${family}/${String(wire['protocol_port'])}`;
  return { kind: 'listener', address, id: wire.id, parent: 'lb', owned, wire };
}

function observePool(wire: WireResource, listeners: readonly ObservedResource[]): ObservedResource<'pool'> {
  const user = listeners.find((listener) => listener.wire['default_pool_id'] === wire.id);
  const madeFor = tagValue(wire['tags'], 'port');
  const place = user ? user.address.slice('listener/'.length) : (madeFor ?? `unused/${wire.id}`);
  return {
    kind: 'pool',
    address: `pool/${place}`,
    id: wire.id,
    parent: 'lb',
    owned: user ? user.owned : madeFor !== undefined,
    wire,
  };
}

async function observePoolContents(
  pool: ObservedResource,
  cloud: Pick<Cloud, 'list' | 'get'>,
): Promise<readonly ObservedResource[]> {
  if (!pool.owned) return [];
  const listed = pool.wire['members'];
  const monitorId = pool.wire['healthmonitor_id'];
  const [members, monitor] = await Promise.all([
    Array.isArray(listed) && listed.length === 0 ? [] : cloud.list('member', {}, pool.id),
    typeof monitorId === 'string' ? cloud.get('healthmonitor', monitorId) : undefined,
  ]);
  return [
    ...members.map((wire) => memberOf(pool.address, wire)),
    ...(monitor ? [monitorOf(pool.address, monitor)] : []),
  ];
}
