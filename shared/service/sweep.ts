/** Queues the Services that are not as desired. A few lists of the project judge most; the others are read when their keys run. */
import { nodeSet } from '../model/node/node-set.ts';
import { familiesOf } from './intent/service-intent.ts';
import {
  comparedState,
  isComparedInFull,
  isUnread,
  keepCompared,
  prune,
  triedAgainMs,
} from './settled-record.ts';
import { compareService } from './compare-service.ts';
import { nothingApplied } from './finish.ts';
import { bulkChildren, type BulkChildren } from './observe/children.ts';
import { namedId, type ClusterIdentity } from '../model/ownership.ts';
import type { CertificateInUse } from '../model/tls/certificate-facts.ts';
import type { Node, Service } from '../model/kubernetes.ts';
import type { JudgedNodes } from '../model/node/judged-nodes.ts';
import type { WireResource } from '../model/resources.ts';
import { keyOf, serviceKey, type Key, type SweepScope } from '../model/request.ts';
import { createsReplacement } from '../model/plan.ts';
import { NOTHING_FOUND, type Found } from '../model/outcome.ts';
import { RELEASED_REASON, TAKEN_OVER_REASON, type ServiceState } from '../model/service-object.ts';
import { readyCondition, rfc3339, tellsTrouble } from '../report/condition.ts';
import { judgeBy, listNodePorts } from './observe/node-ports.ts';
import { foundIn, observeProject, statesOf, type Listed, type Project } from './observe/project.ts';
import { judgeInTime, leftInWords, notComparedInWords, type NotCompared } from './judge-in-time.ts';
import {
  isNotTold,
  releasedInWords,
  hasFinalizer,
  isOurs,
  objectOf,
  wantsLoadBalancer,
  whyReleased,
} from './service-object.ts';
import { judgeOrphans } from './vanished.ts';
import { recordProject, requireProject } from './project.ts';
import { errorText, isError, ReconcileError } from '../model/errors.ts';
import { valueWithin } from '../deadline.ts';
import { attempt } from '../observe/reads.ts';
import type { World } from '../ports.ts';
import { isShared } from '../model/load-balancer/observed-service.ts';
import { addressesToPublish, ingressOf, sameIngress, summarize } from './report/published-status.ts';
import { outcomeOfService } from './report/service-outcome.ts';

/** If something cannot be read, Services that do not need it are judged. The runs of the others report what is missing. */
export async function findServices(
  nodesListed: () => Promise<readonly Node[]>,
  world: World,
  { namespace, readOnly, deep, everyService }: SweepScope,
): Promise<Found> {
  const { kube, cloud, config } = world;
  const prunes = namespace === undefined && !readOnly;
  const services = await kube.listServices(namespace);
  const wanted = services.filter((service) => wantsLoadBalancer(service, config));
  const others = services.filter((service) => !wantsLoadBalancer(service, config) && isOurs(service, config));
  const [released = [], leaving = []] = [true, false].map((is) =>
    others.filter((service) => (whyReleased(service, config) !== undefined) === is),
  );
  // most events about EndpointSlices and Secrets are of namespaces without a load balancer, and end here
  if (namespace !== undefined && wanted.length + others.length === 0) return NOTHING_FOUND;
  for (const { metadata } of [...wanted, ...others])
    world.memory.holders.set(serviceKey(metadata.namespace, metadata.name), true);
  const elsewhere = await attempt(requireProject(world));
  // without an answer the runs of the Services find out
  if (isError(elsewhere) && elsewhere.code === 'CONFIG_INVALID') throw elsewhere;
  const cluster = { id: await kube.clusterId(), name: config.clusterName };
  const managed = config.loadBalancer.manageSecurityGroups;
  // a burst of EndpointSlices is a sweep of each namespace, and says nothing of ports
  const isWhole = namespace === undefined;
  const ports = async (): Promise<readonly WireResource[]> =>
    wanted.length === 0
      ? []
      : listNodePorts(await nodesListed(), managed, isWhole || managed ? 'now' : 'lately', world);
  const readAt = world.clock.now();
  if (isWhole && world.cluster !== undefined) world.memory.loadBalancers.forgetOld(readAt);
  const [nodes, project, states] = await Promise.all([
    attempt(nodesListed()),
    observeProject(cluster, cloud, ports),
    attempt(kube.state.load()),
  ]);
  // without a record the runs make one, too
  if (!readOnly && foundIn(project.loadBalancers).length > 0) await attempt(recordProject(world));
  const certificates = new Map<Key, readonly CertificateInUse[]>();
  const judged =
    nodes instanceof ReconcileError
      ? nodes
      : judgeBy(wanted.length === 0 ? [] : nodes, project.nodePorts, world);
  const children = bulkChildren(cloud);
  const compared = new Map<string, ServiceState | undefined>();
  const view: View = {
    world,
    cluster,
    nodes,
    judged,
    project,
    services: new Map(services.map((one) => [`${one.metadata.namespace}/${one.metadata.name}`, one])),
    readAt,
    byId: new Map(foundIn(project.loadBalancers).map((lb) => [lb.id, lb])),
    states,
    certificates,
    children,
    compared,
    deep,
  };
  const unsettled: Service[] = [];
  const refused: string[] = [];
  const notCompared: NotCompared[] = [];
  let [settled, awaitingApproval] = [0, 0];
  const verdictIn = (service: Service): ReturnType<typeof verdictOn> => verdictOn(service, view);
  const { judged: all, left } = await judgeInTime(wanted, verdictIn, isWhole, world);
  // what needs no look does not wait for the next sweep
  unsettled.push(...left.filter((service) => !hasFinalizer(service)));
  for (const { service, verdict } of all) {
    if (verdict === 'unsettled') unsettled.push(service);
    else if (verdict === 'settled') {
      settled += 1;
      awaitingApproval += stateOf(service, view)?.awaitingApproval ?? 0;
    } else if ('refused' in verdict) refused.push(verdict.refused);
    else notCompared.push({ service, reason: verdict.reason });
  }
  const orphans =
    namespace === undefined
      ? await judgeOrphans(services, { project, cluster, readOnly: readOnly === true }, world)
      : { keys: [], warnings: [] };
  if (!readOnly) await keepCompared(compared, states, world);
  const notPruned = prunes ? await prune(services, { world, project, states }) : undefined;
  const lists: readonly Listed[] = Object.values(project);
  const missing = [nodes, states, ...lists].filter(isError);
  const troubles = [
    ...new Set(
      missing.map(({ message }) => `the sweep goes on without a list that cannot be read: ${message}`),
    ),
    ...notComparedInWords(notCompared),
    ...leftInWords(left, wanted.length),
    ...(notPruned === undefined ? [] : [`the sweep could not remove what Services have left: ${notPruned}`]),
  ];
  const keys = [
    ...[
      ...(everyService ? wanted : []),
      ...unsettled,
      ...notCompared.map(({ service }) => service),
      ...leaving,
      ...released.filter((one) => isNotTold(one, config)),
    ]
      .map(keyOf)
      .map((key) => serviceKey(key.namespace, key.name)),
    ...orphans.keys,
  ];
  return {
    keys: [...new Set(keys)],
    warnings: [...troubles, ...releasedInWords(released, config), ...orphans.warnings, ...refused],
    incomplete: troubles.length > 0,
    figures: {
      services: wanted.length,
      released: released.length,
      comparedInFull: compared.size,
      settled,
      awaitingApproval,
      ...statesOf(project.loadBalancers),
      changed: [...wanted.filter((service) => !hasFinalizer(service)), ...leaving].map(({ metadata }) =>
        serviceKey(metadata.namespace, metadata.name),
      ),
      nodesWithoutAddress: nodes instanceof ReconcileError ? [] : withoutAddress(nodes, wanted),
      certificates,
    },
  };
}

/** Nodes without an address of the first family of any Service. An IPv6-only cluster waits for no IPv4 address. */
function withoutAddress(nodes: readonly Node[], wanted: readonly Service[]): readonly string[] {
  const families = new Set(wanted.map((service) => familiesOf(service)[0] ?? 4));
  return [...new Set([...families].flatMap((family) => nodeSet(nodes, undefined, family).withoutAddress))];
}

interface View {
  readonly world: World;
  readonly cluster: ClusterIdentity;
  readonly nodes: readonly Node[] | ReconcileError;
  readonly judged: JudgedNodes | ReconcileError;
  readonly project: Project;
  /** By `NAMESPACE/NAME`. */
  readonly services: ReadonlyMap<string, Service>;
  /** When the sweep began to read, in milliseconds: what it knows is of no later time. */
  readonly readAt: number;
  readonly byId: ReadonlyMap<string, WireResource>;
  readonly states: ReadonlyMap<string, ServiceState> | ReconcileError;
  readonly children: BulkChildren;
  readonly deep: true | undefined;
  /** By UID: the Services that were compared in full, with the state to keep of those that are as desired. Filled while they are judged. */
  readonly compared: Map<string, ServiceState | undefined>;
  readonly certificates: Map<Key, readonly CertificateInUse[]>;
}

type Verdict = 'settled' | 'unsettled' | { readonly refused: string };

/** The longest time for which one Service holds up the sweep, in milliseconds. */
const PATIENCE_MS = 5_000;

async function verdictOn(service: Service, view: View): Promise<Verdict | Pick<NotCompared, 'reason'>> {
  try {
    const lb = view.byId.get(namedId(service) ?? '');
    if (!hasFinalizer(service)) return 'unsettled';
    const isInFull = isComparedInFull(service, stateOf(service, view), lb, view);
    // all Services wait for these lists, so they are no fault of this one
    if (isInFull && lb) await view.children.listed();
    const verdict = await valueWithin(PATIENCE_MS, judge(service, isInFull, view));
    return verdict ?? { reason: `no answer within ${PATIENCE_MS / 1000} s` };
  } catch (error) {
    return { reason: errorText(error) };
  }
}

function stateOf({ metadata }: Service, { states }: View): ServiceState | undefined {
  if (states instanceof ReconcileError) throw states;
  return states.get(metadata.uid);
}

/** Settled: nothing can have changed since a run found it as desired, and its status has the right addresses and tells of no trouble. */
async function judge(service: Service, isInFull: boolean, view: View): Promise<Verdict> {
  const { world, cluster, nodes, judged, project } = view;
  const state = stateOf(service, view);
  const { uid } = service.metadata;
  if (nodes instanceof ReconcileError) throw nodes;
  if (judged instanceof ReconcileError) throw judged;
  const name = keyOf(service);
  const object = {
    ...objectOf(serviceKey(name.namespace, name.name), name, service, world.config),
    withLeftovers: true as const,
  };
  const source = {
    ...world,
    project,
    judged,
    services: view.services,
    ...(isInFull ? { children: view.children, readAt: view.readAt } : {}),
  };
  const comparison = await compareService(object, nodes, source, cluster, isInFull ? 'deep' : 'shallow');
  if (isInFull) view.compared.set(uid, undefined);
  view.certificates.set(object.key, comparison.desired.certificates);
  const lb = comparison.observed.loadBalancer;
  const { steps } = comparison.plan;
  // the key may come back by itself before the sweep's request, and must not trust what it wrote
  if (isInFull && lb && steps.length > 0) world.memory.loadBalancers.relyOnNothing([lb.id]);
  if (state && state.hash !== comparison.hash) return 'unsettled';
  if (state?.rejected !== undefined && (!lb || (steps.length > 0 && steps.every(createsReplacement)))) {
    const againMs = triedAgainMs(state);
    if (world.clock.now() >= againMs) return 'unsettled';
    return {
      refused: `${name.namespace}/${name.name} is tried again when it changes, and after ${rfc3339(againMs)}: ${state.rejected}`,
    };
  }
  if (!lb || steps.length > 0 || lb['provisioning_status'] !== 'ACTIVE') return 'unsettled';
  if (state && !isUnread(state) && state.updated_at !== (lb['updated_at'] ?? null)) return 'unsettled';
  const applied = nothingApplied(comparison);
  const addresses = addressesToPublish(comparison, applied);
  // a Service that comes back to levelset says that it was released, until a run says otherwise
  const told = readyCondition(service.status?.conditions)?.reason;
  if (told === RELEASED_REASON || told === TAKEN_OVER_REASON) return 'unsettled';
  if (tellsTrouble(service)) return 'unsettled';
  const published = service.status?.loadBalancer?.ingress ?? [];
  // without its listeners a shallow look takes a Service that shares for a joining one
  if (!isInFull && published.length === 0 && isShared(comparison.observed.sharing)) return 'unsettled';
  // this look was shallow: a change that awaits approval may be why other addresses are published
  const waits = (state?.awaitingApproval ?? 0) > 0 && published.length > 0;
  const isReported = waits || sameIngress(ingressOf(comparison, addresses), published);
  if (!isReported) return 'unsettled';
  if (!isInFull) return 'settled';
  const outcome = outcomeOfService(comparison, applied);
  const now = rfc3339(world.clock.now());
  const { patch } = summarize(service, { comparison, applied, outcome, addresses, now });
  if (outcome.status !== 'settled' || Object.keys(patch).length > 0) return 'unsettled';
  const found = comparedState(comparison, state, view.readAt);
  if (found) view.compared.set(uid, found);
  return found ? 'settled' : 'unsettled';
}
