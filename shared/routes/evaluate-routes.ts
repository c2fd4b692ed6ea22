/** Everything before the first write of routes: observe, desire, plan. */
import { routeConditions } from './desired/route-conditions.ts';
import { routeDoubt } from './desired/route-problems.ts';
import { desireRoutes } from './desired/desire-routes.ts';
import type { DesiredRoutes } from './desired/desire-routes.ts';
import { observedNode } from '../model/node/node.ts';
import type { Plan } from '../model/plan.ts';
import type { ObservedResource } from '../model/resources.ts';
import type { RouteRecords, WrittenRoute } from '../model/network/routes.ts';
import { observeRoutes } from './observe/observe-routes.ts';
import { planRoutes } from './plan/plan-routes.ts';
import type { RouteReading } from './desired/node-routes.ts';
import { settledInBoth } from './desired/route-records.ts';
import type { World } from '../ports.ts';
import { rfc3339 } from '../report/condition.ts';
import { routeLimitOf } from './apply/full-routers.ts';

export interface RoutesEvaluation {
  readonly observed: readonly ObservedResource[];
  readonly records: RouteRecords;
  /** The desired routes. Undefined if there is nothing to route, or if the answers cannot be the whole truth. */
  readonly desired?: DesiredRoutes;
  readonly plan: Plan;
}

interface RoutesQuestion {
  /** A person asked for this run, and so confirms that there may be no Nodes. */
  readonly isManual: boolean;
}

export async function evaluateRoutes({ isManual }: RoutesQuestion, world: World): Promise<RoutesEvaluation> {
  if (!world.config.route) throw new TypeError('there is no router in the configuration');
  const { reading, records, resources } = await observe(world.config.route, world);

  const doubt = routeDoubt(reading, isManual);
  if (doubt)
    return {
      observed: [],
      records,
      plan: planRoutes({ desired: [], observed: [], problems: [doubt], foreign: [] }),
    };
  const desired = await desireAsRecorded(reading, world);
  const isThere = (route: WrittenRoute): boolean => !desired.keptBack.has(route);
  const conditions = routeConditions(desired.nodes, isThere, rfc3339(world.clock.now()));

  const plan = planRoutes({
    ...desired,
    desired: [...desired.resources, ...conditions],
    observed: resources,
    ...(reading.driftStays ? { driftStays: true } : {}),
  });
  return { observed: resources, records, desired, plan };
}

/**
 * The desired routes. What looks like drift may be another run's work since the record was read: such a run has recorded that
 * before it wrote, so the record is read once more.
 */
async function desireAsRecorded(reading: RouteReading, { kube }: World): Promise<DesiredRoutes> {
  const desired = desireRoutes(reading);
  if (desired.drift.length === 0) return desired;
  const again = (await kube.routes.load()).get(reading.router.id);
  return desireRoutes({ ...reading, written: settledInBoth(reading.written, again) });
}

interface Observed {
  readonly reading: RouteReading;
  readonly records: RouteRecords;
  readonly resources: readonly ObservedResource[];
}

/** The router, the Nodes' ports and the record. */
async function observe({ routerId }: { readonly routerId: string }, world: World): Promise<Observed> {
  const { kube, cloud, config } = world;
  const [nodes, records] = await Promise.all([kube.listNodes(), kube.routes.load()]);
  const written = records.get(routerId) ?? [];
  const found = await observeRoutes(routerId, nodes, written, cloud);
  const limit = routeLimitOf(routerId, world);
  const reading = {
    ...{ ...found, nodes, written, clusterCidrs: config.clusterCidrs },
    ...(limit === undefined ? {} : { limit }),
    ...(config.drift === 'report' ? { driftStays: true as const } : {}),
  };
  return { reading, records, resources: [...found.resources, ...nodes.flatMap(observedNode)] };
}
