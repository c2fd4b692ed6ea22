import type { Problem } from '../../model/plan.ts';
import type { DesiredResource } from '../../model/resources.ts';
import { routeKey, routerAt } from '../../model/network/routes.ts';
import { cidrKey } from '../../model/network/cidr.ts';
import type { FormerRouter, RouteRecords } from '../../model/network/routes.ts';
import type { NodeRoutes } from './node-routes.ts';

export interface DesiredFormerRouters {
  /** Written when the router that is named has all that is to be on it. */
  readonly resources: readonly DesiredResource<'router'>[];
  /** The record, when all of it was. */
  readonly after: RouteRecords;
  /** CIDRs that are still routed there. */
  readonly kept: ReadonlySet<string>;
  readonly problems: readonly Problem[];
}

/**
 * Routers that had the routes before `router` was named. What the record says of them leaves, as it is written there and nothing else;
 * but routes to Nodes that have none on the new one stay until they have.
 */
export function desireFormerRouters(
  router: string,
  former: readonly FormerRouter[],
  nodes: readonly NodeRoutes[],
): DesiredFormerRouters {
  const routed = new Set(nodes.flatMap(({ routes }) => routes.map(({ destination }) => destination)));
  const unrouted = new Set(
    nodes.flatMap(({ node }) => (node.spec?.podCIDRs ?? []).map(cidrKey)).filter((cidr) => !routed.has(cidr)),
  );
  const all = former.map(({ id, routes, written }) => {
    const there = new Set(routes.map(routeKey));
    const kept = written.filter(
      (route) => unrouted.has(cidrKey(route.destination)) && there.has(routeKey(route)),
    );
    const leaving = new Set(written.filter((route) => !kept.includes(route)).map(routeKey));
    return { id, kept, routes: routes.filter((route) => !leaving.has(routeKey(route))) };
  });
  return {
    resources: all.map(({ id, routes }) => ({
      kind: 'router',
      address: routerAt(id),
      attributes: { routes },
      because: `our routes are on router ${router} now`,
      ifPresent: true,
    })),
    after: new Map(all.map(({ id, kept }) => [id, kept])),
    kept: new Set(all.flatMap(({ kept }) => kept.map(({ destination }) => cidrKey(destination)))),
    problems: all.flatMap(({ id, kept }) => (kept.length > 0 ? problem(id, kept.length, router) : [])),
  };
}

function problem(value: string, count: number, router: string): Problem {
  const message = `was named before, and keeps ${count} of our routes until router ${router} has them`;
  return { field: '[Route] router-id', value, message };
}
