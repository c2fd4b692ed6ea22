import { nextPortKey, policyAddressOf, transportOf } from '../../model/address.ts';
import { clusterTag, hasTag, tagValue, type ClusterIdentity } from '../../model/ownership.ts';
import type { ObservedResource, WireResource } from '../../model/resources.ts';
import type { Cloud, ReadKind } from '../../ports.ts';
import { whoseListener, whoseMember, whosePool, type Owners } from '../../model/load-balancer/whose.ts';
import { lazily } from '../../memory/answers.ts';

/**
 * A plan address says what a resource is for, never its name (decision 4): by transport and port, a member's by its pool, IP address and port. The
 * depth `owners` reads only listeners and pools, which is enough to see whether something foreign is on the load balancer.
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

/**
 * A pool's address is by the port of its tag: a listener which was pointed at another's pool takes nothing from that one (decision 4). Of several
 * for one port it is that of the pool in use, or else of the newest; another has the next pool's address, and further ones count as unused.
 */
export function observePools(
  wires: readonly WireResource[],
  listeners: readonly ObservedResource[],
  owners: Owners,
): readonly ObservedResource<'pool'>[] {
  const all = wires.map((wire) => ({ wire, ...purposeOf(wire, listeners) }));
  const rank = ({ wire: { id, created_at }, portKey, user }: Purposed): string =>
    `${portKey !== undefined && portKey === user?.portKey ? 1 : 0} ${String(created_at)} ${id}`;
  const sorted = all.sort((a, b) => (rank(a) < rank(b) ? 1 : -1));
  // another port's pool, and a second one for a port that has its pool, get what is left
  const first = new Map(
    sorted.toReversed().flatMap((one) => (one.portKey === undefined ? [] : [[one.portKey, one]])),
  );
  const taken = new Set(first.keys());
  return sorted.map((one) => {
    const { wire, portKey, user } = one;
    const left = [user?.portKey, portKey === undefined ? undefined : nextPortKey(portKey)];
    const isFirst = portKey !== undefined && first.get(portKey) === one;
    const at = isFirst
      ? portKey
      : (left.find((free) => free !== undefined && !taken.has(free)) ?? `unused/${wire.id}`);
    taken.add(at);
    const whose = whosePool(owners, wire, user?.portKey === at ? user.listener : undefined);
    return { kind: 'pool', address: `pool/${at}`, id: wire.id, parent: 'lb', whose, wire };
  });
}

function observeListener(wire: WireResource, owners: Owners): ObservedResource<'listener'> {
  const whose = whoseListener(owners, wire);
  const address = `listener/${transportOf(wire['protocol'])}/${String(wire['protocol_port'])}`;
  return { kind: 'listener', address, id: wire.id, parent: 'lb', whose, wire };
}

interface Purposed {
  readonly wire: WireResource;
  readonly portKey: string | undefined;
  readonly user: { readonly listener: ObservedResource; readonly portKey: string } | undefined;
}

/** A pool is for the port of its tag, else of its listener. Of several users the listener at that port counts, or without a tag the namesake. */
function purposeOf(wire: WireResource, listeners: readonly ObservedResource[]): Omit<Purposed, 'wire'> {
  const users = listeners
    .filter((listener) => listener.wire['default_pool_id'] === wire.id)
    .map((listener) => ({ listener, portKey: listener.address.slice('listener/'.length) }));
  const madeFor = tagValue(wire['tags'], 'port');
  const own = ({ listener, portKey }: (typeof users)[number]): boolean =>
    madeFor === undefined
      ? String(listener.wire['name']).replace('listener_', 'pool_') === wire['name']
      : portKey === madeFor;
  const user = users.find(own) ?? users[0];
  return { portKey: madeFor ?? user?.portKey, user };
}

async function observePoolContents(
  pool: ObservedResource,
  cloud: Pick<Cloud, 'list' | 'get'>,
): Promise<readonly ObservedResource[]> {
  if (pool.whose === 'foreign') return [];
  const listed = pool.wire['members'];
  const monitorId = pool.wire['healthmonitor_id'];
  const [members, monitor] = await Promise.all([
    Array.isArray(listed) && listed.length === 0 ? [] : observeMembers(pool, cloud),
    typeof monitorId === 'string' ? cloud.get('healthmonitor', monitorId) : undefined,
  ]);
  return [...members, ...(monitor ? [monitorOf(pool, monitor)] : [])];
}

export async function observeMembers(
  pool: ObservedResource,
  cloud: Pick<Cloud, 'list'>,
): Promise<readonly ObservedResource<'member'>[]> {
  const members = await cloud.list('member', {}, pool.id);
  const portKey = pool.address.slice('pool/'.length);
  return members.map((wire) => ({
    kind: 'member',
    address: `member/${portKey}/${String(wire['address'])}:${String(wire['protocol_port'])}`,
    id: wire.id,
    parent: pool.address,
    whose: whoseMember(wire, members, pool),
    wire,
  }));
}

function monitorOf({ address: parent, whose }: ObservedResource, wire: WireResource): ObservedResource {
  const address = `monitor/${parent.slice('pool/'.length)}`;
  return { kind: 'healthmonitor', address, id: wire.id, parent, whose, wire };
}

/** A policy without this cluster's tag belongs to somebody else. */
async function observePolicies(
  listener: ObservedResource,
  cluster: ClusterIdentity,
  cloud: Pick<Cloud, 'list' | 'get'>,
): Promise<readonly ObservedResource[]> {
  const listed = (listener.wire['l7policies'] ?? []) as readonly { readonly id: string }[];
  if (listener.whose === 'foreign' || listed.length === 0) return [];
  const policies = await Promise.all(listed.map(({ id }) => cloud.get('l7policy', id)));
  const taken = new Set<string>();
  const observed = policies.flatMap((wire) => (wire ? [asResource(wire, listener, cluster, taken)] : []));
  const rules = await Promise.all(
    observed.filter(({ whose }) => whose === 'ours').map((policy) => observeRules(policy, cloud)),
  );
  return [...observed, ...rules.flat()];
}

function asResource(
  wire: WireResource,
  listener: ObservedResource,
  cluster: ClusterIdentity,
  taken: Set<string>,
): ObservedResource<'l7policy'> {
  const portKey = listener.address.slice('listener/'.length);
  const whose = hasTag(wire['tags'], clusterTag(cluster)) ? 'ours' : 'foreign';
  const redirect = `l7policy/${portKey}/redirect`;
  const address = whose === 'ours' && !taken.has(redirect) ? redirect : `l7policy/${portKey}/${wire.id}`;
  taken.add(address);
  return { kind: 'l7policy', address, id: wire.id, parent: listener.address, whose, wire };
}

async function observeRules(
  policy: ObservedResource,
  cloud: Pick<Cloud, 'list'>,
): Promise<readonly ObservedResource[]> {
  const rules = await cloud.list('l7rule', {}, policy.id);
  const first = `l7rule/${policy.address.slice('l7policy/'.length)}`;
  return rules.map((wire, at) => ({
    kind: 'l7rule' as const,
    address: at === 0 ? first : `${first}/${wire.id}`,
    id: wire.id,
    parent: policyAddressOf(first),
    whose: 'ours' as const,
    wire,
  }));
}

export type ChildReader = Pick<Cloud, 'list' | 'get'>;

export interface BulkChildren extends ChildReader {
  listed(): Promise<unknown>;
}

/** Reads all load balancers' listeners, pools and monitors by one list each, when somebody asks. Octavia has no such list of members. */
export function bulkChildren(cloud: ChildReader): BulkChildren {
  const byLoadBalancer = (kind: ReadKind): (() => Promise<ReadonlyMap<string, readonly WireResource[]>>) =>
    lazily(async () => {
      const found = new Map<string, WireResource[]>();
      for (const wire of await cloud.list(kind))
        for (const { id } of (wire['loadbalancers'] ?? []) as readonly { readonly id: string }[])
          found.set(id, [...(found.get(id) ?? []), wire]);
      return found;
    });
  const [listeners, pools] = [byLoadBalancer('listener'), byLoadBalancer('pool')];
  const monitors = lazily(async () => {
    const listed = await cloud.list('healthmonitor');
    return new Map(listed.map((wire) => [wire.id, wire]));
  });
  return {
    listed: () => Promise.all([listeners(), pools(), monitors()]),
    async list(kind, query = {}, parent) {
      const { loadbalancer_id: id } = query;
      if (typeof id === 'string' && kind === 'listener') return (await listeners()).get(id) ?? [];
      if (typeof id === 'string' && kind === 'pool') return (await pools()).get(id) ?? [];
      return cloud.list(kind, query, parent);
    },
    // a monitor that was made since the list is read by itself
    get: async (kind, id) =>
      (kind === 'healthmonitor' ? (await monitors()).get(id) : undefined) ?? cloud.get(kind, id),
  };
}
