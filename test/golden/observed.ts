import type { Contents, Wire } from '../support/cloud-contents.ts';

type OfOctavia = 'loadbalancers' | 'listeners' | 'pools' | 'members' | 'healthmonitors';
/** Security groups have their rules; ports and subnets are in place of those that the model has. */
type OfNeutron = 'floatingips' | 'security_groups' | 'ports' | 'subnets';

/** Lists as they answer them: relations are lists of ids, and a member does not name its pool. */
export interface Answers extends Readonly<Partial<Record<OfOctavia | OfNeutron, readonly Wire[]>>> {
  /** The newest version of its API: 2.`minor`. */
  readonly octavia?: { readonly minor: number };
}

/** The same objects with their parent's id, as the model keeps them. */
export function contentsOf(answers: Answers): Contents {
  const { loadbalancers = [], listeners = [], pools = [], members = [], healthmonitors = [] } = answers;
  const onLb = (wire: Wire): Wire => ({ ...wire, loadbalancer_id: idsOf(wire, 'loadbalancers')[0] });
  const poolOf = (id: string): string | undefined =>
    pools.find((pool) => idsOf(pool, 'members').includes(id))?.id;
  return {
    loadbalancer: loadbalancers,
    listener: listeners.map(onLb),
    pool: pools.map(onLb),
    member: members.map((wire) => ({ ...wire, pool_id: poolOf(wire.id) })),
    healthmonitor: healthmonitors.map((wire) => ({ ...wire, pool_id: idsOf(wire, 'pools')[0] })),
    floatingip: answers.floatingips ?? [],
    securitygroup: answers.security_groups ?? [],
    securitygrouprule: (answers.security_groups ?? []).flatMap(rulesIn),
    ...(answers.ports ? { port: answers.ports } : {}),
    ...(answers.subnets ? { subnet: answers.subnets } : {}),
  };
}

function rulesIn(group: Wire): readonly Wire[] {
  const rules = (group['security_group_rules'] ?? []) as readonly Wire[];
  return rules.map((rule) => ({ ...rule, security_group_id: group.id }));
}

function idsOf(wire: Wire, relation: string): readonly string[] {
  return ((wire[relation] ?? []) as readonly { readonly id: string }[]).map(({ id }) => id);
}
