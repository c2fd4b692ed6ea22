/** Observe, desire and plan the routes: everything before the first write. */
import { routeConditions } from '../desired/route-conditions.ts';
import { routeDoubt } from '../desired/route-problems.ts';
import { desireRoutes } from '../desired/routes.ts';
import type { DesiredRoutes } from '../desired/routes.ts';
import { ReconcileError } from '../model/errors.ts';
import { observedNode } from '../model/node.ts';
import type { Plan } from '../model/plan.ts';
import type { ObservedResource } from '../model/resources.ts';
import type { RouteRecords, WireRouter } from '../model/routes.ts';
import { observeRoutes } from '../observe/routes.ts';
import { planRoutes } from '../plan/routes.ts';
import type { World } from '../ports.ts';
import { rfc3339 } from '../report/rfc3339.ts';
import { limitOf } from './full-routers.ts';

export interface RoutesLook {
  readonly router: WireRouter;
  readonly observed: readonly ObservedResource[];
  readonly records: RouteRecords;
  /** Undefined: what was read cannot be the whole truth. */
  readonly desired?: DesiredRoutes;
  readonly plan: Plan;
}

export interface RoutesQuestion {
  readonly routerId: string;
  /** Somebody asked for this very look, and knows what is to be expected. */
  readonly isAsked: boolean;
}

export async function lookAtRoutes(
  { routerId, isAsked }: RoutesQuestion,
  { kube, cloud, config, clock }: World,
): Promise<RoutesLook> {
  const [nodes, records] = await Promise.all([kube.listNodes(), kube.routes.load()]);
  const found = await observeRoutes(routerId, nodes, records, cloud);
  if (!found)
    throw new ReconcileError('NOT_FOUND', `there is no router ${routerId}, which [Route] router-id names`);
  const observed = [...found.resources, ...nodes.flatMap(observedNode)];
  const { clusterCidrs } = config;
  const limit = limitOf(routerId, cloud, clock.now());
  const written = records.get(routerId) ?? [];
  const reading = { ...found, nodes, written, clusterCidrs, ...(limit === undefined ? {} : { limit }) };
  const doubt = routeDoubt(reading, isAsked);
  const seen = { router: found.router, observed, records };
  if (doubt) return { ...seen, plan: planRoutes({ desired: [], observed, problems: [doubt], foreign: [] }) };
  const desired = desireRoutes(reading);
  const { resources, nodes: verdicts, problems, foreign } = desired;
  const conditions = routeConditions(verdicts, () => true, rfc3339(clock.now()));
  const plan = planRoutes({
    desired: [...resources, ...conditions],
    observed,
    problems,
    foreign,
  });
  return { ...seen, desired, plan };
}
