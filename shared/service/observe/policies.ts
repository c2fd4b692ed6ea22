import { policyAddressOf } from '../../model/address.ts';
import { clusterTag, hasTag } from '../../model/ownership.ts';
import type { ClusterIdentity } from '../../model/ownership.ts';
import type { ObservedResource, WireResource } from '../../model/resources.ts';
import type { Cloud } from '../../ports.ts';

/** The L7 policies of a listener of ours, with their rules. Those without our tag are somebody's own. */
export async function observePolicies(
  listener: ObservedResource,
  cluster: ClusterIdentity,
  cloud: Pick<Cloud, 'list' | 'get'>,
): Promise<readonly ObservedResource[]> {
  const listed = (listener.wire['l7policies'] ?? []) as readonly { readonly id: string }[];
  if (!listener.owned || listed.length === 0) return [];
  const policies = await Promise.all(listed.map(({ id }) => cloud.get('l7policy', id)));
  const taken = new Set<string>();
  const observed = policies.flatMap((wire) => (wire ? [asResource(wire, listener, cluster, taken)] : []));
  const rules = await Promise.all(
    observed.filter(({ owned }) => owned).map((policy) => observeRules(policy, cloud)),
  );
  return [...observed, ...rules.flat()];
}

function asResource(
  wire: WireResource,
  listener: ObservedResource,
  cluster: ClusterIdentity,
  taken: Set<string>,
): ObservedResource<'l7policy'> {
  const place = listener.address.slice('listener/'.length);
  const owned = hasTag(wire['tags'], clusterTag(cluster));
  const redirect = `l7policy/${place}/redirect`;
  const address = owned && !taken.has(redirect) ? redirect : `l7policy/${place}/${wire.id}`;
  taken.add(address);
  return { kind: 'l7policy', address, id: wire.id, parent: listener.address, owned, wire };
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
    owned: true,
    wire,
  }));
}
