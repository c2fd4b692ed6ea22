import type { Node } from '../../model/kubernetes.ts';
import { parseProviderID } from '../../model/node/provider-id.ts';
import type { ObservedResource, WireResource } from '../../model/resources.ts';
import { routePortAt, routerAt } from '../../model/network/routes.ts';
import type { FormerRouter, RoutePort, RouteRecords, WireRouter } from '../../model/network/routes.ts';
import type { Cloud } from '../../ports.ts';
import { listPorts } from '../../observe/list-ports.ts';

const FIELDS = [
  ...['id', 'device_id', 'device_owner', 'fixed_ips', 'mac_address', 'network_id', 'revision_number'],
  ...['allowed_address_pairs', 'port_security_enabled', 'security_groups'],
];

/** The device owners of router interfaces: plain, distributed, and highly available. */
const INTERFACES = [
  'network:router_interface',
  'network:router_interface_distributed',
  'network:ha_router_replicated_interface',
];

interface ObservedPorts {
  /** The ports of the Nodes, and those that the record names. */
  readonly ports: readonly (RoutePort & WireResource)[];
  /** The interfaces of the router; of all routers if none is named. */
  readonly interfaces: readonly RoutePort[];
}

interface ObservedRoutes {
  readonly router: WireRouter;
  readonly subnets: ReadonlySet<string>;
  readonly ports: readonly RoutePort[];
  /** The other routers of the record. */
  readonly former: readonly FormerRouter[];
  readonly resources: readonly ObservedResource<'router' | 'port'>[];
}

/**
 * The ports of the Nodes and of the router, by one call if every Node names its server, else by two. One more
 * call lists the interfaces of all routers if no router is named, and one the ports that only the record
 * names.
 */
export async function observePorts(
  routerId: string | undefined,
  nodes: readonly Node[],
  records: RouteRecords,
  cloud: Pick<Cloud, 'list'>,
): Promise<ObservedPorts> {
  const servers = nodes.flatMap(({ spec }) => parseProviderID(spec?.providerID ?? '')?.serverId ?? []);
  const unnamed = nodes.filter(({ spec }) => !parseProviderID(spec?.providerID ?? '')).flatMap(internalIPs);
  const fixed = unnamed.map((address) => `ip_address=${address}`);
  const devices = [...(routerId === undefined ? [] : [routerId]), ...new Set(servers)];
  const listed = await Promise.all([
    listPorts('device_id', devices, FIELDS, cloud),
    listPorts('fixed_ips', fixed, FIELDS, cloud),
    routerId === undefined ? cloud.list('port', { device_owner: INTERFACES, fields: FIELDS }) : [],
  ]);
  const known = new Map(listed.flat().map((port) => [port.id, port]));
  const named = [...records.values()].flat().map(({ port }) => port);
  const recorded = [...new Set(named)].filter((id) => !known.has(id));
  for (const port of await listPorts('id', recorded, FIELDS, cloud)) known.set(port.id, port);
  const all = [...known.values()] as readonly ObservedPorts['ports'][number][];
  return {
    ports: all.filter(({ device_owner: owner = '' }) => !owner.startsWith('network:')),
    interfaces: all.filter(({ device_owner: owner = '' }) => INTERFACES.includes(owner)),
  };
}

/**
 * The router, by one call, and each other router of the record, by one more. Undefined if the router does not exist.
 */
export async function observeRoutes(
  routerId: string,
  { ports, interfaces }: ObservedPorts,
  records: RouteRecords,
  cloud: Pick<Cloud, 'get'>,
): Promise<ObservedRoutes | undefined> {
  const others = [...records].filter(([id]) => id !== routerId);
  const [router, ...formers] = await Promise.all(
    [routerId, ...others.map(([id]) => id)].map((id) => cloud.get('router', id)),
  );
  if (!router) return undefined;
  const own = interfaces.filter((port) => port.device_id === routerId);
  return {
    router,
    subnets: new Set(own.flatMap(({ fixed_ips: ips }) => (ips ?? []).flatMap((one) => one.subnet_id ?? []))),
    ports,
    former: others.map(([id, written], at) => {
      const { routes = [] } = (formers[at] ?? {}) as Partial<WireRouter>;
      return { id, routes, written };
    }),
    resources: [
      ...[router, ...formers.flatMap((one) => one ?? [])].map(routerResource),
      ...ports.map(portResource),
    ],
  };
}

function routerResource(wire: WireResource): ObservedResource<'router'> {
  return { kind: 'router', address: routerAt(wire.id), id: wire.id, owned: true, wire };
}

function portResource(wire: WireResource): ObservedResource<'port'> {
  return { kind: 'port', address: routePortAt(wire.id), id: wire.id, owned: true, wire };
}

function internalIPs({ status }: Node): readonly string[] {
  return (status?.addresses ?? []).flatMap(({ type, address }) => (type === 'InternalIP' ? address : []));
}
