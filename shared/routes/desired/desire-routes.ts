import type { Problem } from '../../model/plan.ts';
import type { DesiredResource } from '../../model/resources.ts';
import {
  recordKey,
  routeKey,
  routePortAt,
  routerAt,
  type AddressPair,
  type Route,
  type RoutePort,
  type RouteRecords,
  type WireRouter,
  type WrittenRoutes,
  textOfRoute,
} from '../../model/network/routes.ts';
import { cidrKey, isWithin } from '../../model/network/cidr.ts';
import { fixedIPs, nodeRoutes, type NodeRoutes, type RouteReading } from './node-routes.ts';

export interface DesiredRoutes {
  readonly router: WireRouter;
  /** The router comes first, as it may have no room for more routes. */
  readonly resources: readonly DesiredResource<'port' | 'router'>[];
  readonly nodes: readonly NodeRoutes[];
  readonly problems: readonly Problem[];
  readonly foreign: readonly Route[];
  /** The record to save before the writes, and the record after all of them. */
  readonly before: RouteRecords;
  readonly after: RouteRecords;
}

/**
 * Routes and address pairs as the Nodes' podCIDRs say. levelset changes only what is provably its own (decision 112):
 * in a cluster CIDR, and recorded or leading to a Node.
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
  const leaving = there.filter((route) => !stays(route));
  const staying = once(there.filter(stays), (route) => !isOurs(route));
  const kept = new Set(staying.map(routeKey));
  const coming = [...wanted.values()].filter((route) => !kept.has(routeKey(route)));
  const fitting = coming.slice(0, Math.max(0, limit - staying.length));
  const noRoom = new Set(coming.slice(fitting.length));
  const nodes = all.map((one) => withoutRoom(one, noRoom, limit));
  const routes = nodes.flatMap((one) => one.routes);
  const isLeft = (cidr: string): boolean => doubtful.has(cidrKey(cidr));
  const before = each([...withPorts(leaving, all), ...reading.written, ...routes]);
  const left = reading.written.filter(({ destination }) => isLeft(destination));
  const pairs = desiredPairs(reading.ports, { routes, before, isKept: isLeft });
  const target: DesiredResource<'router'> = {
    kind: 'router',
    address: routerAt(router.id),
    attributes: {
      routes: [...staying, ...fitting.map(({ destination, nexthop }) => ({ destination, nexthop }))],
    },
    ifPresent: true,
    ...whyRoutesGo(leaving, all),
  };
  const foreign = there.filter((route) => !isOurs(route) && isInCluster(route, reading));
  return {
    router,
    resources: [target, ...pairs.map(portResource)],
    nodes,
    problems: routeProblems({ nodes, wanted: [...wanted.values()], foreign }),
    foreign,
    before: new Map([[router.id, before]]),
    after: new Map([[router.id, each([...left, ...routes])]]),
  };
}

function each(routes: WrittenRoutes): WrittenRoutes {
  const byKey = new Map(routes.map((route) => [recordKey(route), route]));
  return [...byKey].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, route]) => route);
}

/** Whether levelset owns a route: it is recorded, or it leads to an address of a Node. */
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

/** The routes without second spellings of the same route. Exempt routes stay as they are. */
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

/** Why routes go from the router, with the CIDRs of each reason. */
function whyRoutesGo(leaving: readonly Route[], all: readonly NodeRoutes[]): { readonly because?: string } {
  if (leaving.length === 0) return {};
  const held = new Set(all.flatMap(({ node }) => node.spec?.podCIDRs ?? []).map(cidrKey));
  const routed = new Set(all.flatMap(({ routes }) => routes).map(({ destination }) => cidrKey(destination)));
  const why = ({ destination }: Route): string => {
    if (!held.has(cidrKey(destination))) return 'no Node has the podCIDR';
    return routed.has(cidrKey(destination)) ? 'another next hop leads to' : 'levelset knows no next hop to';
  };
  const reasons = [...Map.groupBy(leaving, why)].map(
    ([reason, routes]) => `${reason} ${listed(routes.map(({ destination }) => destination))}`,
  );
  return { because: reasons.join('; ') };
}

/** So many CIDRs of a reason are named. The changes of the step have all. */
const MOST_NAMED = 3;

function listed(cidrs: readonly string[]): string {
  const more = cidrs.length > MOST_NAMED ? [`and ${cidrs.length - MOST_NAMED} more`] : [];
  return [...cidrs.slice(0, MOST_NAMED), ...more].join(', ');
}

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

function portResource([port, pairs]: readonly [RoutePort, readonly AddressPair[]]): DesiredResource<'port'> {
  const gone = (port.allowed_address_pairs ?? []).filter((pair) => !pairs.includes(pair));
  const cidrs = listed(gone.map(({ ip_address: cidr }) => cidr));
  return {
    ...(gone.length > 0 ? { because: `no route to ${cidrs} leads to this port` } : {}),
    kind: 'port',
    address: routePortAt(port.id),
    attributes: { allowed_address_pairs: pairs },
    ifPresent: true,
  };
}

interface DesiredPairs {
  readonly routes: WrittenRoutes;
  /** All routes that levelset is known to have written. */
  readonly before: WrittenRoutes;
  /** Whether the Node of a CIDR is uncertain, so that its pairs stay. */
  readonly isKept: (cidr: string) => boolean;
}

/** A port needs the CIDRs of its routes, each in a pair of its own or a wider one. Only pairs for former routes of levelset go. */
function desiredPairs(
  ports: readonly RoutePort[],
  { routes, before, isKept }: DesiredPairs,
): readonly (readonly [RoutePort, readonly AddressPair[]])[] {
  const wanted = Map.groupBy(routes, ({ port }) => port);
  const ours = Map.groupBy(before, ({ port }) => port);
  return ports.flatMap((port) => {
    const pairs = port.allowed_address_pairs;
    // a port without port security accepts no pairs
    if (!pairs || port.port_security_enabled === false || !ours.has(port.id)) return [];
    const needed = (wanted.get(port.id) ?? []).map(({ destination }) => cidrKey(destination));
    const former = new Set((ours.get(port.id) ?? []).map(({ destination }) => cidrKey(destination)));
    const leaves = ({ ip_address: cidr }: AddressPair): boolean =>
      former.has(cidrKey(cidr)) && !needed.includes(cidrKey(cidr)) && !isKept(cidr);
    const staying = pairs.filter((pair) => !isOfPort(pair, port) || !leaves(pair));
    const coming = needed.filter((cidr) => !accepts(port, staying, cidr));
    return [[port, [...staying, ...coming.map((cidr) => ({ ip_address: cidr }))]] as const];
  });
}

/** Whether packets of this CIDR pass the port: one of its pairs has it, or a wider one. */
function accepts(port: RoutePort, pairs: readonly AddressPair[], cidr: string): boolean {
  return pairs.some((pair) => isOfPort(pair, port) && isWithin(cidr, cidrKey(pair.ip_address)));
}

function isOfPort({ mac_address: mac }: AddressPair, port: RoutePort): boolean {
  return mac === undefined || mac === port.mac_address;
}

/** The number of routes from which a cluster without Nodes is more likely a wrong answer than the truth. */
const SUSPICIOUS = 2;

/** Why to write nothing. `isManual`: a person confirms that there are no Nodes. */
export function routeDoubt(
  { router, subnets, nodes, written }: RouteReading,
  isManual: boolean,
): Problem | undefined {
  const doubt = (message: string): Problem => ({
    field: '[Route] router-id',
    value: router.id,
    message,
    blocking: true,
  });
  if (!router.routes) return doubt('cannot take routes: Neutron lacks the extension extraroute');
  if (subnets.size === 0)
    return doubt('has no interface that this project can see, so no Node can be a next hop');
  const count = written.length;
  if (nodes.length > 0 || count < SUSPICIOUS || isManual) return undefined;
  const many = `has ${count} routes to Nodes of this cluster, but the cluster has no Node; levelset deletes nothing`;
  return doubt(`${many}. If the cluster really has none, run: levelset reconcile routes`);
}

interface RouteProblemInput {
  readonly nodes: readonly NodeRoutes[];
  readonly wanted: WrittenRoutes;
  readonly foreign: readonly Route[];
}

function routeProblems(input: RouteProblemInput): readonly Problem[] {
  const without = input.nodes.flatMap(({ node, without }) =>
    without.map(({ cidr, why }) => ({
      field: `node/${node.metadata.name} spec.podCIDRs`,
      value: cidr,
      message: `gets no route: ${why}`,
    })),
  );
  return [...rivals(input), ...without];
}

/** Routes of others to the same pods. Nobody knows which of the two routes wins. */
function rivals({ wanted, foreign }: RouteProblemInput): readonly Problem[] {
  const ours = new Set(wanted.map(({ destination }) => cidrKey(destination)));
  return foreign
    .filter(({ destination }) => ours.has(cidrKey(destination)))
    .map((route) => ({
      field: 'routes',
      value: textOfRoute(route),
      message:
        'leads to the same pods as the route to their Node; nothing proves that levelset wrote it, so it stays',
    }));
}
