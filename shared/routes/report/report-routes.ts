import type { DesiredRoutes } from '../desired/desire-routes.ts';
import { ERRORS, type ReconcileError } from '../../model/errors.ts';
import type { Address } from '../../model/address.ts';
import { cidrKey } from '../../model/network/cidr.ts';
import type { Node, ObjectEvent } from '../../model/kubernetes.ts';
import { hasTaint, UNINITIALIZED_TAINT } from '../../model/node/node.ts';
import { type Outcome, outcomeOfError } from '../../model/outcome.ts';
import type { Plan, Problem } from '../../model/plan.ts';
import {
  routeKey,
  routePortAt,
  routerAt,
  type Route,
  type WrittenRoute,
} from '../../model/network/routes.ts';
import { noteOf } from '../../report/condition.ts';

interface RoutesDone {
  readonly plan: Plan;
  readonly desired?: DesiredRoutes;
  readonly routes: readonly Route[];
  readonly stopped: boolean;
  /** The errors by address, of the router, of ports and of Nodes. */
  readonly failed: ReadonlyMap<Address, ReconcileError>;
}

/** Whether a route works: it is on the router, and its port accepts the pods' packets. */
export function isRouted({
  routes,
  failed,
}: Pick<RoutesDone, 'routes' | 'failed'>): (route: WrittenRoute) => boolean {
  const there = new Set(routes.map(routeKey));
  return (route) => there.has(routeKey(route)) && !failed.has(routePortAt(route.port));
}

/** The outcome of a run. A missing right is not tried again before something changes, or the next sweep. */
export function outcomeOfRoutes({ plan, desired, stopped, failed }: RoutesDone): Outcome {
  const errors = [...failed.values()];
  const error = errors.find(({ code }) => code !== 'FORBIDDEN');
  if (error) return outcomeOfError(error);
  if (stopped)
    return {
      status: 'progressing',
      reason: 'this run is out of time; the next run continues',
      retryAfterMs: 0,
    };
  const forbidden = errors.map(({ code, message }) => `${message} (${ERRORS[code].advice})`);
  const blocking = plan.problems.filter((problem) => problem.blocking).map(noteOf);
  const without = (desired?.nodes ?? [])
    .filter(({ node }) => !isNew(node))
    .flatMap((one) => one.without.map(({ cidr, why }) => failure(one.node, cidr, why).message));
  const reasons = [...new Set([...forbidden, ...blocking, ...without])].slice(0, MOST);
  return reasons.length > 0 ? { status: 'blocked', reason: reasons.join('\n') } : { status: 'settled' };
}

/** The number of reasons in one outcome. In a large cluster most would repeat each other. */
const MOST = 10;

export function forbiddenProblems(failed: ReadonlyMap<Address, ReconcileError>): readonly Problem[] {
  return [...failed].flatMap(([value, { code, message }]) =>
    code === 'FORBIDDEN' ? [{ field: fieldOf(value), value, message }] : [],
  );
}

function fieldOf(address: Address): string {
  return address.startsWith('port/') ? 'allowed_address_pairs' : 'routes';
}

/** With the reason of Kubernetes' route controller (docs/sources/kubernetes.md, "Routes"). A Node that is not initialised yet gets none. */
export function routeEvents(done: RoutesDone): readonly (readonly [Node, ObjectEvent])[] {
  const isThere = isRouted(done);
  const onRouter = done.failed.get(routerAt(done.desired?.router.id ?? ''));
  return (done.desired?.nodes ?? []).flatMap(({ node, routes, without }) => {
    if (isNew(node)) return [];
    const missing = routes
      .filter((route) => !isThere(route))
      .flatMap(({ destination: cidr, port }) => {
        const error = done.failed.get(routePortAt(port)) ?? onRouter;
        return error && ERRORS[error.code].disposition !== 'wait' ? [{ cidr, why: error.message }] : [];
      });
    return [
      ...[...without, ...missing].map(({ cidr, why }) => failure(node, cidr, why)),
      ...(done.desired?.foreign ?? []).flatMap((foreign) =>
        routes.some(({ destination }) => destination === cidrKey(foreign.destination))
          ? rival(node, foreign)
          : [],
      ),
    ].map((event) => [node, event] as const);
  });
}

const COMPONENT = 'route_controller';

function failure({ metadata }: Node, cidr: string, why: string): ObjectEvent {
  const message = `Could not create route ${cidr} for node ${metadata.name}: ${why}`;
  return { component: COMPONENT, type: 'Warning', reason: 'FailedToCreateRoute', message };
}

/** The Event of a Node to whose Pods somebody else has a route, too, such as another cluster with the same range. */
function rival({ metadata }: Node, { destination, nexthop }: Route): ObjectEvent {
  const message = `Route ${destination} of node ${metadata.name} is not the only one: the router has another, to ${nexthop}, which is not levelset's, and packets may take either; give each cluster a range of its own, or delete the other route`;
  return { component: COMPONENT, type: 'Warning', reason: 'FailedToCreateRoute', message };
}

function isNew(node: Node): boolean {
  return hasTaint(node, UNINITIALIZED_TAINT);
}
