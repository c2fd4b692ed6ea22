import type { Wished } from './desire.ts';
import { joiningProblems, ambiguityProblems, desireSharing } from './desired/desire-sharing.ts';
import { addressesOf } from '../model/node/node-set.ts';
import { withoutIdleRules } from './desired/desire-security-group.ts';
import { isOutsideOctavia } from '../model/load-balancer/octavia.ts';
import { publishedAddresses } from '../model/kubernetes.ts';
import type { Node } from '../model/kubernetes.ts';
import { isMadeForService } from '../model/load-balancer/other-controllers.ts';
import type { ClusterIdentity } from '../model/ownership.ts';
import type { Plan, Step } from '../model/plan.ts';
import { isAnother, REPLACEMENT } from '../model/plan.ts';
import type { ServiceKey } from '../model/request.ts';
import type { ObservedResource } from '../model/resources.ts';
import { madeForKey } from '../model/load-balancer/shared-load-balancer.ts';
import type { Unit } from '../model/unit.ts';
import { isFloatingIPMadeFor } from './observe/network/floating-ip.ts';
import { observeHeadroom } from './observe/quota.ts';
import { isLocked } from './observe/observed.ts';
import type { Observed } from './observe/observed.ts';
import {
  delegationProblems,
  quotaProblems,
  quotaShortages,
  secondControllerProblems,
  withoutTakenPlaces,
} from './plan/plan-problems.ts';
import { plan } from './plan/plan.ts';
import { gateChanges } from './plan/approval/gate-changes.ts';
import type { CloudReader, World } from '../ports.ts';

export type Depth = 'deep' | 'shallow';

/** The end of a look: what is between observed and desired, as far as it can be done now. */
export async function planUnit(
  unit: Unit,
  observed: Observed,
  { config, intent, approved, desired, another }: Wished,
  nodes: readonly Node[],
  world: CloudReader & Pick<World, 'config'>,
  cluster: ClusterIdentity,
  depth: Depth,
): Promise<Plan> {
  const { loadBalancer, sharing, replacement } = observed;
  const uid = unit.service?.metadata.uid ?? '';
  const locked = loadBalancer !== undefined && isLocked(loadBalancer);
  const floatingIP = observed.resources.find(({ kind }) => kind === 'floatingip')?.wire;
  const shared = desireSharing(desired.resources, { intent, cluster, loadBalancer, sharing, floatingIP });
  const free = withoutTakenPlaces(shared.resources, observed.resources, cluster);
  const rebuild = whyAnew(unit, observed);
  const planned = plan({
    unit: unit.key,
    services: [`${unit.name.namespace}/${unit.name.name}`],
    ...gateChanges({
      desired: withoutIdleRules(free.desired),
      observed: observed.resources,
      uid,
      approved,
      published: publishedAddresses(unit.service),
      nodes: addressesOf(nodes),
      keepMembers: desired.keepMembers,
      tags: world.config.adopt !== 'names-only',
    }),
    problems: [
      ...desired.problems,
      ...quotaProblems(desired.resources, observed.headroom),
      ...ambiguityProblems(observed.ambiguous),
      ...secondControllerProblems(unit.service),
      ...joiningProblems(observed.notJoined, intent),
      ...shared.problems,
      ...free.problems,
      ...(depth === 'deep' && !locked
        ? delegationProblems(desired.resources, observed.resources, config.openstack.credentials.type)
        : []),
    ],
    keepMembers: desired.keepMembers,
    keepSecurityGroup: desired.keepSecurityGroup,
    isOursToDelete: ({ kind, wire }: ObservedResource) =>
      kind === 'loadbalancer'
        ? isMadeForService(wire)
        : isFloatingIPMadeFor(wire, unit) ||
          isFloatingIPMadeFor(wire, { name: ownerOf(observed) ?? unit.name }),
    sharedWith: sharing?.others ?? [],
    ...(desired.draining ? { draining: desired.draining } : {}),
    missingTags: sharing?.missingTags ?? [],
    duplicates: observed.duplicates,
    uid,
    approved,
    ...(another ? { another } : {}),
    ...(replacement ? { replacement } : {}),
    ...(rebuild === undefined ? {} : { rebuild }),
  });
  const full =
    depth === 'deep' && planned.steps.some(isAnother)
      ? quotaShortages(desired.resources, await observeHeadroom(world))
      : [];
  // in ERROR every write on it is refused, and that refusal looks like one that passes
  const failed = unit.wanted && isFailed(observed) && rebuild === undefined;
  const isShared = sharing !== undefined && (sharing.role === 'joiner' || sharing.others.length > 0);
  const isPossible = (step: Step): boolean => {
    if (full.length > 0 && isAnother(step)) return false;
    if (locked && isShared && opens(step)) return false;
    return failed && !locked
      ? isOutsideOctavia(step.kind) || isOfWhole(step)
      : !isOutOfReach(step, locked, depth);
  };
  return { ...planned, steps: planned.steps.filter(isPossible), problems: [...planned.problems, ...full] };
}

/** Whose the ports of a shared load balancer are is not seen while it is locked: nothing is opened for one meanwhile. */
function opens({ kind, verb }: Step): boolean {
  return kind === 'securitygrouprule' && verb === 'create';
}

/** What is on a load balancer that was not looked into cannot be planned; one that is locked cannot be changed. */
function isOutOfReach(step: Step, locked: boolean, depth: Depth): boolean {
  if (locked) return !isOutsideOctavia(step.kind);
  return depth === 'shallow' && !isOutsideOctavia(step.kind) && step.kind !== 'loadbalancer';
}

/** What may be done about a load balancer in ERROR: another one, and then its end. */
function isOfWhole({ address, verb }: Step): boolean {
  return address === REPLACEMENT || (address === 'lb' && verb === 'delete');
}

/** In ERROR, and nobody has its address yet: nothing is lost by making it anew (decision 38). */
function whyAnew(unit: Unit, observed: Observed): string | undefined {
  const published = (unit.service?.status?.loadBalancer?.ingress ?? []).length > 0;
  const isAlone = observed.sharing?.role === 'owner' && observed.sharing.others.length === 0;
  const isOurs = observed.loadBalancer !== undefined && isMadeForService(observed.loadBalancer) && isAlone;
  return isFailed(observed) && isOurs && !published
    ? 'it is in ERROR and nobody has its address yet, so it is made anew'
    : undefined;
}

/** For whom the load balancer was made, when that is another Service: its floating IP was, too. */
function ownerOf({ loadBalancer, sharing }: Observed): ServiceKey | undefined {
  return loadBalancer && sharing?.role === 'joiner' ? madeForKey(loadBalancer) : undefined;
}

function isFailed(observed: Observed): boolean {
  return observed.loadBalancer?.['provisioning_status'] === 'ERROR';
}
