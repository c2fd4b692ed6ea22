import { approvalOf } from '../../model/ownership.ts';
import type { AwaitingApproval, Refusal, Step } from '../../model/plan.ts';
import type { Address, Ref } from '../../model/address.ts';
import type { DesiredResource, ObservedResource } from '../../model/resources.ts';
import { DEFAULT_RULES, openingAddress } from '../../model/network/openings.ts';
import { planOne, remove } from '../../plan/compare-and-plan.ts';
import { MADE_TWICE } from './plan-leaving.ts';
import { familyOf } from '../../model/network/network-facts.ts';

const GROUP = 'securitygroup';
const GROUPS_OFF = 'approved; manage-security-groups is off';
const GROUP_ID: Ref = { $ref: 'securitygroup.id' };

interface SecurityGroupInput {
  readonly leaves: string | undefined;
  readonly uid: string;
  readonly approved: readonly string[];
  readonly desired: readonly DesiredResource[];
  readonly observed: readonly ObservedResource[];
  /** No node is eligible, so the ports that have the group keep it. */
  readonly keepMembers: boolean;
  /** Beside the pool in use a new one is built. Rules for the old members stay until the listener uses it. */
  readonly switching: boolean;
  readonly there: ReadonlyMap<Address, ObservedResource>;
  readonly wanted: ReadonlyMap<Address, DesiredResource>;
}

/**
 * The group is complete before it is put on a port, and off all ports before it is deleted. Without any desired rule it keeps its rules, as the ranges
 * could not be read (docs/sources/occm.md, "Security groups"), unless it may be empty. While pools are switched, no rule is deleted. Off a Service
 * that goes on it is taken once approved: it may be all that lets the load balancer in, and only the configuration has changed (decision 154).
 */
export function planSecurityGroup(
  input: SecurityGroupInput,
  refused: Refusal[],
  awaiting: AwaitingApproval[],
): readonly Step[] {
  const { desired, observed, there, wanted } = input;
  const asked = desired.filter(({ kind }) => kind === 'securitygrouprule');
  const rules = [...asked, ...rulesOfStaying(asked, input)];
  const group = wanted.get(GROUP);
  const steps: Step[] = [];
  if (group) {
    planOne(group, there, steps, refused);
    for (const rule of rules) planOne(rule, there, steps, refused);
    if (!there.has(GROUP)) steps.push(...DEFAULT_RULES.map(removeDefault));
    else if (!input.switching && (rules.length > 0 || group.mayBeEmpty)) {
      const reached = new Set(rules.map(portOf));
      steps.push(
        ...surplus('securitygrouprule', input, rules).map((rule) => ({
          ...remove(rule, 'no served port of the Service needs it'),
          ...(reached.has(portOf(rule)) ? { narrows: true as const } : {}),
        })),
      );
    }
  }
  for (const port of observed) {
    if (port.kind === 'port') steps.push(...planPort(port, input));
  }
  steps.push(...surplus(GROUP, input).map((one) => remove(one, whyGroupGoes(one, input))));
  const left = input.leaves === undefined && !group ? observed.find(({ kind }) => kind === GROUP) : undefined;
  if (!left || steps.length === 0) return steps;
  const approval = approvalOf([input.uid, 'delete', left.id]);
  if (input.approved.includes(approval)) return steps;
  const { address, kind } = left;
  const reason =
    'manage-security-groups is off; levelset leaves the group on the ports of the nodes as it is until its deletion is approved';
  awaiting.push({ verb: 'delete', address, kind, changes: [], reason, approval });
  return [];
}

/** `tcp/30080` of a rule for that port of Nodes. */
function portOf({ address }: Pick<ObservedResource, 'address'>): string {
  return address.split('/').slice(1, 3).join('/');
}

/** Why a group goes. Without `leaves` the configuration asks for none, and its deletion is approved. */
function whyGroupGoes({ address }: ObservedResource, { leaves }: SecurityGroupInput): string {
  return address === GROUP ? (leaves ?? GROUPS_OFF) : MADE_TWICE;
}

function surplus(
  kind: 'securitygroup' | 'securitygrouprule',
  { observed, wanted }: SecurityGroupInput,
  others: readonly DesiredResource[] = [],
): readonly ObservedResource[] {
  const stay = new Set(others.map(({ address }) => address));
  return observed.filter(
    ({ kind: of, address }) => of === kind && !wanted.has(address) && !stay.has(address),
  );
}

/** Deletes a rule that Neutron makes with every group. The answer to the group's POST has the rule's id. */
function removeDefault(address: Address): Step {
  const because = 'Neutron adds it to every new group';
  return { verb: 'delete', kind: 'securitygrouprule', address, id: { $ref: `${address}.id` }, because };
}

/** The step for the security groups of one port. Other groups on the port stay. */
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
  const gone = from.filter((one) => !stay.includes(one));
  const because = gone.length > 0 ? { because: whyOffPort(gone.includes(id ?? ''), input) } : {};
  return [{ verb: 'update', kind: 'port', address: port.address, id: port.id, ...because, changes }];
}

function whyOffPort(own: boolean, { leaves, wanted }: SecurityGroupInput): string {
  if (!own) return 'the group is a duplicate: the answer to its create was lost';
  if (!wanted.has(GROUP)) return leaves ?? GROUPS_OFF;
  return 'no member that gets the group is on this port';
}

interface DesiredAndObserved {
  readonly desired: readonly DesiredResource[];
  readonly observed: readonly ObservedResource[];
  readonly there: ReadonlyMap<Address, ObservedResource>;
}

/** Members stay in the subnet to which a removed annotation moved them (decision 11). A locked load balancer's are unread, and count as elsewhere. */
function areMembersElsewhere({ desired, observed, there }: DesiredAndObserved): boolean {
  const members = desired.filter(({ kind }) => kind === 'member');
  if (members.length > 0 && !observed.some(({ kind }) => kind === 'member')) return there.has('lb');
  const present = members.flatMap((wanted) => {
    const observed = there.get(wanted.address);
    return observed ? [{ wanted, subnet: observed.wire['subnet_id'] }] : [];
  });
  return present.some(({ wanted, subnet }) => {
    const { subnet_id } = wanted.attributes as { readonly subnet_id?: string };
    const isUnasked = wanted.unasked?.includes('subnet_id') === true;
    return isUnasked && typeof subnet === 'string' && subnet !== subnet_id;
  });
}

/** Members that stay in another subnet: its range, from present rules, is open for all desired ports. Not with `ovn`, whose rules are source ranges. */
function rulesOfStaying(
  asked: readonly DesiredResource[],
  sides: DesiredAndObserved,
): readonly DesiredResource<'securitygrouprule'>[] {
  const isOfSubnets = sides.there.get('lb')?.wire['provider'] !== 'ovn';
  if (!isOfSubnets || !areMembersElsewhere(sides)) return [];
  const rules = asked as readonly DesiredResource<'securitygrouprule'>[];
  const known = new Set(rules.map(({ attributes }) => attributes.remote_ip_prefix));
  const found = sides.observed
    .filter(({ kind, wire }) => kind === 'securitygrouprule' && wire['direction'] === 'ingress')
    .map(({ wire }) => wire['remote_ip_prefix'])
    .filter((range) => typeof range === 'string')
    .filter((range) => !known.has(range) && !range.endsWith('/0'));
  const all = rules.flatMap((rule) =>
    [...new Set(found)]
      .filter((range) => rule.attributes.ethertype === `IPv${familyOf(range)}`)
      .map((range) => ofRange(rule, range)),
  );
  return [...new Map(all.map((rule) => [rule.address, rule])).values()];
}

function ofRange(
  rule: DesiredResource<'securitygrouprule'>,
  cidr: string,
): DesiredResource<'securitygrouprule'> {
  const { protocol = '', port_range_min: port = 0 } = rule.attributes;
  const address = openingAddress({ protocol, port, cidr });
  return { ...rule, address, attributes: { ...rule.attributes, remote_ip_prefix: cidr } };
}
