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
import { unitOf } from '../unit.ts';

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
    const owned = byId.get(one.id)?.owned ?? true;
    const { id, operating_status: operatingStatus, provisioning_status: provisioningStatus } = one;
    return {
      ...{ kind, title, id, provisioningStatus, parts },
      ...(operatingStatus !== undefined && { operatingStatus }),
      ...(!owned && { others: true }),
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
