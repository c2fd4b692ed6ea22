/**
 * The sweep's part for Services: it queues those that are not as desired. A few lists of the whole project are enough
 * for most; the others are read one by one when their keys run.
 */
import { nodeSet } from '../model/node/node-set.ts';
import { familiesOf } from './intent/service-intent.ts';
import { evaluate } from './evaluate.ts';
import type { CertificateInUse } from '../model/tls/certificate-facts.ts';
import type { Node, Service } from '../model/kubernetes.ts';
import { tagValue, TAG_PREFIX } from '../model/ownership.ts';
import type { ClusterIdentity } from '../model/ownership.ts';
import { keyOf, serviceKey } from '../model/request.ts';
import type { Key, SweepScope } from '../model/request.ts';
import { isAnother } from '../model/plan.ts';
import type { UnitState } from '../model/unit.ts';
import { addressesOf } from './observe/network/security-group.ts';
import { observeProject } from './observe/project.ts';
import type { Project } from './observe/project.ts';
import { findOrphans } from './orphans.ts';
import type { Found } from '../model/outcome.ts';
import type { World } from '../ports.ts';
import { addressesToPublish, ingressOf, sameIngress } from './report/published-address.ts';
import { hasFinalizer, unitOf, wantsLoadBalancer } from './unit.ts';

export async function findServices(
  nodesListed: Promise<readonly Node[]>,
  world: World,
  { namespace, readOnly }: SweepScope,
): Promise<Found> {
  const { kube, cloud, config } = world;
  const cluster = { id: await kube.clusterId(), name: config.clusterName };
  const managed = config.loadBalancer.manageSecurityGroups;
  const addresses = nodesListed.then((listed) => (managed ? addressesOf(listed) : []));
  const [services, nodes, project, states] = await Promise.all([
    kube.listServices(namespace),
    nodesListed,
    observeProject(cluster, cloud, addresses),
    kube.state.load(),
  ]);
  const wanted = services.filter((service) => wantsLoadBalancer(service, config));
  const leaving = services.filter((service) => !wantsLoadBalancer(service, config) && hasFinalizer(service));
  const certificates = new Map<Key, readonly CertificateInUse[]>();
  const view: View = { world, cluster, nodes, project, states, certificates };
  const unsettled: Service[] = [];
  const refused: string[] = [];
  let awaitingApproval = 0;
  for (const service of wanted) {
    const verdict = await judge(service, view);
    if (verdict === 'unsettled') unsettled.push(service);
    else if (verdict === 'settled')
      awaitingApproval += states.get(service.metadata.uid)?.awaitingApproval ?? 0;
    else refused.push(verdict.refused);
  }
  const orphans =
    namespace === undefined
      ? findOrphans(services, project, cluster, config)
      : { keys: [], warnings: [], doubtful: false };
  if (namespace === undefined && !readOnly && !orphans.doubtful) await prune(services, view);
  const keys = [
    ...[...unsettled, ...leaving].map(keyOf).map((key) => serviceKey(key.namespace, key.name)),
    ...orphans.keys,
  ];
  return {
    keys: [...new Set(keys)],
    warnings: [...orphans.warnings, ...refused],
    figures: {
      services: wanted.length,
      settled: wanted.length - unsettled.length - refused.length,
      awaitingApproval,
      loadBalancersByState: countBy(project.loadBalancers.map((lb) => String(lb['provisioning_status']))),
      nodesWithoutAddress: withoutAddress(nodes, wanted),
      certificates,
    },
  };
}

/**
 * Names of nodes without an address of the first family of any Service. An IPv6-only cluster waits for no IPv4 address.
 */
function withoutAddress(nodes: readonly Node[], wanted: readonly Service[]): readonly string[] {
  const families = new Set(wanted.map((service) => familiesOf(service)[0] ?? 4));
  return [...new Set([...families].flatMap((family) => nodeSet(nodes, undefined, family).withoutAddress))];
}

interface View {
  readonly world: World;
  readonly cluster: ClusterIdentity;
  readonly nodes: readonly Node[];
  readonly project: Project;
  readonly states: ReadonlyMap<string, UnitState>;
  /** Filled while the Services are judged. */
  readonly certificates: Map<Key, readonly CertificateInUse[]>;
}

type Verdict = 'settled' | 'unsettled' | { readonly refused: string };

/** A Service is settled when nothing can have changed since it was found as desired, and its status says so. */
async function judge(service: Service, view: View): Promise<Verdict> {
  const { world, cluster, nodes, project, states } = view;
  const state = states.get(service.metadata.uid);
  if (!state || !hasFinalizer(service)) return 'unsettled';
  const name = keyOf(service);
  const unit = unitOf(serviceKey(name.namespace, name.name), name, service, world.config);
  const evaluation = await evaluate(unit, nodes, { ...world, project }, cluster, 'shallow');
  view.certificates.set(unit.key, evaluation.desired.certificates);
  if (state.hash !== evaluation.hash) return 'unsettled';
  const lb = evaluation.observed.loadBalancer;
  const seen = lb?.['updated_at'] ?? null;
  const isAsItWas = evaluation.plan.steps.every(isAnother) && state.updated_at === seen;
  if (state.rejected !== undefined && (!lb || isAsItWas)) {
    return {
      refused: `${name.namespace}/${name.name} is not tried again until it changes: ${state.rejected}`,
    };
  }
  if (!lb || evaluation.plan.steps.length > 0 || lb['provisioning_status'] !== 'ACTIVE') return 'unsettled';
  if (state.updated_at !== (lb['updated_at'] ?? null)) return 'unsettled';
  const known = new Map(evaluation.observed.resources.map(({ address, wire }) => [address, wire]));
  const addresses = addressesToPublish(evaluation, { steps: [], stopped: false, known });
  const published = service.status?.loadBalancer?.ingress ?? [];
  // what waits was not looked at; it may be why something else is published
  const waits = (state.awaitingApproval ?? 0) > 0 && published.length > 0;
  const isReported = waits || sameIngress(ingressOf(evaluation, addresses), published);
  return isReported ? 'settled' : 'unsettled';
}

/** Removes the leases and watermarks of Services that are gone. */
async function prune(services: readonly Service[], view: View): Promise<void> {
  const { world, project, states } = view;
  const tagged = project.loadBalancers.map((lb) => tagValue(lb['tags'], 'service'));
  const alive = new Set([...services.map(({ metadata }) => metadata.uid), ...tagged]);
  const gone = [...states.keys()].filter((uid) => !alive.has(uid));
  if (gone.length > 0) await world.kube.state.save(new Map(gone.map((uid) => [uid, undefined])));
  for (const name of await world.kube.listLeases()) {
    if (!alive.has(name.slice(TAG_PREFIX.length))) await world.kube.lease(name).remove();
  }
}

function countBy(words: readonly string[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const word of words) counts[word] = (counts[word] ?? 0) + 1;
  return counts;
}
