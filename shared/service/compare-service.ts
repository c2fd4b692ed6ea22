import type { PlannedDeletion } from '../apply/reserve-deletion.ts';
import type { Config } from '../config/config.ts';
import { listNodesLately, attempt } from '../observe/reads.ts';
import { isError, type ReconcileError } from '../model/errors.ts';
import type { Node, Service } from '../model/kubernetes.ts';
import { isLocked } from '../model/load-balancer/octavia.ts';
import { tagValue, tagValues, type ClusterIdentity } from '../model/ownership.ts';
import { isBlocked, type Plan } from '../model/plan.ts';
import type { WireResource } from '../model/resources.ts';
import type { Depth, ServiceObject, ServiceState } from '../model/service-object.ts';
import type { World } from '../ports.ts';
import { desire, type DesiredService } from './desired/desire.ts';
import { hashOf, type Desired } from './desired/desire-service.ts';
import { NODE_SELECTOR_ANNOTATION } from './intent/annotations.ts';
import {
  readAsOtherController,
  type Reading,
  type ServiceIntent,
  joinIntent,
} from './intent/service-intent.ts';
import { findLoadBalancer } from './observe/load-balancer/find-load-balancer.ts';
import { parseNodeSelector } from '../model/node/node-set.ts';
import { namedAddresses, type HasAddress } from '../model/node/judged-nodes.ts';
import { isAsWritten, lastWritten } from './as-written.ts';
import { observeNodes } from './observe/node-ports.ts';
import { observeService } from './observe/observe-service.ts';
import type { FoundLoadBalancers, ObservedService } from '../model/load-balancer/observed-service.ts';
import type { Source } from './observe/questions.ts';
import { observeHeadroom } from './observe/project.ts';
import { planService } from './plan/plan.ts';
import { createsLoadBalancer, type ServicePlanInput } from './plan/plan-input.ts';
import { questionOf, type Asking } from './question.ts';
import { readRepair, type Repairing } from './repair.ts';
import { isOurs } from './service-object.ts';

export interface Comparison {
  readonly object: ServiceObject;
  readonly cluster: ClusterIdentity;
  readonly nodes: readonly Node[];
  readonly isOfNode: HasAddress;
  readonly intent?: ServiceIntent;
  readonly observed: ObservedService;
  readonly desired: Desired;
  readonly plan: Plan;
  readonly planned: ServicePlanInput;
  /** The state that is stored for the object; absent if there is none, or nobody asked. */
  readonly state?: ServiceState;
  /** Octavia is at work on the load balancer, so this run did not read what is on it. */
  readonly locked: boolean;
  /** Id of the load balancer that is to replace this one; absent unless Octavia is at work on the new one. */
  readonly replacing?: string;
  /** Present if the Service has vanished, and its deletion needs room in the deletion budget. */
  readonly leaving?: PlannedDeletion;
  /** Present if the load balancer is in ERROR and wanted. */
  readonly repairing?: Repairing;
  /** Present if the finalizer cannot be set on a Service whose load balancer is there. */
  readonly unheld?: ReconcileError;
  readonly hash: string;
}

/** Writes nothing. The depth `shallow`, for sweeps and after a run that wrote its whole plan, leaves out what is on the load balancer. */
export async function compareService(
  asRead: ServiceObject,
  nodes: readonly Node[],
  world: Source & Pick<World, 'config'>,
  cluster: ClusterIdentity,
  depth: Depth = 'deep',
): Promise<Comparison> {
  const { config } = world;
  const { service, wanted } = asRead;

  // Another controller may have made the load balancer, and it read annotations in its own way: so find the load balancer first.
  const join = service && wanted ? joinIntent(service, config) : undefined;
  const found = await findLoadBalancer({ object: asRead, cluster, join }, world);

  const object = withoutReleaseOfNamesake(asRead, found.loadBalancer, config);

  // A kubelet says which addresses its Node has, and Neutron whose they are.
  const judged = world.judged ?? (await observeNodes(nodes, found.loadBalancer !== undefined, world));
  const isOfNode = namedAddresses(judged);
  const selector = service && (await lastSelector(service, world.kube));
  const given = {
    found,
    nodes,
    reading: readAsOtherController(service, found.loadBalancer, config, selector),
  };
  const about = { object, cluster, nodes: judged.nodes, judged, isOfNode, config };

  const written = depth === 'deep' ? lastWritten(object, found, world) : undefined;
  if (written && found.loadBalancer) {
    const shallow = await compareFound(given, { ...about, depth: 'shallow', written }, world);
    world.memory.loadBalancers.noteWritten(found.loadBalancer.id, undefined);
    if (isAsWritten(shallow, written)) return shallow;
  }
  return compareFound(given, { ...about, depth, written: undefined }, world);
}

interface Given {
  readonly found: FoundLoadBalancers;
  readonly reading: Reading;
  readonly nodes: readonly Node[];
}

async function compareFound(
  { found, reading, nodes }: Given,
  about: Asking,
  world: Source & Pick<World, 'config'>,
): Promise<Comparison> {
  const { object, cluster, isOfNode, depth } = about;
  const { seen: observed, desired } = await observeAndDesire(reading, about, found, world);

  // the record of repairs is read for a load balancer in ERROR, and the quota, a list of each limited kind, before one is made
  const isFailed = depth === 'deep' && observed.loadBalancer?.['provisioning_status'] === 'ERROR';
  const repairing = isFailed ? await readRepair(object, cluster, world) : undefined;
  const first = { ...about, observed, desired: desired.here, repair: repairing?.facts };
  const sketch = planService(first);
  const isMade = createsLoadBalancer(sketch, first);
  const planned = isMade ? { ...first, headroom: await observeHeadroom(world) } : first;
  const plan = isMade ? planService(planned) : sketch;

  const { intent, approved } = reading;
  const { loadBalancer, replacement } = observed;
  return {
    object,
    cluster,
    nodes,
    isOfNode,
    ...(intent ? { intent } : {}),
    observed,
    desired: desired.own,
    plan,
    planned,
    locked: loadBalancer !== undefined && isLocked(loadBalancer),
    ...(replacement && isLocked(replacement) ? { replacing: replacement.id } : {}),
    ...(repairing ? { repairing } : {}),
    hash: hashOf(desired.own, approved, intent?.annotated.Service.loadBalancerName),
  };
}

interface ObservedAndDesired {
  readonly seen: ObservedService;
  readonly desired: DesiredService;
}

/** What is observed, and what is desired; by a second reading where a blocked Service asks for a subnet that none of its members is in. */
async function observeAndDesire(
  reading: Reading,
  about: Asking,
  found: FoundLoadBalancers,
  world: Source & Pick<World, 'config'>,
): Promise<ObservedAndDesired> {
  const once = async (read: Reading): Promise<ObservedAndDesired> => {
    const seen = await observeService(questionOf(about, found.loadBalancer, read), found, world);
    return { seen, desired: desire({ ...about, observed: seen, reading: read }) };
  };
  const first = await once(reading);
  const { here, own } = first.desired;
  const intent = reading.intent && isBlocked(here) && whereMembersAre(reading.intent, first.seen);
  if (!intent) return first;
  const { seen, desired } = await once({ ...reading, intent });
  return { seen, desired: { own, here: { ...desired.here, problems: here.problems } } };
}

/** The intent with the subnet of the present members: the network of a blocked Service may be wrong, and members that join must be reached. */
function whereMembersAre(
  intent: ServiceIntent,
  { resources, facts }: ObservedService,
): ServiceIntent | undefined {
  const known = [facts.memberSubnet?.id, facts.secondMemberSubnet?.id];
  const members = resources.filter(({ kind, whose }) => kind === 'member' && whose !== 'foreign');
  const ids = members.map(({ wire }) => wire['subnet_id']).filter((id) => typeof id === 'string');
  const [most] = [...Map.groupBy(ids, (id) => id).values()].sort((a, b) => b.length - a.length);
  if (most?.[0] === undefined || ids.some((id) => known.includes(id))) return undefined;
  const { annotated } = intent;
  const [memberSubnetId] = most;
  return { ...intent, annotated: { ...annotated, Service: { ...annotated.Service, memberSubnetId } } };
}

/** The object without its being released, if the load balancer is an earlier namesake's: that Service has vanished (decision 151). */
function withoutReleaseOfNamesake(
  object: ServiceObject,
  lb: WireResource | undefined,
  config: Config,
): ServiceObject {
  const { service, released, ...others } = object;
  if (!service || !released || !lb || isOurs(service, config)) return object;
  const uid = tagValue(lb['tags'], 'service');
  const isOfNamesake = uid !== undefined && uid !== service.metadata.uid;
  return isOfNamesake && tagValues(lb['tags'], 'name').length === 1 ? { ...others, service } : object;
}

export function nodesOf({ wanted }: ServiceObject, world: World): Promise<readonly Node[]> {
  return wanted ? listNodesLately(world) : Promise.resolve([]);
}

async function lastSelector({ metadata }: Service, kube: Source['kube']): Promise<string | undefined> {
  const { [NODE_SELECTOR_ANNOTATION]: text } = metadata.annotations ?? {};
  if (text === undefined || parseNodeSelector(text)) return undefined;
  const state = await attempt(kube.state.find(metadata.uid));
  return isError(state) ? undefined : state?.nodeSelector;
}
