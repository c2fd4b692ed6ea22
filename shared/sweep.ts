/**
 * Everything at once, in bulk, to find what needs work. Reads only: what it finds goes through reconcile like any other
 * key, and is read afresh there before anything is changed.
 */
import { nodeSet } from './desired/members.ts';
import { lookAt } from './look.ts';
import type { Node, Service } from './model/kubernetes.ts';
import { clusterTag, goFloatingIPText, hasTag, tagValue, TAG_PREFIX } from './model/ownership.ts';
import type { ClusterIdentity } from './model/ownership.ts';
import { keyOf, parseKey, serviceKey } from './model/request.ts';
import type { Key, ReconcileRequest } from './model/request.ts';
import type { UnitState } from './model/state.ts';
import type { WireResource } from './model/resources.ts';
import { observeProject } from './observe/project.ts';
import type { Project } from './observe/project.ts';
import type { World } from './ports.ts';
import { desireIngress } from './desired/addresses.ts';
import { addressOf } from './report/address.ts';
import { sameIngress } from './report/condition.ts';
import { hasFinalizer, unitOf, wantsLoadBalancer } from './unit.ts';

export interface Sweep {
  /** Only what needs work. */
  readonly requests: readonly ReconcileRequest[];
  /** Services that want a load balancer. */
  readonly services: number;
  readonly settled: number;
  readonly warnings: readonly string[];
  /** Why nothing could be found out; then nothing is done either. */
  readonly failed?: string;
  readonly loadBalancersByState: Readonly<Record<string, number>>;
  readonly nodesWithoutAddress: readonly string[];
}

export async function sweep(world: World, options: { readonly namespace?: string } = {}): Promise<Sweep> {
  try {
    return await find(world, options.namespace);
  } catch (error) {
    const failed = error instanceof Error ? error.message : String(error);
    return {
      requests: [],
      services: 0,
      settled: 0,
      warnings: [],
      failed,
      loadBalancersByState: {},
      nodesWithoutAddress: [],
    };
  }
}

async function find(world: World, namespace: string | undefined): Promise<Sweep> {
  const { kube, cloud, config } = world;
  const cluster = { id: await kube.clusterId(), name: config.clusterName };
  const [services, nodes, project, states] = await Promise.all([
    kube.listServices(namespace),
    kube.listNodes(),
    observeProject(cluster, cloud),
    kube.state.load(),
  ]);
  const wanted = services.filter((service) => wantsLoadBalancer(service, config));
  const leaving = services.filter((service) => !wantsLoadBalancer(service, config) && hasFinalizer(service));
  const view: View = { world, cluster, nodes, project, states };
  const unsettled: Service[] = [];
  for (const service of wanted) if (!(await isSettled(service, view))) unsettled.push(service);
  const orphans = namespace === undefined ? findOrphans(services, view) : { keys: [], warnings: [] };
  if (namespace === undefined && orphans.warnings.length === 0) await prune(services, view);
  const keys = [
    ...[...unsettled, ...leaving].map(keyOf).map((key) => serviceKey(key.namespace, key.name)),
    ...orphans.keys,
  ];
  return {
    requests: [...new Set(keys)].map((key) => ({ key, trigger: 'sweep' })),
    services: wanted.length,
    settled: wanted.length - unsettled.length,
    warnings: orphans.warnings,
    loadBalancersByState: countBy(project.loadBalancers.map((lb) => String(lb['provisioning_status']))),
    nodesWithoutAddress: wanted.length > 0 ? nodeSet(nodes, undefined, 4).withoutAddress : [],
  };
}

interface View {
  readonly world: World;
  readonly cluster: ClusterIdentity;
  readonly nodes: readonly Node[];
  readonly project: Project;
  readonly states: ReadonlyMap<string, UnitState>;
}

/** True when nothing can have changed since the unit was found as desired, and its Service says so. */
async function isSettled(service: Service, view: View): Promise<boolean> {
  const { world, cluster, nodes, project, states } = view;
  const state = states.get(service.metadata.uid);
  if (!state || !hasFinalizer(service)) return false;
  const name = keyOf(service);
  const unit = unitOf(serviceKey(name.namespace, name.name), name, service, world.config);
  const look = await lookAt(unit, nodes, { ...world, project }, cluster, 'shallow');
  const lb = look.observed.loadBalancer;
  if (!lb || look.plan.steps.length > 0 || lb['provisioning_status'] !== 'ACTIVE') return false;
  if (state.hash !== look.hash || state.updated_at !== (lb['updated_at'] ?? null)) return false;
  const known = new Map(look.observed.resources.map(({ address, wire }) => [address, wire]));
  const address = addressOf(look, { steps: [], stopped: false, known });
  const ingress = look.wishes ? desireIngress(look.wishes, address) : [];
  return sameIngress(ingress, service.status?.loadBalancer?.ingress ?? []);
}

/**
 * What is ours in OpenStack and has no Service that wants it. The key goes to reconcile, which asks the apiserver for
 * that very Service before it deletes. No Services at all where load balancers are ours looks like a wrong answer.
 */
function findOrphans(
  services: readonly Service[],
  view: View,
): { readonly keys: readonly Key[]; readonly warnings: readonly string[] } {
  const { project, cluster, world } = view;
  const live = new Map(
    services
      .filter((service) => wantsLoadBalancer(service, world.config))
      .map((service) => [service.metadata.uid, service]),
  );
  const isOrphan = (wire: WireResource): boolean => !live.has(tagValue(wire['tags'], 'service') ?? '');
  const orphans = [
    ...project.loadBalancers.filter(isOrphan).map((lb) => tagValue(lb['tags'], 'name')),
    ...project.floatingIPs
      .filter(
        (ip) =>
          hasTag(ip['tags'], clusterTag(cluster)) &&
          !tagValue(ip['tags'], 'kept') &&
          !ip['port_id'] &&
          isOrphan(ip),
      )
      .map(nameInDescription),
  ];
  const keys = orphans.flatMap((name) => parseKey(`service/${name ?? ''}`) ?? []);
  const hasAny = services.some((service) => live.has(service.metadata.uid) || hasFinalizer(service));
  if (!hasAny && keys.length >= SUSPICIOUS) {
    const warning = `${keys.length} load balancers or floating IPs of this cluster have no Service, and there is not one Service of type LoadBalancer: nothing is deleted. If that is right, run: levelset reconcile ${keys.join(' ')}`;
    return { keys: [], warnings: [warning] };
  }
  const lost = orphans.filter((name) => name === undefined).length;
  return {
    keys,
    warnings:
      lost > 0 ? [`${lost} resources of this cluster do not say which Service they were for; they stay`] : [],
  };
}

/** So many orphans at once, with no Service left, are more likely a wrong answer than the truth. */
const SUSPICIOUS = 2;

const DESCRIBED = new RegExp(
  `^${goFloatingIPText({ namespace: '([^/ ]+)', name: '([^ ]+)' })} from cluster `,
);

function nameInDescription(wire: WireResource): string | undefined {
  const match = DESCRIBED.exec(String(wire['description']));
  return match ? `${match[1] ?? ''}/${match[2] ?? ''}` : undefined;
}

/** Leases and watermarks of units that are no more. */
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
