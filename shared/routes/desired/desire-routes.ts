import type { Problem } from '../../model/plan.ts';
import type { DesiredResource } from '../../model/resources.ts';
import { routeKey, routePortAt, routerAt } from '../../model/network/routes.ts';
import type {
  AddressPair,
  Route,
  RoutePort,
  RouteRecords,
  WireRouter,
  WrittenRoutes,
  FormerRouter,
} from '../../model/network/routes.ts';
import { cidrKey, isWithin } from '../../model/network/cidr.ts';
import { fixedIPs, nodeRoutes } from './node-routes.ts';
import type { NodeRoutes, RouteReading } from './node-routes.ts';
import { routeProblems } from './route-problems.ts';

export interface DesiredRoutes {
  /** As it is. */
  readonly router: WireRouter;
  /** The router first, as it may have no room; last those that were routers before. */
  readonly resources: readonly DesiredResource<'port' | 'router'>[];
  readonly nodes: readonly NodeRoutes[];
  readonly problems: readonly Problem[];
  /** Routes to pods of ours that somebody else made. */
  readonly foreign: readonly Route[];
  /** The record before anything is written, and when all of it was. */
  readonly before: RouteRecords;
  readonly after: RouteRecords;
}

/**
 * The routes of a router, and the address pairs of the ports that they lead to, as the podCIDRs of Nodes say. Of both only those
 * come and go that are provably ours (decision 112): in a cluster CIDR, and recorded, or leading to one of our Nodes.
 */
export function desireRoutes(reading: RouteReading): DesiredRoutes {
  const { router, limit = Infinity } = reading;
  const there = router.routes ?? [];
  const all = nodeRoutes(reading);
  const isOurs = ownership(reading, all);
  const wanted = new Map(all.flatMap(({ routes }) => routes).map((route) => [routeKey(route), route]));
  const doubtful = new Set(
    all.flatMap(({ node, isDoubtful }) => (isDoubtful ? (node.spec?.podCIDRs ?? []) : [])).map(cidrKey),
  );
  const stays = (route: Route): boolean =>
    !isOurs(route) || wanted.has(routeKey(route)) || doubtful.has(cidrKey(route.destination));
  const staying = once(there.filter(stays), (route) => !isOurs(route));
  const kept = new Set(staying.map(routeKey));
  const coming = [...wanted.values()].filter((route) => !kept.has(routeKey(route)));
  const fitting = coming.slice(0, Math.max(0, limit - staying.length));
  const noRoom = new Set(coming.slice(fitting.length));
  const nodes = all.map((one) => withoutRoom(one, noRoom, limit));
  const routes = nodes.flatMap((one) => one.routes);
  const leaving = there.filter((route) => !stays(route));
  const before = recordOf([...reading.written, ...withPorts(leaving, all), ...routes]);
  const former = desireFormerRouters(router.id, reading.former, nodes);
  const isLeft = (cidr: string): boolean => doubtful.has(cidrKey(cidr));
  const left = reading.written.filter(({ destination }) => isLeft(destination));
  const pairs = desiredPairs(reading.ports, {
    routes,
    before: [...before, ...reading.former.flatMap(({ written }) => written)],
    isKept: (cidr) => isLeft(cidr) || former.kept.has(cidrKey(cidr)),
  });
  const target: DesiredResource<'router'> = {
    kind: 'router',
    address: routerAt(router.id),
    attributes: {
      routes: [...staying, ...fitting.map(({ destination, nexthop }) => ({ destination, nexthop }))],
    },
    ifPresent: true,
  };
  const foreign = there.filter((route) => !isOurs(route) && isInCluster(route, reading));
  return {
    router,
    resources: [target, ...pairs.map(portResource), ...former.resources],
    nodes,
    problems: [
      ...routeProblems({ router, nodes, wanted: [...wanted.values()], staying, foreign, limit }),
      ...former.problems,
    ],
    foreign,
    before: new Map([
      ...reading.former.map(({ id, written }) => [id, written] as const),
      [router.id, before],
    ]),
    after: new Map([...former.after, [router.id, recordOf([...routes, ...left])]]),
  };
}

/** Whose a route is: what is recorded is ours, and what leads to an address of one of our Nodes. */
function ownership(reading: RouteReading, all: readonly NodeRoutes[]): (route: Route) => boolean {
  const recorded = new Set(reading.written.map(routeKey));
  const addresses = new Set([
    ...all.flatMap(({ ports }) => ports.flatMap(fixedIPs).map(({ ip_address: address }) => cidrKey(address))),
    ...all.flatMap(({ node }) => (node.status?.addresses ?? []).map(({ address }) => cidrKey(address))),
  ]);
  return (route) =>
    isInCluster(route, reading) && (recorded.has(routeKey(route)) || addresses.has(cidrKey(route.nexthop)));
}

function isInCluster({ destination }: Route, { clusterCidrs }: RouteReading): boolean {
  const inner = cidrKey(destination);
  return clusterCidrs.some((outer) => isWithin(inner, outer));
}

/** One that is there in two spellings goes in the second; of those that are not ours none does. */
function once(routes: readonly Route[], isExempt: (route: Route) => boolean): readonly Route[] {
  const seen = new Set<string>();
  return routes.filter((route) => {
    const isNew = !seen.has(routeKey(route));
    seen.add(routeKey(route));
    return isNew || isExempt(route);
  });
}

function withoutRoom(found: NodeRoutes, left: ReadonlySet<Route>, limit: number): NodeRoutes {
  const why = `the router has the ${limit} routes that Neutron allows (max_routes)`;
  const without = found.routes.filter((route) => left.has(route));
  return {
    ...found,
    routes: found.routes.filter((route) => !left.has(route)),
    without: [...found.without, ...without.map(({ destination }) => ({ cidr: destination, why }))],
  };
}

/** Those whose next hop is a port of one of our Nodes. */
function withPorts(routes: readonly Route[], all: readonly NodeRoutes[]): WrittenRoutes {
  const byAddress = new Map(
    all.flatMap(({ ports }) =>
      ports.flatMap((port) => fixedIPs(port).map((fixed) => [cidrKey(fixed.ip_address), port.id] as const)),
    ),
  );
  return routes.flatMap(({ destination, nexthop }) => {
    const port = byAddress.get(cidrKey(nexthop));
    return port === undefined ? [] : [{ destination, nexthop, port }];
  });
}

/** Each once, in an order of its own. */
function recordOf(routes: WrittenRoutes): WrittenRoutes {
  const byKey = new Map(routes.map((route) => [`${routeKey(route)} ${route.port}`, route]));
  return [...byKey].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, route]) => route);
}

function portResource([port, pairs]: readonly [RoutePort, readonly AddressPair[]]): DesiredResource<'port'> {
  return {
    kind: 'port',
    address: routePortAt(port.id),
    attributes: { allowed_address_pairs: pairs },
    ifPresent: true,
  };
}

export interface DesiredPairs {
  readonly routes: WrittenRoutes;
  /** All that were ever ours, as far as is known. */
  readonly before: WrittenRoutes;
  /** CIDRs of which nothing is certain just now. */
  readonly isKept: (cidr: string) => boolean;
}

/**
 * What each port lets through, where that is to change or may have to: the CIDRs of the routes that lead to it, in a pair of
 * their own or a wider one. Only pairs for routes that were ours leave.
 */
export function desiredPairs(
  ports: readonly RoutePort[],
  { routes, before, isKept }: DesiredPairs,
): readonly (readonly [RoutePort, readonly AddressPair[]])[] {
  const wanted = Map.groupBy(routes, ({ port }) => port);
  const ours = Map.groupBy(before, ({ port }) => port);
  return ports.flatMap((port) => {
    const pairs = port.allowed_address_pairs;
    if (!pairs || !isFiltered(port) || !ours.has(port.id)) return [];
    const needed = (wanted.get(port.id) ?? []).map(({ destination }) => cidrKey(destination));
    const former = new Set((ours.get(port.id) ?? []).map(({ destination }) => cidrKey(destination)));
    const leaves = ({ ip_address: cidr }: AddressPair): boolean =>
      former.has(cidrKey(cidr)) && !needed.includes(cidrKey(cidr)) && !isKept(cidr);
    const staying = pairs.filter((pair) => !isOfPort(pair, port) || !leaves(pair));
    const coming = needed.filter(
      (cidr) => !staying.some((pair) => isOfPort(pair, port) && isWithin(cidr, cidrKey(pair.ip_address))),
    );
    return [[port, [...staying, ...coming.map((cidr) => ({ ip_address: cidr }))]] as const];
  });
}

/** One with port security switched off lets everything through, and takes no pairs. */
function isFiltered(port: RoutePort): boolean {
  return port.port_security_enabled !== false;
}

function isOfPort({ mac_address: mac }: AddressPair, port: RoutePort): boolean {
  return mac === undefined || mac === port.mac_address;
}

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
      because: `levelset's routes are on router ${router} now`,
      ifPresent: true,
    })),
    after: new Map(all.map(({ id, kept }) => [id, kept])),
    kept: new Set(all.flatMap(({ kept }) => kept.map(({ destination }) => cidrKey(destination)))),
    problems: all.flatMap(({ id, kept }) => (kept.length > 0 ? problem(id, kept.length, router) : [])),
  };
}

function problem(value: string, count: number, router: string): Problem {
  const message = `was configured before and keeps ${count} of levelset's routes until router ${router} has them`;
  return { field: '[Route] router-id', value, message };
}
