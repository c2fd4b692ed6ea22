import { hashOf } from './desired/hash.ts';
import { offerQuestion } from './desired/offers.ts';
import { observeOffers } from './observe/offers.ts';
import { desireUnit } from './desired/unit.ts';
import type { Desired, DesireInput } from './desired/unit.ts';
import { joiningProblems, joinWish } from './desired/joining.ts';
import { memberAddresses } from './desired/security-group.ts';
import { servedSecrets } from './desired/served-secrets.ts';
import { desireSharing } from './desired/sharing.ts';
import { certificateQuestionOf, networkQuestion, readWishes } from './desired/wishes.ts';
import type { Wishes } from './desired/wishes.ts';
import { publishedAddresses } from './model/kubernetes.ts';
import type { Node } from './model/kubernetes.ts';
import { isMadeForService } from './model/name-schemes.ts';
import type { Subnet } from './model/network.ts';
import type { ClusterIdentity } from './model/ownership.ts';
import type { Plan, Step } from './model/plan.ts';
import { isBeside } from './model/beside.ts';
import { isAnother, REPLACEMENT } from './model/replacement.ts';
import type { ServiceKey } from './model/request.ts';
import type { Offers } from './model/offers.ts';
import type { ObservedResource } from './model/resources.ts';
import { madeForKey } from './model/sharing.ts';
import type { Unit } from './model/unit.ts';
import { isMadeByUs } from './observe/floating-ip.ts';
import { horizonAt, observeCertificates } from './observe/certificates.ts';
import { observeAsIfAnew } from './observe/as-if-anew.ts';
import { observeHeadroom } from './observe/quota.ts';
import { isPending, observeTop, observeUnit } from './observe/unit.ts';
import type { Observed } from './observe/unit.ts';
import type { Project } from './observe/project.ts';
import { delegationProblems } from './plan/delegation.ts';
import { plan } from './plan/plan.ts';
import { quotaProblems, quotaShortages } from './plan/quota.ts';
import { secondControllerProblems } from './plan/second-controller.ts';
import { withoutTakenPlaces } from './plan/taken-places.ts';
import { withhold } from './plan/withhold/withhold.ts';
import type { World } from './ports.ts';
import { addressesOf, ambiguityProblems, asMaker } from './desired/maker.ts';

/** Observe, desire and plan: everything before the first write. */
export interface Look {
  readonly unit: Unit;
  readonly cluster: ClusterIdentity;
  readonly wishes?: Wishes;
  readonly observed: Observed;
  readonly desired: Desired;
  readonly plan: Plan;
  /** Octavia is at work on the load balancer: only what is beside it could be seen. */
  readonly pending: boolean;
  /** The load balancer that is to take its place, while Octavia makes it. */
  readonly replacing?: string;
  /** Hash of what is desired, for the watermark. */
  readonly hash: string;
}

/** The whole truth about one unit. `shallow` leaves out what is on the load balancer, for the sweep's first look. */
export async function lookAt(
  unit: Unit,
  nodes: readonly Node[],
  world: Pick<World, 'cloud' | 'clock' | 'config'> & { readonly project?: Project },
  cluster: ClusterIdentity,
  depth: 'deep' | 'shallow' = 'deep',
): Promise<Look> {
  const asked = unit.service && unit.wanted ? readWishes(unit.service, world.config) : undefined;
  const network = asked && networkQuestion(asked, unit.endpoints);
  const join = asked && joinWish(asked, world.config);
  const managed = world.config.loadBalancer.manageSecurityGroups;
  const securityGroup = {
    managed,
    addresses: (subnet: Subnet | undefined) =>
      asked && managed ? memberAddresses(nodes, subnet, asked, unit.endpoints) : [],
  };
  const observe = depth === 'deep' ? observeUnit : observeTop;
  const observed = await observe({ unit, nodes, cluster, network, securityGroup, join }, world);
  const { config, wishes } = asMaker(unit.service, observed.loadBalancer, world.config);
  const horizon = horizonAt(world.clock);
  const isMade = observed.loadBalancer !== undefined;
  const ability = { ...observed.octavia, provider: config.loadBalancer.lbProvider };
  const approved = wishes ? [...(wishes.annotated.Service.approved ?? [])].sort() : [];
  const offered = async (made: boolean): Promise<Offers> => ({
    ...(await observeOffers(offerQuestion(wishes, ability, made), world)),
    isMade: made,
  });
  const wish: DesireInput = {
    wishes,
    wanted: unit.wanted,
    joins: observed.sharing?.role === 'joiner',
    nodes,
    facts: observed.facts,
    octavia: observed.octavia,
    offers: await offered(isMade),
    secrets: servedSecrets(unit.tlsSecrets ?? new Map(), observed.resources, horizon.now),
    horizon,
    certificates: await observeCertificates(certificateQuestionOf(wishes, config), world),
    ...(unit.localNodes ? { localNodes: unit.localNodes } : {}),
    ...(unit.endpoints ? { endpoints: unit.endpoints } : {}),
    cluster,
  };
  const desired = desireUnit(wish, config);
  const another =
    network && observed.loadBalancer && approved.length > 0
      ? desireUnit(
          {
            ...wish,
            facts: await observeAsIfAnew(network, observed.loadBalancer, nodes, world),
            offers: await offered(false),
          },
          config,
        )
      : undefined;
  const pending = observed.loadBalancer !== undefined && isPending(observed.loadBalancer);
  const anew = rebuild(unit, observed);
  const { loadBalancer, sharing } = observed;
  const floatingIP = observed.resources.find(({ kind }) => kind === 'floatingip')?.wire;
  const shared = desireSharing(desired.resources, { wishes, cluster, loadBalancer, sharing, floatingIP });
  const free = withoutTakenPlaces(shared.resources, observed.resources, cluster);
  const planned = plan({
    unit: unit.key,
    services: [`${unit.name.namespace}/${unit.name.name}`],
    ...withhold({
      desired: free.desired,
      observed: observed.resources,
      uid: unit.service?.metadata.uid ?? '',
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
      ...joiningProblems(observed.notJoined, wishes),
      ...shared.problems,
      ...free.problems,
      ...(depth === 'deep' && !pending
        ? delegationProblems(desired.resources, observed.resources, config.openstack.credentials.type)
        : []),
    ],
    keepMembers: desired.keepMembers,
    keepSecurityGroup: desired.keepSecurityGroup,
    isMadeByUs: ({ kind, wire }: ObservedResource) =>
      kind === 'loadbalancer'
        ? isMadeForService(wire)
        : isMadeByUs(wire, unit) || isMadeByUs(wire, { name: ownerOf(observed) ?? unit.name }),
    sharedWith: sharing?.others ?? [],
    untold: sharing?.untold ?? [],
    duplicates: observed.duplicates,
    uid: unit.service?.metadata.uid ?? '',
    approved,
    ...(another ? { another } : {}),
    ...(observed.replacement ? { replacement: observed.replacement } : {}),
    ...anew,
  });
  // in ERROR every write on it is refused, and that refusal looks like one that passes
  const failed = unit.wanted && isFailed(observed) && anew.rebuild === undefined;
  const full =
    depth === 'deep' && planned.steps.some(isAnother)
      ? quotaShortages(desired.resources, await observeHeadroom(world.cloud, world.clock))
      : [];
  const isPossible = (step: Step): boolean => {
    if (full.length > 0 && isAnother(step)) return false;
    return failed && !pending ? isBeside(step.kind) || isOfWhole(step) : !isOutOfReach(step, pending, depth);
  };
  const { replacement } = observed;
  return {
    unit,
    cluster,
    ...(wishes ? { wishes } : {}),
    observed,
    desired,
    plan: { ...planned, steps: planned.steps.filter(isPossible), problems: [...planned.problems, ...full] },
    pending,
    ...(replacement && isPending(replacement) ? { replacing: replacement.id } : {}),
    hash: hashOf(desired, approved, wishes?.annotated.Service.loadBalancerName),
  };
}

/** What is on a load balancer that was not looked into cannot be planned; one that is locked cannot be changed. */
function isOutOfReach(step: Step, pending: boolean, depth: 'deep' | 'shallow'): boolean {
  if (pending) return !isBeside(step.kind);
  return depth === 'shallow' && !isBeside(step.kind) && step.kind !== 'loadbalancer';
}

/** What may be done about a load balancer in ERROR: another one, and then its end. */
function isOfWhole({ address, verb }: Step): boolean {
  return address === REPLACEMENT || (address === 'lb' && verb === 'delete');
}

/** In ERROR, and nobody has its address yet: nothing is lost by making it anew (decision 38). */
function rebuild(unit: Unit, observed: Observed): { readonly rebuild?: string } {
  const published = (unit.service?.status?.loadBalancer?.ingress ?? []).length > 0;
  const isAlone = observed.sharing?.role === 'owner' && observed.sharing.others.length === 0;
  const isOurs = observed.loadBalancer !== undefined && isMadeForService(observed.loadBalancer) && isAlone;
  return isFailed(observed) && isOurs && !published
    ? { rebuild: 'it is in ERROR and nobody has its address yet, so it is made anew' }
    : {};
}

/** For whom the load balancer was made, when that is another Service: its floating IP was, too. */
function ownerOf({ loadBalancer, sharing }: Observed): ServiceKey | undefined {
  return loadBalancer && sharing?.role === 'joiner' ? madeForKey(loadBalancer) : undefined;
}

function isFailed(observed: Observed): boolean {
  return observed.loadBalancer?.['provisioning_status'] === 'ERROR';
}
