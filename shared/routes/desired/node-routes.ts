import { compareText } from '../../model/text/text.ts';
import type { Node, NodeCondition } from '../../model/kubernetes.ts';
import { familyOf } from '../../model/network/network-facts.ts';
import { internalIPs, serverOf, nodeStatusAt } from '../../model/node/node.ts';
import {
  routeKey,
  type RoutePort,
  type WireRouter,
  type WrittenRoute,
  type WrittenRoutes,
} from '../../model/network/routes.ts';
import { cidrKey, isWithin } from '../../model/network/cidr.ts';
import type { DesiredResource } from '../../model/resources.ts';

export interface RouteReading {
  readonly nodes: readonly Node[];
  readonly router: WireRouter;
  /** The subnets on which the router has an interface. A next hop can only be there. */
  readonly subnets: ReadonlySet<string>;
  readonly ports: readonly RoutePort[];
  readonly written: WrittenRoutes;
  readonly clusterCidrs: readonly string[];
  /** The number of routes that the router accepts, if Neutron has said so. */
  readonly limit?: number;
}

export interface NodeRoutes {
  readonly node: Node;
  readonly ports: readonly RoutePort[];
  readonly routes: readonly WrittenRoute[];
  readonly without: readonly { readonly cidr: string; readonly why: string }[];
  /** The Node's port is unknown, so its routes stay. */
  readonly isDoubtful: boolean;
}

/** By the Nodes' names. Of two Nodes with one podCIDR the one whose route is, or was, on the router gets it, else the first. */
export function nodeRoutes(reading: RouteReading): readonly NodeRoutes[] {
  const there = new Set((reading.router.routes ?? []).map(routeKey));
  const recorded = new Set(reading.written.map(routeKey));
  const portsOf = portFinder(reading);
  const found = [...reading.nodes]
    .sort((a, b) => compareText(a.metadata.name, b.metadata.name))
    .map((node) => routesOf(node, portsOf(node), { there, recorded }, reading));
  // a Node whose ports are unknown keeps the routes that there are
  const routed = new Set((reading.router.routes ?? []).map(({ destination }) => cidrKey(destination)));
  const holders = new Map<string, string>();
  for (const { node, isDoubtful } of found)
    for (const cidr of isDoubtful ? (node.spec?.podCIDRs ?? []).map(cidrKey) : [])
      if (routed.has(cidr)) holders.set(cidr, node.metadata.name);
  for (const isFirst of [there, recorded, undefined])
    for (const { node, routes } of found)
      for (const route of routes)
        if (!holders.has(route.destination) && (isFirst?.has(routeKey(route)) ?? true))
          holders.set(route.destination, node.metadata.name);
  return found.map((one) => withoutTaken(one, holders));
}

/** A Node without a providerID has the ports with its addresses. Undefined: two Nodes claim the server. */
function portFinder({
  nodes,
  ports,
}: Pick<RouteReading, 'nodes' | 'ports'>): (node: Node) => readonly RoutePort[] | undefined {
  const byServer = Map.groupBy(ports, ({ device_id: id }) => id ?? '');
  const byAddress = Map.groupBy(
    ports.flatMap((port) => fixedIPs(port).map((fixed) => ({ port, address: cidrKey(fixed.ip_address) }))),
    ({ address }) => address,
  );
  const claims = Map.groupBy(nodes, (node) => serverOf(node) ?? '');
  return (node) => {
    const server = serverOf(node);
    if (server === undefined)
      return [
        ...new Set(
          internalIPs(node).flatMap((ip) => (byAddress.get(cidrKey(ip)) ?? []).map(({ port }) => port)),
        ),
      ];
    return (claims.get(server) ?? []).length > 1 ? undefined : (byServer.get(server) ?? []);
  };
}

function routesOf(
  node: Node,
  ports: readonly RoutePort[] | undefined,
  { there, recorded }: Readonly<Record<'there' | 'recorded', ReadonlySet<string>>>,
  reading: RouteReading,
): NodeRoutes {
  const cidrs = node.spec?.podCIDRs ?? [];
  const isDoubtful = ports === undefined || ports.length === 0;
  const routes: WrittenRoute[] = [];
  const without: { cidr: string; why: string }[] = [];
  for (const cidr of cidrs) {
    const destination = cidrKey(cidr);
    const hops = nextHops(node, ports ?? [], destination, reading.subnets);
    const oneIn = (routes: ReadonlySet<string>): (typeof hops)[number] | undefined =>
      hops.find(({ nexthop }) => routes.has(routeKey({ destination, nexthop })));
    const hop = oneIn(there) ?? oneIn(recorded) ?? hops[0];
    const isOurs = reading.clusterCidrs.some((outer) => isWithin(destination, outer));
    if (!isOurs) without.push({ cidr, why: 'it is not in a --cluster-cidr' });
    else if (hop) routes.push({ destination, ...hop });
    else without.push({ cidr, why: whyNoHop(ports, destination, reading) });
  }
  return { node, ports: ports ?? [], routes, without, isDoubtful };
}

/** Addresses on a subnet of the router, of the destination's family; InternalIPs of the Node first. */
function nextHops(
  node: Node,
  ports: readonly RoutePort[],
  destination: string,
  subnets: ReadonlySet<string>,
): readonly Pick<WrittenRoute, 'nexthop' | 'port'>[] {
  const order = internalIPs(node).map(cidrKey);
  const rank = (address: string): number => order.indexOf(cidrKey(address)) + 1 || order.length + 1;
  return ports
    .flatMap((port) => fixedIPs(port).map((fixed) => ({ ...fixed, port: port.id })))
    .filter((one) => subnets.has(one.subnet_id ?? '') && isSameFamily(one.ip_address, destination))
    .sort((a, b) => rank(a.ip_address) - rank(b.ip_address) || compareText(a.port, b.port))
    .map(({ ip_address, port }) => ({ nexthop: ip_address, port }));
}

function whyNoHop(
  ports: readonly RoutePort[] | undefined,
  destination: string,
  { router }: RouteReading,
): string {
  if (!ports) return 'another Node has the same server';
  if (ports.length === 0) return 'no port of its server is known';
  return `none of its ports has an IPv${familyOf(destination)} address in a subnet of router ${router.id}`;
}

function withoutTaken(found: NodeRoutes, holders: ReadonlyMap<string, string>): NodeRoutes {
  const { name } = found.node.metadata;
  const holderOf = ({ destination }: WrittenRoute): string => holders.get(destination) ?? name;
  const taken = found.routes.filter((route) => holderOf(route) !== name);
  const without = taken.map((route) => ({
    cidr: route.destination,
    why: `it is a podCIDR of Node ${holderOf(route)}, too`,
  }));
  return {
    ...found,
    routes: found.routes.filter((route) => !taken.includes(route)),
    without: [...found.without, ...without],
  };
}

function isSameFamily(address: string, cidr: string): boolean {
  return familyOf(address) === familyOf(cidr);
}

export function fixedIPs({ fixed_ips: fixed }: RoutePort): NonNullable<RoutePort['fixed_ips']> {
  return fixed ?? [];
}

const NETWORK_UNAVAILABLE = 'NetworkUnavailable';
/** The conditions of Kubernetes' route controller (docs/sources/kubernetes.md, "Routes"). */
const CREATED = {
  status: 'False',
  reason: 'RouteCreated',
  message: 'RouteController created a route',
} as const;
const NOT_CREATED = {
  status: 'True',
  reason: 'NoRouteCreated',
  message: 'RouteController failed to create a route',
} as const;

/** The condition NetworkUnavailable: whether there is a route to each podCIDR. A Node whose port is unknown keeps what it has. */
export function routeConditions(
  nodes: readonly NodeRoutes[],
  isThere: (route: WrittenRoute) => boolean,
  now: string,
): readonly DesiredResource<'nodestatus'>[] {
  return nodes.flatMap((one) => {
    const verdict = report(one, isThere);
    const { metadata, status } = one.node;
    if (!verdict) return [];
    const old = status?.conditions?.find(({ type }) => type === NETWORK_UNAVAILABLE);
    const lastTransitionTime = old?.status === verdict.status ? old.lastTransitionTime : now;
    const condition: NodeCondition = {
      type: NETWORK_UNAVAILABLE,
      ...verdict,
      lastHeartbeatTime: now,
      lastTransitionTime,
    };
    const address = nodeStatusAt(metadata.name);
    return [{ kind: 'nodestatus', address, attributes: { conditions: [condition] }, ifPresent: true }];
  });
}

function report(
  { node, routes, isDoubtful }: NodeRoutes,
  isThere: (route: WrittenRoute) => boolean,
): typeof CREATED | typeof NOT_CREATED | undefined {
  const cidrs = node.spec?.podCIDRs ?? [];
  const old = node.status?.conditions?.find(({ type }) => type === NETWORK_UNAVAILABLE);
  if (cidrs.length === 0) return old?.reason === CREATED.reason ? NOT_CREATED : undefined;
  if (isDoubtful && old) return undefined;
  const routed = new Set(routes.filter(isThere).map(({ destination }) => destination));
  return cidrs.every((cidr) => routed.has(cidrKey(cidr))) ? CREATED : NOT_CREATED;
}
