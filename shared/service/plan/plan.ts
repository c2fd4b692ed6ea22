import type {
  DrainingMember,
  AwaitingApproval,
  Plan,
  Problem,
  Refusal,
  Step,
  UpdateStep,
} from '../../model/plan.ts';
import type { Address } from '../../model/address.ts';
import type { DesiredResource, ObservedResource, WireResource } from '../../model/resources.ts';
import { isBlocked } from '../../model/plan.ts';
import { followNodes } from './follow-nodes.ts';
import { replacePools } from './replace-pools.ts';
import { isAllOurs, removeAll, removeWithAll } from './plan-leaving.ts';
import type { Leaving } from './plan-leaving.ts';
import { planReplacement, switchedTo } from './plan-replacement.ts';
import type { ReplacementInput } from './plan-replacement.ts';
import { planChildren } from './plan-children.ts';
import type { ChildrenInput } from './plan-children.ts';
import type { Resting } from './mend-children.ts';
import { giveBack, planOne, remove } from '../../plan/plan-one.ts';
import { planSecurityGroup } from './plan-security-group.ts';
import { MADE_TWICE } from './why-deleted.ts';
import { planToStore, planToTakeOut } from './plan-certificates.ts';
import { comesLater, createTree } from './create-tree.ts';

interface PlanInput extends ReplacementInput, Leaving {
  readonly services: readonly string[];
  readonly problems: readonly Problem[];
  /** The desired rules are unknown, so the security group stays as it is. */
  readonly keepSecurityGroup: boolean;
  /** The floating IP is where a user attached it, and outlives the Service there (decision 161). */
  readonly staysOnPort: boolean;
  /** Load balancers of this unit that were made twice because the answer to a POST was lost. */
  readonly duplicates: readonly WireResource[];
  /** Changes that were taken out of the comparison because they wait for approval. */
  readonly awaitingApproval: readonly AwaitingApproval[];
  /** Members that are desired until they have drained. A member goes sooner if its pool is replaced. */
  readonly draining: readonly DrainingMember[] | undefined;
  /** Ids of children in ERROR that were written a moment ago. */
  readonly resting: Resting;
  /** The ports that the Service names, such as `tcp/80`. */
  readonly ports: readonly string[];
}

/**
 * The steps that turn what is observed into what is desired.
 *
 * | desired | observed     | step                                                                      |
 * | yes     | no           | create; with a load balancer that is created, too, in that one POST       |
 * | yes     | yes, differs | update in place, delete and create, a new pool, or a refusal (ATTRIBUTES) |
 * | no      | yes, ours    | delete; a load balancer with everything on it                             |
 * | no      | yes, foreign | none; the load balancer that it is on stays, too                          |
 *
 * If a Problem blocks, only the members of the pools that are there change, and what ports of Nodes have the security group. A pool
 * that is replaced follows the Nodes until then.
 */
export function plan(input: PlanInput): Plan {
  const { unit, services, desired, observed, problems } = input;
  const there = byAddress(observed);
  const wanted = byAddress(desired);
  const foreign = observed
    .filter(
      ({ whose, kind, address }) =>
        whose === 'foreign' && kind !== 'loadbalancer' && !(kind === 'floatingip' && wanted.has(address)),
    )
    .map(({ address }) => address);
  const keeps = input.keepMembers && observed.some(({ kind }) => kind === 'member');
  const { sharedWith } = input;
  const awaitingApproval = [...input.awaitingApproval];
  const blocked = isBlocked(input);
  const inNextPool = blocked
    ? followNodes(desired, observed)
    : replacePools(desired, there, input.keepMembers, input.draining);
  const stays = byAddress(inNextPool);
  const draining = (input.draining ?? []).filter(({ address }) => stays.has(address));
  const base = {
    unit,
    services,
    awaitingApproval,
    problems,
    foreign,
    ...(keeps ? { keepsMembers: true as const } : {}),
    ...(sharedWith.length > 0 ? { sharedWith } : {}),
    ...(draining.length > 0 ? { draining } : {}),
  };
  const known = { ...input, there };
  if (blocked) {
    const steps = planMembersAlone(inNextPool, known);
    const isKept = input.keepSecurityGroup || !there.has('securitygroup');
    const ports = isKept
      ? []
      : planSecurityGroup({ ...input, there, wanted, switching: false }, [], awaitingApproval);
    return { ...base, steps: [...steps, ...ports.filter(({ kind }) => kind === 'port')], refused: [] };
  }
  const lb = there.get('lb');
  const wantedLb = wanted.get('lb');
  const steps: Step[] = input.duplicates.map((duplicate) => removeDuplicate(duplicate));
  const refused: Refusal[] = [];

  const switching = inNextPool.some(({ address }) => !wanted.has(address));
  const replaced = planReplacement(wantedLb, lb, there, input);
  const { rebuild } = replaced;
  if (!lb && wantedLb) {
    steps.push(createTree(wantedLb, desired));
    const later = comesLater(desired);
    const onNew = { ...known, desired: later, observed: [], wanted: byAddress(later) };
    planChildren(onNew, steps, refused);
  } else if (lb && !wantedLb) steps.push(...removeAll(lb, input));
  else if (lb && rebuild !== undefined) {
    if (isAllOurs(observed)) steps.push(removeWithAll(lb.address, lb.id, rebuild));
  } else if (lb && wantedLb && replaced.switchesTo === undefined) {
    planOne(wantedLb, there, steps, []);
    refused.push(...replaced.refused);
    planChildren({ ...known, desired: inNextPool, wanted: stays }, steps, refused);
    const isLeft = (address = ''): boolean => stays.has(`${address}/next`) && !stays.has(address);
    const old = switching ? followNodes(desired, observed) : [];
    steps.push(
      ...planMembersAlone(
        old.filter((one) => isLeft(one.address) || isLeft(one.parent)),
        known,
      ),
    );
  }
  const floating = there.get('floatingip');
  const { staysOnPort } = input;
  const wantedFloating = staysOnPort ? undefined : wanted.get('floatingip');
  if (wantedFloating && rebuild === undefined)
    planOne(switchedTo(replaced.switchesTo, wantedFloating), there, steps, refused);
  else if (floating && floating.whose !== 'foreign' && !wantedFloating) {
    const because = input.leaves ?? 'the Service is to have no floating IP of its own';
    steps.push(giveBack(floating, because, staysOnPort));
  }
  const because =
    input.leaves ??
    (floating
      ? 'the Service has another one on its load balancer'
      : 'the Service is to have no floating IP of its own');
  steps.push(...observed.filter(isLeftover).map((leftover) => remove(leftover, because)));
  const group = { ...input, there, wanted, switching };
  const outsideOctavia = input.keepSecurityGroup ? [] : planSecurityGroup(group, refused, awaitingApproval);
  const stored = {
    ...group,
    unknown: input.duplicates.length > 0 || input.replacement !== undefined,
  };
  const ordered = [
    ...planToStore(stored),
    ...inOrder(steps),
    ...replaced.steps,
    ...outsideOctavia,
    ...planToTakeOut(stored),
  ];
  return { ...base, steps: ordered, refused };
}

/** The steps for the members of these pools, and nothing for the pools. */
function planMembersAlone(
  desired: readonly DesiredResource[],
  input: Omit<ChildrenInput, 'desired' | 'wanted'>,
): Step[] {
  const steps: Step[] = [];
  const wanted = byAddress(desired);
  const observed = input.observed.filter(({ kind, parent = '' }) => kind === 'member' && wanted.has(parent));
  planChildren({ ...input, desired, observed, wanted }, steps, []);
  return steps;
}

function byAddress<R extends { readonly address: Address }>(
  resources: readonly R[],
): ReadonlyMap<Address, R> {
  return new Map(resources.map((resource) => [resource.address, resource]));
}

/** A floating IP of this Service beside the one that it uses. */
function isLeftover({ kind, address, whose }: ObservedResource): boolean {
  return kind === 'floatingip' && address !== 'floatingip' && whose !== 'foreign';
}

function removeDuplicate({ id }: WireResource): Step {
  return removeWithAll(`lb/duplicate/${id}`, id, MADE_TWICE);
}

/**
 * The order of the steps, since Octavia takes one write on a load balancer at a time. A floating IP goes before anything
 * is opened to those who are inside. It loses the tags of an owner before the load balancer does, by whose tags they are
 * found. Steps for the load balancer itself, such as its tags, come next. Then come steps that close (source ranges) and free ports, steps that create,
 * and steps that delete what is no longer used. The listener comes last of its port, when its pool is complete. A
 * listener that must be created again is deleted just before that. A pool and a policy come before what is below them,
 * which Octavia refuses to write while they are in ERROR. Floating IPs belong to Neutron and wait only for the
 * VIP port.
 */
const ORDER: readonly ((step: Step) => boolean)[] = [
  (step) => step.verb === 'delete' && step.kind === 'loadbalancer',
  (step) => step.address === 'floatingip' && detaches(step),
  (step) => step.address === 'floatingip' && onlyLosesTags(step),
  (step) => step.kind === 'loadbalancer',
  (step) => step.verb === 'update' && step.kind === 'listener' && !switchesPool(step),
  (step) => step.verb === 'delete' && step.kind === 'listener' && !step.anew,
  (step) => step.verb === 'create' && step.kind === 'pool',
  (step) => step.verb === 'update' && step.kind === 'pool',
  (step) => step.verb === 'members' || step.kind === 'member',
  (step) => step.kind === 'healthmonitor',
  (step) => step.verb === 'update' && step.kind === 'listener',
  (step) => step.kind === 'listener',
  (step) => step.verb !== 'delete' && step.kind === 'l7policy',
  (step) => step.verb === 'create' && step.kind === 'l7rule',
  (step) => step.verb === 'update',
  () => true,
];

/** Whether the floating IP goes from the load balancer. */
function detaches(step: Step): boolean {
  if (step.verb === 'delete') return true;
  return (
    step.verb === 'update' && step.changes.some(({ attribute, to }) => attribute === 'port_id' && to === null)
  );
}

function onlyLosesTags(step: Step): boolean {
  const isLess = (from: unknown, to: unknown): boolean =>
    Array.isArray(from) && Array.isArray(to) && to.length < from.length;
  return (
    step.verb === 'update' &&
    step.changes.every(({ attribute, from, to }) => attribute === 'tags' && isLess(from, to))
  );
}

/** Whether the listener gets another pool. It waits until that pool is complete. */
function switchesPool(step: UpdateStep): boolean {
  return step.changes.some(({ attribute }) => attribute === 'default_pool_id');
}

function inOrder(steps: readonly Step[]): readonly Step[] {
  const rank = (step: Step): number => ORDER.findIndex((matches) => matches(step));
  return steps
    .map((step, at) => ({ step, at }))
    .sort((a, b) => rank(a.step) - rank(b.step) || a.at - b.at)
    .map(({ step }) => step);
}
