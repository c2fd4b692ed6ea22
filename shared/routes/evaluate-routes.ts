/** Observe, desire and plan the routes: everything before the first write. */
import { chooseRouter } from './desired/choose-router.ts';
import { routeConditions } from './desired/route-conditions.ts';
import { routeDoubt } from './desired/route-problems.ts';
import { desireRoutes } from './desired/desire-routes.ts';
import type { DesiredRoutes } from './desired/desire-routes.ts';
import { ReconcileError } from '../model/errors.ts';
import { observedNode } from '../model/node/node.ts';
import type { Plan, Problem } from '../model/plan.ts';
import type { ObservedResource } from '../model/resources.ts';
import type { RouteRecords } from '../model/network/routes.ts';
import { observePorts, observeRoutes } from './observe/observe-routes.ts';
import { planRoutes } from './plan/plan-routes.ts';
import type { World } from '../ports.ts';
import { rfc3339 } from '../report/condition.ts';
import { limitOf } from './apply/full-routers.ts';

export interface RoutesEvaluation {
  readonly observed: readonly ObservedResource[];
  readonly records: RouteRecords;
  /** Undefined: what was read cannot be the whole truth, or there is nothing to route. */
  readonly desired?: DesiredRoutes;
  readonly plan: Plan;
}

export interface RoutesQuestion {
  /** Somebody asked for this very look, and knows what is to be expected. */
  readonly isManual: boolean;
}

export async function evaluateRoutes({ isManual }: RoutesQuestion, world: World): Promise<RoutesEvaluation> {
  const { kube, cloud, config, clock } = world;
  const { clusterCidrs, route: { routerId } = {} } = config;
  const [nodes, records] = await Promise.all([kube.listNodes(), kube.routes.load()]);
  const seen = await observePorts(routerId, nodes, records, cloud);
  const chosen =
    routerId === undefined
      ? chooseRouter({ ...seen, nodes, recorded: [...records.keys()] })
      : { id: routerId };
  if (!chosen || 'problem' in chosen) return unwritten(chosen ? [chosen.problem] : [], records);
  const { id } = chosen;
  const found = await observeRoutes(id, seen, records, cloud);
  if (!found) {
    const why = routerId
      ? 'which [Route] router-id names'
      : 'which had the routes; name one in [Route] router-id';
    throw new ReconcileError('NOT_FOUND', `there is no router ${id}, ${why}`);
  }
  const limit = limitOf(id, world);
  const written = records.get(id) ?? [];
  const reading = { ...found, nodes, written, clusterCidrs, ...(limit === undefined ? {} : { limit }) };
  const doubt = routeDoubt(reading, isManual);
  if (doubt) return unwritten([doubt], records);
  const observed = [...found.resources, ...nodes.flatMap(observedNode)];
  const desired = desireRoutes(reading);
  const { resources, nodes: verdicts, problems, foreign } = desired;
  const conditions = routeConditions(verdicts, () => true, rfc3339(clock.now()));
  const plan = planRoutes({ desired: [...resources, ...conditions], observed, problems, foreign });
  return { observed, records, desired, plan };
}

function unwritten(problems: readonly Problem[], records: RouteRecords): RoutesEvaluation {
  return { observed: [], records, plan: planRoutes({ desired: [], observed: [], problems, foreign: [] }) };
}
