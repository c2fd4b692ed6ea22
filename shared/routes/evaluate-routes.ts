/** Everything before the first write of routes: observe, desire, plan. */
import { chooseRouter } from './desired/choose-router.ts';
import { routeConditions } from './desired/route-conditions.ts';
import { routeDoubt } from './desired/route-problems.ts';
import { desireRoutes } from './desired/desire-routes.ts';
import type { DesiredRoutes } from './desired/desire-routes.ts';
import { ReconcileError } from '../model/errors.ts';
import { observedNode } from '../model/node/node.ts';
import type { Plan, Problem } from '../model/plan.ts';
import type { ObservedResource } from '../model/resources.ts';
import type { RouteRecords, WrittenRoute } from '../model/network/routes.ts';
import { observePorts, observeRoutes } from './observe/observe-routes.ts';
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
  const observed = await observe(world);
  const { records } = observed;
  if ('problems' in observed) return withoutWrites(observed.problems, records);
  const { reading, resources } = observed;

  const doubt = routeDoubt(reading, isManual);
  if (doubt) return withoutWrites([doubt], records);
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

/**
 * The router, the Nodes' ports and the record. Without a router to observe it returns Problems instead, or an
 * empty list of them if there is nothing to route.
 */
async function observe(
  world: World,
): Promise<Observed | { readonly problems: readonly Problem[]; readonly records: RouteRecords }> {
  const { kube, cloud, config } = world;
  const { clusterCidrs, route: { routerId, maskSizes } = {} } = config;
  const [nodes, records] = await Promise.all([kube.listNodes(), kube.routes.load()]);
  const seen = await observePorts(routerId, nodes, records, cloud);
  const chosen =
    routerId === undefined
      ? chooseRouter({ ...seen, nodes, recorded: [...records.keys()] })
      : { id: routerId };
  if (!chosen) return { problems: [], records };
  if ('problem' in chosen) return { problems: [chosen.problem], records };
  const { id } = chosen;
  const found = await observeRoutes(id, seen, records, cloud);
  if (!found) {
    const why = routerId
      ? 'which [Route] router-id names'
      : 'which had the routes; name one in [Route] router-id';
    throw new ReconcileError('NOT_FOUND', `there is no router ${id}, ${why}`);
  }
  const limit = routeLimitOf(id, world);
  const written = records.get(id) ?? [];
  const reading = {
    ...{ ...found, nodes, written, clusterCidrs },
    ...(maskSizes === undefined ? {} : { maskSizes }),
    ...(limit === undefined ? {} : { limit }),
    ...(config.drift === 'report' ? { driftStays: true as const } : {}),
  };
  return { reading, records, resources: [...found.resources, ...nodes.flatMap(observedNode)] };
}

function withoutWrites(problems: readonly Problem[], records: RouteRecords): RoutesEvaluation {
  return { observed: [], records, plan: planRoutes({ desired: [], observed: [], problems, foreign: [] }) };
}
