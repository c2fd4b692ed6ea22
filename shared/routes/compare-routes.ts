import { routeConditions } from './desired/node-routes.ts';
import { routeDoubt, desireRoutes, type DesiredRoutes } from './desired/desire-routes.ts';
import { observedNode } from '../model/node/node.ts';
import type { Plan, Problem, Step } from '../model/plan.ts';
import type { ObservedResource } from '../model/resources.ts';
import { routeAt, type Route, type RouteRecords } from '../model/network/routes.ts';
import { observeRoutes } from './observe/observe-routes.ts';
import { stepsTo } from './plan/plan-routes.ts';
import type { World } from '../ports.ts';
import { rfc3339 } from '../report/condition.ts';

export interface RoutesComparison {
  readonly observed: readonly ObservedResource[];
  readonly records: RouteRecords;
  /** The desired routes. Undefined if there is nothing to route, or if the answers cannot be the whole truth. */
  readonly desired?: DesiredRoutes;
  readonly plan: Plan;
}

/** `isManual`: a person asked for this run, and so confirms that there may be no Nodes. */
export async function compareRoutes(isManual: boolean, world: World): Promise<RoutesComparison> {
  const { kube, cloud, config } = world;
  if (!config.route) throw new TypeError('there is no router in the configuration');
  const { routerId } = config.route;
  const [nodes, records] = await Promise.all([kube.listNodes(), kube.routes.load()]);
  const written = records.get(routerId) ?? [];
  const found = await observeRoutes(routerId, nodes, written, cloud);
  const limit = routeLimitOf(routerId, world);
  const reading = {
    ...{ ...found, nodes, written, clusterCidrs: config.clusterCidrs },
    ...(limit === undefined ? {} : { limit }),
  };

  const doubt = routeDoubt(reading, isManual);
  if (doubt) return { observed: [], records, plan: planOf([], [doubt], []) };
  const desired = desireRoutes(reading);
  const conditions = routeConditions(desired.nodes, () => true, rfc3339(world.clock.now()));
  const observed = [...found.resources, ...nodes.flatMap(observedNode)];
  const steps = stepsTo([...desired.resources, ...conditions], observed);
  return { observed, records, desired, plan: planOf(steps, desired.problems, desired.foreign) };
}

function planOf(steps: readonly Step[], problems: readonly Problem[], foreign: readonly Route[]): Plan {
  const none = { services: [], refused: [], awaitingApproval: [] };
  return { object: 'routes', ...none, steps, problems, foreign: foreign.map(routeAt) };
}

/** Then all routes are tried again: Neutron tells max_routes only when it refuses one. */
const KEEP_MS = 3_600_000;

/** The number of routes that a router accepts, if Neutron said so to this process within the hour. */
function routeLimitOf(
  router: string,
  { memory, clock }: Pick<World, 'memory' | 'clock'>,
): number | undefined {
  const known = memory.fullRouters.get(router);
  return known && known.until > clock.now() ? known.limit : undefined;
}

export function noteLimit(
  router: string,
  limit: number,
  { memory, clock }: Pick<World, 'memory' | 'clock'>,
): void {
  memory.fullRouters.set(router, { limit, until: clock.now() + KEEP_MS });
}

/** Forgets the limits when a person asks for the routes, since max_routes may have been raised. */
export function forgetLimits({ memory }: Pick<World, 'memory'>): void {
  memory.fullRouters.clear();
}
