import type { Refusal, Step } from '../../model/plan.ts';
import type { Address, Ref } from '../../model/address.ts';
import type { DesiredResource, ObservedResource } from '../../model/resources.ts';
import { DEFAULT_RULES } from '../../model/network/openings.ts';
import { areMembersElsewhere, rulesOfStaying } from './staying-members.ts';
import { planOne, remove } from '../../plan/one.ts';

const GROUP = 'securitygroup';
const GROUP_ID: Ref = { $ref: 'securitygroup.id' };

export interface SecurityGroupInput {
  readonly desired: readonly DesiredResource[];
  readonly observed: readonly ObservedResource[];
  /** No node can be used just now: the ports that have the group keep it. */
  readonly keepMembers: boolean;
  /** A pool is built up beside the one in use: what leads to the members of that one stays open until it is left. */
  readonly switching: boolean;
  readonly there: ReadonlyMap<Address, ObservedResource>;
  readonly wanted: ReadonlyMap<Address, DesiredResource>;
}

/**
 * The security group of a Service, its rules, and the ports it is on: complete before it is put on a port, off all ports
 * before it goes. A group that wants no rule at all is one whose rules are not understood just now: all that it has stay
 * (openstack-ccm.md, #2699), unless it lets nobody in.
 */
export function planSecurityGroup(input: SecurityGroupInput, refused: Refusal[]): readonly Step[] {
  const { desired, observed, there, wanted } = input;
  const asked = desired.filter(({ kind }) => kind === 'securitygrouprule');
  const rules = [...asked, ...rulesOfStaying(asked, input)];
  const group = wanted.get(GROUP);
  const steps: Step[] = [];
  if (group) {
    planOne(group, there, steps, refused);
    for (const rule of rules) planOne(rule, there, steps, refused);
    if (!there.has(GROUP)) steps.push(...DEFAULT_RULES.map(removeDefault));
    else if (!input.switching && (rules.length > 0 || group.mayBeEmpty))
      steps.push(...surplus('securitygrouprule', input, rules).map(remove));
  }
  for (const port of observed) {
    if (port.kind === 'port') steps.push(...planPort(port, input));
  }
  return [...steps, ...surplus(GROUP, input).map(remove)];
}

function surplus(
  kind: 'securitygroup' | 'securitygrouprule',
  { observed, wanted }: SecurityGroupInput,
  others: readonly DesiredResource[] = [],
): readonly ObservedResource[] {
  return observed.filter(
    ({ kind: of, address }) =>
      of === kind && !wanted.has(address) && !others.some((other) => other.address === address),
  );
}

/** Neutron makes them with the group; what it answered has their ids. */
function removeDefault(address: Address): Step {
  const because = 'Neutron puts it into every new one';
  return { verb: 'delete', kind: 'securitygrouprule', address, id: { $ref: `${address}.id` }, because };
}

/** Our own groups come and go; all others on the port stay. */
function planPort(port: ObservedResource, input: SecurityGroupInput): readonly Step[] {
  const { observed, there, wanted, keepMembers } = input;
  const stays = keepMembers || input.switching || areMembersElsewhere(input);
  const from = (port.wire['security_groups'] ?? []) as readonly string[];
  const ours = observed.filter(({ kind }) => kind === 'securitygroup').map(({ id }) => id);
  const id = there.get(GROUP)?.id;
  const has = id !== undefined && from.includes(id);
  const wants = wanted.has(port.address) || (stays && has && wanted.has(GROUP));
  const stay = from.filter((one) => !ours.includes(one) || (wants && one === id));
  const to = wants && !has ? [...stay, id ?? GROUP_ID] : stay;
  if (to.length === from.length && to.every((one) => typeof one === 'string' && from.includes(one)))
    return [];
  const changes = [{ attribute: 'security_groups', from, to }];
  return [{ verb: 'update', kind: 'port', address: port.address, id: port.id, changes }];
}
