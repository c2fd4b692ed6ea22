import type { StatusMember, StatusPool, StatusTree } from '../../model/load-balancer/octavia.ts';
import { APPROVE } from '../../model/ownership.ts';
import { asServiceKey } from '../../model/request.ts';
import type { Key } from '../../model/request.ts';
import type { ObservedResource } from '../../model/resources.ts';
import { printable } from '../../model/text/text.ts';
import type { World } from '../../ports.ts';
import { compareAll } from '../../plan/compare-all.ts';
import { approveWith, renderPlan } from '../../plan/render-plan.ts';
import type { Look, TreePart } from '../../report/page/object-view.ts';
import { evaluate, nodesOf } from '../evaluate.ts';
import { effectiveValues, overruledValues } from '../intent/effective-values.ts';
import { unitOf, isOurs } from '../unit.ts';
import type { Problem } from '../../model/plan.ts';
import type { EffectiveValue } from '../intent/effective-values.ts';

/** Evaluates a Service for its page, and writes nothing. Undefined if the key is not of a Service. Throws ReconcileError. */
export async function lookAtService(key: Key, world: World): Promise<Look | undefined> {
  const name = asServiceKey(key);
  if (!name) return undefined;
  const { kube, cloud, config, clock } = world;
  const unit = unitOf(key, name, await kube.getService(name.namespace, name.name), config);
  const cluster = { id: await kube.clusterId(), name: config.clusterName };
  const { intent, plan, planned, observed, locked } = await evaluate(
    unit,
    await nodesOf(unit, world),
    world,
    cluster,
  );
  const { loadBalancer, resources } = observed;
  const statuses = loadBalancer && (await cloud.statuses(loadBalancer.id));
  const approve = approveWith(plan);
  return {
    at: new Date(clock.now()).toISOString(),
    ...(statuses && { tree: treeOf(statuses, resources) }),
    ...(locked && {
      notCompared: `Octavia is at work on the load balancer (${String(loadBalancer?.['provisioning_status'])}), so levelset does not read what is on it`,
    }),
    resources: locked ? [] : compareAll(planned.desired.resources, resources),
    values: intent
      ? effectiveValues(intent).map(({ value, ...one }) => ({
          ...one,
          value: printable(JSON.stringify(value)),
        }))
      : [],
    ignored: [...plan.problems, ...(intent ? overruledValues(intent) : [])],
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
  const placeOf = ({ id, name }: Stated): string =>
    byId.get(id)?.address.split('/').slice(1).join('/') ?? name ?? id;
  const member = (one: StatusMember): TreePart => {
    const name = byId.get(one.id)?.wire['name'];
    const where = `${one.address}:${one.protocol_port}`;
    return part('member', one, typeof name === 'string' && name !== '' ? `${name} (${where})` : where, []);
  };
  const pool = (one: StatusPool): TreePart =>
    part('pool', one, placeOf(one), [
      ...(one.health_monitor ? [part('monitor', one.health_monitor, placeOf(one.health_monitor), [])] : []),
      ...one.members.map(member),
    ]);
  return part(
    'load balancer',
    tree,
    tree.name ?? tree.id,
    tree.listeners.map((one) => part('listener', one, placeOf(one), one.pools.map(pool))),
  );
}

type Stated = Pick<StatusTree, 'id' | 'name' | 'operating_status' | 'provisioning_status'>;

interface ExplainedValue extends EffectiveValue {
  /** Among what does not count is something about what set the value. */
  readonly questioned?: true;
}

/** Why the values of a Service are what they are, as its plan was made with them. */
export interface ExplainedService {
  /** `service/NAMESPACE/NAME`. */
  readonly unit: Key;
  /** Whether levelset looks after the Service. */
  readonly isOurs: boolean;
  readonly values: readonly ExplainedValue[];
  /** What does not count, and why: the Problems of the plan, and what something else goes before. */
  readonly ignored: readonly Problem[];
}

/** Evaluates a Service and writes nothing. Undefined if there is no such Service. Throws ReconcileError. */
export async function explainService(key: Key, world: World): Promise<ExplainedService | undefined> {
  const name = asServiceKey(key);
  const service = name && (await world.kube.getService(name.namespace, name.name));
  if (!service) return undefined;
  const { config, kube } = world;
  const unit = unitOf(key, name, service, config);
  const cluster = { id: await kube.clusterId(), name: config.clusterName };
  const { intent, plan } = await evaluate(unit, await nodesOf(unit, world), world, cluster);
  const told = { unit: key, isOurs: isOurs(service, config) };
  if (!intent) return { ...told, values: [], ignored: plan.problems };
  const ignored = [...plan.problems, ...overruledValues(intent)];
  const questioned = new Set(ignored.flatMap(({ field }) => [field, `annotation ${field}`]));
  const values = effectiveValues(intent).map((one): ExplainedValue => {
    return questioned.has(one.setBy) ? { ...one, questioned: true } : one;
  });
  return { ...told, values, ignored };
}
