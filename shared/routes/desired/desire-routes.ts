import type { Problem } from '../../model/plan.ts';
import type { DesiredResource } from '../../model/resources.ts';
import { routeKey, routePortAt, routerAt } from '../../model/network/routes.ts';
import { cidrKey, isWithin } from '../../model/network/cidr.ts';
import type {
  AddressPair,
  Route,
  RoutePort,
  RouteRecords,
  WireRouter,
  WrittenRoutes,
} from '../../model/network/routes.ts';
import { desiredPairs } from './address-pairs.ts';
import { desireFormerRouters } from './former-routers.ts';
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
