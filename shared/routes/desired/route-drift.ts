/**
 * Tells drift of the routes from what levelset has still to do. A route counts as settled from the sweep that sees it, with its address
 * pair, until levelset records that it works on it. So what a settled route lacks was taken away since (decision 324).
 */
import type { Node } from '../../model/kubernetes.ts';
import type { Step } from '../../model/plan.ts';
import { cidrKey } from '../../model/network/cidr.ts';
import { recordKey, routeKey, routePortAt, routerAt, textOfRoute } from '../../model/network/routes.ts';
import type { Route, WrittenRoute, WrittenRoutes } from '../../model/network/routes.ts';
import { accepts } from './desired-pairs.ts';
import type { NodeRoutes, RouteReading } from './node-routes.ts';
import { settledIn } from './route-records.ts';

interface RouteDrift {
  /** What of it concerns which Node, as steps. */
  readonly ofNodes: readonly NodeDrift[];
  /** Settled routes that are not on the router. */
  readonly missing: ReadonlySet<WrittenRoute>;
  /** Settled routes whose port does not accept the pods' packets. */
  readonly unpaired: ReadonlySet<WrittenRoute>;
  /** Routes on the router to pods of settled ones, as levelset never wrote them and would take them away. */
  readonly surplus: ReadonlySet<Route>;
}

export interface NodeDrift {
  readonly node: Node;
  /** Never empty. */
  readonly drift: readonly Step[];
}

export const NO_DRIFT: RouteDrift = {
  ofNodes: [],
  missing: new Set(),
  unpaired: new Set(),
  surplus: new Set(),
};

/** The drift of the wanted routes `all`. `leaving` are the routes on the router that are levelset's to take away. */
export function routeDrift(
  reading: RouteReading,
  all: readonly NodeRoutes[],
  leaving: readonly Route[],
): RouteDrift {
  const { written } = reading;
  const settled = settledIn(written);
  const recorded = new Set(written.map(routeKey));
  const { isThere, isAccepted } = seenIn(reading);
  const isSettled = (route: WrittenRoute): boolean => settled.has(recordKey(route));
  const known = all.flatMap(({ routes }) => routes).filter(isSettled);
  const destinations = new Set(known.map(({ destination }) => cidrKey(destination)));
  const found = {
    missing: new Set(known.filter((route) => !isThere(route))),
    unpaired: new Set(known.filter((route) => isAccepted(route) === false)),
    surplus: new Set(
      leaving.filter(
        (route) => destinations.has(cidrKey(route.destination)) && !recorded.has(routeKey(route)),
      ),
    ),
  };
  const besides = Map.groupBy(found.surplus, ({ destination }) => cidrKey(destination));
  const ofNodes = all.flatMap(({ node, routes }) => {
    const own = routes.filter(isSettled);
    const drift = [...onRouter(own, found.missing, besides, reading), ...onPorts(own, found.unpaired)];
    return drift.length > 0 ? [{ node, drift }] : [];
  });
  return { ...found, ofNodes };
}

/** Whether a route is on the router, and its port accepts the pods' packets. */
export function placeFinder(reading: RouteReading): (route: WrittenRoute) => boolean {
  const { isThere, isAccepted } = seenIn(reading);
  return (route) => isThere(route) && isAccepted(route) === true;
}

interface Seen {
  /** Whether the route is on the router. */
  readonly isThere: (route: Route) => boolean;
  /** Whether the route's port accepts the pods' packets. Undefined if the port was not seen. */
  readonly isAccepted: (route: WrittenRoute) => boolean | undefined;
}

function seenIn({ router, ports }: RouteReading): Seen {
  const there = new Set((router.routes ?? []).map(routeKey));
  const byId = new Map(ports.map((port) => [port.id, port]));
  return {
    isThere: (route) => there.has(routeKey(route)),
    isAccepted({ port, destination }) {
      const of = byId.get(port);
      return of && accepts(of, cidrKey(destination));
    },
  };
}

function onRouter(
  own: WrittenRoutes,
  missing: ReadonlySet<Route>,
  besides: ReadonlyMap<string, readonly Route[]>,
  { router }: RouteReading,
): readonly Step[] {
  const surplusTo = ({ destination }: Route): readonly Route[] => besides.get(cidrKey(destination)) ?? [];
  const changed = own.filter((route) => missing.has(route) || surplusTo(route).length > 0);
  if (changed.length === 0) return [];
  const there = changed.flatMap((route) => [...(missing.has(route) ? [] : [route]), ...surplusTo(route)]);
  const change = { attribute: 'routes', from: there.map(textOfRoute), to: changed.map(textOfRoute) };
  return [{ verb: 'update', kind: 'router', address: routerAt(router.id), id: router.id, changes: [change] }];
}

function onPorts(own: WrittenRoutes, unpaired: ReadonlySet<Route>): readonly Step[] {
  const byPort = Map.groupBy(
    own.filter((route) => unpaired.has(route)),
    ({ port }) => port,
  );
  return [...byPort].map(([port, routes]) => ({
    verb: 'update',
    kind: 'port',
    address: routePortAt(port),
    id: port,
    changes: [
      { attribute: 'allowed_address_pairs', from: [], to: routes.map(({ destination }) => destination) },
    ],
  }));
}
