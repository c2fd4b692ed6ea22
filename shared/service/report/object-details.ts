import type { StatusMember, StatusPool, StatusTree } from '../../model/load-balancer/octavia.ts';
import { APPROVE } from '../../model/ownership.ts';
import { asServiceKey, type Key, type ServiceKey } from '../../model/request.ts';
import type { Service } from '../../model/kubernetes.ts';
import type { ObservedResource } from '../../model/resources.ts';
import { printable } from '../../model/text/text.ts';
import type { World } from '../../ports.ts';
import { compareAll } from '../../plan/compare-and-plan.ts';
import { approveWith, renderPlan } from '../../plan/render-plan.ts';
import type { ObjectDetails, TreePart } from '../../report/page/object-view.ts';
import { compareService, nodesOf } from '../compare-service.ts';
import { effectiveValues, overruledValues, type EffectiveValue } from '../intent/effective-values.ts';
import { objectOf, isOurs } from '../service-object.ts';
import type { Problem } from '../../model/plan.ts';

async function shownOf(key: Key, name: ServiceKey, service: Service | undefined, world: World) {
  const { kube, config } = world;
  const object = objectOf(key, name, service, config);
  const cluster = { id: await kube.clusterId(), name: config.clusterName };
  const comparison = await compareService(object, await nodesOf(object, world), world, cluster);
  const { intent, plan } = comparison;
  return {
    comparison,
    values: intent ? effectiveValues(intent) : [],
    ignored: [...plan.problems, ...(intent ? overruledValues(intent) : [])],
  };
}

/** Compares a Service for its page, and writes nothing. Undefined if the key is not of a Service. Throws ReconcileError. */
export async function serviceDetails(key: Key, world: World): Promise<ObjectDetails | undefined> {
  const name = asServiceKey(key);
  if (!name) return undefined;
  const service = await world.kube.getService(name.namespace, name.name);
  const { comparison, values, ignored } = await shownOf(key, name, service, world);
  const { plan, planned, observed, locked } = comparison;
  const { loadBalancer, resources } = observed;
  const statuses = loadBalancer && (await world.cloud.statuses(loadBalancer.id));
  const approve = approveWith(plan);
  return {
    at: new Date(world.clock.now()).toISOString(),
    ...(statuses && { tree: treeOf(statuses, resources) }),
    ...(locked && {
      notCompared: `Octavia is at work on the load balancer (${String(loadBalancer?.['provisioning_status'])}), so levelset does not read what is on it`,
    }),
    resources: locked ? [] : compareAll(planned.desired.resources, resources),
    values: values.map(({ value, ...one }) => ({ ...one, value: printable(JSON.stringify(value)) })),
    ignored,
    plan: renderPlan(plan),
    ...(approve !== undefined && { approve: approve.slice(`${APPROVE}: `.length) }),
  };
}

function treeOf(tree: StatusTree, resources: readonly ObservedResource[]): TreePart {
  const byId = new Map(resources.map((one) => [one.id, one]));
  const part = (kind: TreePart['kind'], one: Stated, title: string, parts: readonly TreePart[]): TreePart => {
    const whose = byId.get(one.id)?.whose ?? 'ours';
    const { id, operating_status: operatingStatus, provisioning_status: provisioningStatus } = one;
    return {
      ...{ kind, title, id, provisioningStatus, parts },
      ...(operatingStatus !== undefined && { operatingStatus }),
      ...(whose === 'foreign' && { others: true }),
    };
  };
  const titleOf = ({ id, name }: Stated): string =>
    byId.get(id)?.address.split('/').slice(1).join('/') ?? name ?? id;
  const member = (one: StatusMember): TreePart => {
    const name = byId.get(one.id)?.wire['name'];
    const where = `${one.address}:${one.protocol_port}`;
    return part('member', one, typeof name === 'string' && name !== '' ? `${name} (${where})` : where, []);
  };
  const pool = (one: StatusPool): TreePart =>
    part('pool', one, titleOf(one), [
      ...(one.health_monitor ? [part('monitor', one.health_monitor, titleOf(one.health_monitor), [])] : []),
      ...one.members.map(member),
    ]);
  return part(
    'load balancer',
    tree,
    tree.name ?? tree.id,
    tree.listeners.map((one) => part('listener', one, titleOf(one), one.pools.map(pool))),
  );
}

type Stated = Pick<StatusTree, 'id' | 'name' | 'operating_status' | 'provisioning_status'>;

/** Why the values of a Service are what they are, as its plan was made with them. */
export interface ExplainedService {
  /** `service/NAMESPACE/NAME`. */
  readonly object: Key;
  readonly isOurs: boolean;
  /** `questioned`: among what does not count is something about what set the value. */
  readonly values: readonly (EffectiveValue & { readonly questioned?: true })[];
  /** What has no effect, and why: the Problems of the plan, and what something else goes before. */
  readonly ignored: readonly Problem[];
}

/** Compares a Service and writes nothing. Undefined if there is no such Service. Throws ReconcileError. */
export async function explainService(key: Key, world: World): Promise<ExplainedService | undefined> {
  const name = asServiceKey(key);
  const service = name && (await world.kube.getService(name.namespace, name.name));
  if (!service) return undefined;
  const { values, ignored } = await shownOf(key, name, service, world);
  const questioned = new Set(ignored.flatMap(({ field }) => [field, `annotation ${field}`]));
  return {
    object: key,
    isOurs: isOurs(service, world.config),
    values: values.map((one) => (questioned.has(one.setBy) ? { ...one, questioned: true } : one)),
    ignored,
  };
}
