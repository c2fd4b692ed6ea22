import {
  type AwaitingApproval,
  type Plan,
  type Refusal,
  type Step,
  type UpdateStep,
  isBlocked,
} from '../../model/plan.ts';
import { nextPortKey, portKeyOfPort, type Address } from '../../model/address.ts';
import type { DesiredResource, ObservedResource, ResourceKind } from '../../model/resources.ts';
import { followNodes } from './follow-nodes.ts';
import { replacePools } from './replace-pools.ts';
import { isAllOurs, removeAll, removeWithAll, MADE_TWICE, whyLeaving } from './plan-leaving.ts';
import { planReplacement, switchedTo, type Replacement } from './plan-replacement.ts';
import { planChildren, type ChildrenInput, errorProblems, stuckProblems } from './plan-children.ts';
import { compare, giveBack, planOne, remove } from '../../plan/compare-and-plan.ts';
import { planSecurityGroup } from './plan-security-group.ts';
import { planToStore, planToTakeOut } from './plan-certificates.ts';
import { comesLater, createTree } from './create-tree.ts';
import { publishedAddresses } from '../../model/kubernetes.ts';
import { isOfAnotherMaker } from '../../model/load-balancer/whose.ts';
import { isLocked } from '../../model/load-balancer/octavia.ts';
import { goTags } from '../../model/load-balancer/makers-and-sharers.ts';
import { addressesOf } from '../../model/node/node-set.ts';
import { holdUntilApproved } from './held/hold-until-approved.ts';
import {
  delegationProblems,
  quotaProblems,
  secondControllerProblems,
  withoutTakenPorts,
  isOnUsersPort,
  withoutIdleRules,
  type ServicePlanInput,
} from './plan-input.ts';
import { whatCanBeDoneNow } from './what-can-be-done-now.ts';

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
 * that is replaced follows the Nodes until then. The plan leaves out ports that others have on the load balancer, changes that wait for
 * approval, and steps that cannot be done now.
 */
export function planService(given: ServicePlanInput): Plan {
  const { object, cluster, nodes, depth, config, headroom, repair, observed: seen, desired: asked } = given;
  const { loadBalancer, sharing, replacement, duplicates } = seen;
  const { keepMembers, keepSecurityGroup, approved, another, readOtherwise, internalByConfig } = asked;
  const uid = object.service?.metadata.uid ?? '';
  const free = withoutTakenPorts(asked.resources, seen.resources, cluster);
  const published = publishedAddresses(object.service);
  const isUnread = loadBalancer !== undefined && isLocked(loadBalancer);
  const canJudgeTls = depth === 'deep' && !isUnread;
  const held = {
    key: object.name,
    desired: withoutIdleRules(free.desired),
    observed: seen.resources,
    uid,
    approved,
    published,
    nodes: addressesOf(nodes),
    keepMembers,
    readOtherwise,
    internalByConfig,
    isUnread,
  };
  const mayWait = isUnread || internalByConfig === true || seen.resources.some(isOfAnotherMaker);
  const isUnwell = seen.resources.some(
    ({ kind, wire }) =>
      kind !== 'loadbalancer' && (isLocked(wire) || wire['provisioning_status'] === 'ERROR'),
  );
  const input = {
    object: object.key,
    leaves: object.wanted ? undefined : whyLeaving(object),
    ports: (object.service?.spec.ports ?? []).map(portKeyOfPort),
    ...(mayWait ? holdUntilApproved(held) : { ...held, awaitingApproval: [] }),
    problems: [
      ...asked.problems,
      ...(loadBalancer ? [] : quotaProblems(asked.resources, headroom)),
      ...secondControllerProblems(object.service),
      ...free.problems,
      ...(isUnwell
        ? [
            ...errorProblems(seen.resources, free.desired, seen.writtenInError),
            ...stuckProblems(seen.resources, seen.horizon.anHourAgo),
          ]
        : []),
      ...(canJudgeTls
        ? delegationProblems(asked.resources, seen.resources, config.openstack.credentials.type)
        : []),
    ],
    keepMembers,
    staysOnPort: seen.resources.some((one) => isOnUsersPort(one, object)),
    sharedWith: sharing?.others ?? [],
    missingTags: sharing?.missingTags ?? [],
    goTags: goTags(cluster.name, object.name),
    writtenInError: seen.writtenInError,
    uid,
    approved,
    published,
    repair,
    another,
    replacement,
    isForNobody:
      sharing?.decides === true && (object.service?.status?.loadBalancer?.ingress ?? []).length === 0,
  };
  const { desired, observed } = input;
  const there = byAddress(observed);
  const wanted = byAddress(desired);
  const foreign = observed
    .filter(
      ({ whose, kind, address }) =>
        whose === 'foreign' && kind !== 'loadbalancer' && !(kind === 'floatingip' && wanted.has(address)),
    )
    .map(({ address }) => address);
  const keeps = keepMembers && observed.some(({ kind }) => kind === 'member');
  const { sharedWith } = input;
  const awaitingApproval: AwaitingApproval[] = [...input.awaitingApproval];
  const blocked = isBlocked(input);
  const hasPools = observed.some(({ kind }) => kind === 'pool');
  const inNextPool = blocked
    ? followNodes(desired, observed)
    : hasPools
      ? replacePools(desired, there, keepMembers)
      : desired;
  const stays = byAddress(inNextPool);
  const base = {
    object: object.key,
    services: [`${object.name.namespace}/${object.name.name}`],
    awaitingApproval,
    problems: input.problems,
    foreign,
    ...(keeps ? { keepsMembers: true as const } : {}),
    ...(sharedWith.length > 0 ? { sharedWith } : {}),
  };
  const known = { ...input, there };
  if (blocked) {
    const steps = planMembersAlone(inNextPool, known);
    const isKept = keepSecurityGroup || !there.has('securitygroup');
    const ports = isKept
      ? []
      : planSecurityGroup({ ...input, there, wanted, switching: false }, [], awaitingApproval);
    const alone = [...steps, ...ports.filter(({ kind }) => kind === 'port')];
    return whatCanBeDoneNow({ ...base, steps: alone, refused: [] }, given);
  }
  const lb = there.get('lb');
  const wantedLb = wanted.get('lb');
  const steps: Step[] = duplicates.map(({ id }) => removeWithAll(`lb/duplicate/${id}`, id, MADE_TWICE));
  const refused: Refusal[] = [];

  const switching = inNextPool.some(({ address }) => !wanted.has(address));
  const unmade = lb && wantedLb && compare(wantedLb, lb, there).get('refuse');
  const replaced: Replacement =
    (replacement ?? repair ?? unmade)
      ? planReplacement(wantedLb, lb, there, { ...input, unmade })
      : { steps: [], refused: [] };
  const { rebuild, switchesTo } = replaced;
  if (!lb && wantedLb) {
    steps.push(createTree(wantedLb, desired));
    const later = comesLater(desired);
    const onNew = { ...known, desired: later, observed: [], wanted: byAddress(later) };
    planChildren(onNew, steps, refused);
  } else if (lb && !wantedLb) steps.push(...removeAll(lb, input));
  else if (lb && rebuild !== undefined) {
    if (isAllOurs(observed)) steps.push(removeWithAll(lb.address, lb.id, rebuild));
  } else if (lb && wantedLb && switchesTo === undefined) {
    planOne(wantedLb, there, steps, []);
    refused.push(...replaced.refused);
    planChildren({ ...known, desired: inNextPool, wanted: stays }, steps, refused);
    const isLeft = (address = ''): boolean =>
      !stays.has(address) && inNextPool.some((one) => one.address.startsWith(nextPortKey(address)));
    const old = switching ? followNodes(desired, observed) : [];
    const left = old.filter((one) => isLeft(one.address) || isLeft(one.parent));
    steps.push(...planMembersAlone(left, known));
  }
  const floating = there.get('floatingip');
  const { staysOnPort } = input;
  const wantedFloating = staysOnPort ? undefined : wanted.get('floatingip');
  if (wantedFloating && rebuild === undefined)
    planOne(switchesTo ? switchedTo(switchesTo, wantedFloating) : wantedFloating, there, steps, refused);
  else if (floating && floating.whose !== 'foreign' && !wantedFloating) {
    steps.push(giveBack(floating, input.leaves ?? NO_FLOATING_IP, staysOnPort));
  }
  const because =
    input.leaves ?? (floating ? 'the Service has another one on its load balancer' : NO_FLOATING_IP);
  steps.push(...observed.filter(isLeftover).map((leftover) => remove(leftover, because)));
  const group = { ...input, there, wanted, switching };
  const kinds = new Set([...desired, ...observed].map(({ kind }) => kind));
  const hasGroup = !keepSecurityGroup && GROUP_KINDS.some((kind) => kinds.has(kind));
  const outsideOctavia = hasGroup ? planSecurityGroup(group, refused, awaitingApproval) : [];
  const hasCertificates = kinds.has('secret');
  const stored = {
    ...group,
    unknown: duplicates.length > 0 || replacement !== undefined,
  };
  const ordered = [
    ...(hasCertificates ? planToStore(stored) : []),
    ...inOrder(steps),
    ...replaced.steps,
    ...outsideOctavia,
    ...(hasCertificates ? planToTakeOut(stored) : []),
  ];
  return whatCanBeDoneNow({ ...base, steps: ordered, refused }, given);
}

const GROUP_KINDS: readonly ResourceKind[] = ['securitygroup', 'securitygrouprule', 'port'];

const NO_FLOATING_IP = 'the Service is to have no floating IP';

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

function isLeftover({ kind, address, whose }: ObservedResource): boolean {
  return kind === 'floatingip' && address !== 'floatingip' && whose !== 'foreign';
}

/**
 * The order of the steps, since Octavia takes one write on a load balancer at a time. A floating IP goes before anything
 * is opened to those who are inside, and before its load balancer, which says for whom it was made. It loses the tags of an
 * owner before the load balancer does, by whose tags they are found. Steps for the load balancer itself, such as its tags, come next. Then come steps that close (source ranges) and free ports, steps that create,
 * and steps that delete what is no longer used. The listener comes last of its port, when its pool is complete. A
 * listener that must be created again is deleted just before that. A pool and a policy come before what is below them,
 * which Octavia refuses to write while they are in ERROR. Floating IPs belong to Neutron and wait only for the
 * VIP port.
 */
const ORDER: readonly ((step: Step) => boolean)[] = [
  (step) => step.address === 'floatingip' && detaches(step),
  (step) => step.verb === 'delete' && step.kind === 'loadbalancer',
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
