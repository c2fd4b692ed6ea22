import { nextPlace, transportOf } from '../../model/address.ts';
import { tagValue } from '../../model/ownership.ts';
import type { ObservedResource, WireResource } from '../../model/resources.ts';
import type { Cloud } from '../../ports.ts';
import { ownsListener, ownsMember, ownsPool, ownsUnusedPool } from './load-balancer/owners.ts';
import type { Owners } from './load-balancer/owners.ts';
import { observePolicies } from './policies.ts';
import { memberOf, monitorOf } from './pool-contents.ts';

/**
 * Everything on one load balancer, addressed by what it is for: a listener by protocol family and port, a pool by the
 * listener that uses it or the port it was made for, a member by pool and address. Never by name (decision 4). `owners`
 * leaves out members and monitors: enough to see whether something foreign keeps a load balancer from going.
 */
export async function observeChildren(
  loadBalancer: WireResource,
  owners: Owners,
  cloud: Pick<Cloud, 'list' | 'get'>,
  depth: 'all' | 'owners',
): Promise<readonly ObservedResource[]> {
  const query = { loadbalancer_id: loadBalancer.id };
  const [listeners, pools] = await Promise.all([cloud.list('listener', query), cloud.list('pool', query)]);
  const observedListeners = observeListeners(listeners, owners);
  const observedPools = observePools(pools, observedListeners, owners);
  if (depth === 'owners') return [...observedListeners, ...observedPools];
  const below = await Promise.all([
    ...observedPools.map((pool) => observePoolContents(pool, cloud)),
    ...observedListeners.map((listener) => observePolicies(listener, owners.cluster, cloud)),
  ]);
  return [...observedListeners, ...observedPools, ...below.flat()];
}

export function observeListeners(
  wires: readonly WireResource[],
  owners: Owners,
): readonly ObservedResource<'listener'>[] {
  return wires.map((wire) => observeListener(wire, owners));
}

/** Of several pools for one port the one that its listener uses is the pool; without a listener, the newest. */
export function observePools(
  wires: readonly WireResource[],
  listeners: readonly ObservedResource[],
  owners: Owners,
): readonly ObservedResource<'pool'>[] {
  const users = new Set(listeners.map(({ wire }) => wire['default_pool_id']));
  const rank = ({ id, created_at }: WireResource): string =>
    `${users.has(id) ? 1 : 0} ${String(created_at)} ${id}`;
  const taken = new Set<string>();
  return [...wires]
    .sort((a, b) => (rank(a) < rank(b) ? 1 : -1))
    .map((wire) => {
      const pool = observePool(wire, listeners, owners);
      const place = pool.address.slice('pool/'.length);
      const free = [place, nextPlace(place)].find((one) => !taken.has(one)) ?? `unused/${wire.id}`;
      taken.add(free);
      return { ...pool, address: `pool/${free}` };
    });
}

function observeListener(wire: WireResource, owners: Owners): ObservedResource<'listener'> {
  const owned = ownsListener(owners, wire);
  const address = `listener/${transportOf(wire['protocol'])}/${String(wire['protocol_port'])}`;
  return { kind: 'listener', address, id: wire.id, parent: 'lb', owned, wire };
}

function observePool(
  wire: WireResource,
  listeners: readonly ObservedResource[],
  owners: Owners,
): ObservedResource<'pool'> {
  const user = listeners.find((listener) => listener.wire['default_pool_id'] === wire.id);
  const madeFor = tagValue(wire['tags'], 'port');
  const place = user ? user.address.slice('listener/'.length) : (madeFor ?? `unused/${wire.id}`);
  return {
    kind: 'pool',
    address: `pool/${place}`,
    id: wire.id,
    parent: 'lb',
    owned: user ? user.owned && ownsPool(wire) : ownsUnusedPool(owners, wire),
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
    ...members.map((wire) => ({
      ...memberOf(pool.address, wire),
      owned: ownsMember(wire, members, pool.wire),
    })),
    ...(monitor ? [monitorOf(pool.address, monitor)] : []),
  ];
}
