import type { Node } from '../model/kubernetes.ts';
import { parseProviderID } from '../model/provider-id.ts';
import type { ObservedResource, WireResource } from '../model/resources.ts';
import { routePortAt, routerAt } from '../model/routes.ts';
import type { FormerRouter, RoutePort, RouteRecords, WireRouter } from '../model/routes.ts';
import type { Cloud } from '../ports.ts';
import { listPorts } from './port-lists.ts';

const FIELDS = [
  ...['id', 'device_id', 'device_owner', 'fixed_ips', 'mac_address', 'network_id', 'revision_number'],
  ...['allowed_address_pairs', 'port_security_enabled', 'security_groups'],
];

/** Ports by which a router is on a subnet: a plain one, a distributed one, and one of two or more. */
const INTERFACES = [
  'network:router_interface',
  'network:router_interface_distributed',
  'network:ha_router_replicated_interface',
];

export interface ObservedRoutes {
  readonly router: WireRouter;
  readonly subnets: ReadonlySet<string>;
  readonly ports: readonly RoutePort[];
  /** The others of the record. */
  readonly former: readonly FormerRouter[];
  readonly resources: readonly ObservedResource<'router' | 'port'>[];
}

/**
 * A router, its interfaces and the ports of the Nodes: two calls where every Node names its server, and one for each other router
 * of the record. Undefined when there is no such router.
 */
export async function observeRoutes(
  routerId: string,
  nodes: readonly Node[],
  records: RouteRecords,
  cloud: Pick<Cloud, 'get' | 'list'>,
): Promise<ObservedRoutes | undefined> {
  const servers = nodes.flatMap(({ spec }) => parseProviderID(spec?.providerID ?? '')?.serverId ?? []);
  const unnamed = nodes.filter(({ spec }) => !parseProviderID(spec?.providerID ?? '')).flatMap(internalIPs);
  const fixed = unnamed.map((address) => `ip_address=${address}`);
  const others = [...records].filter(([id]) => id !== routerId);
  const [router, formers, byDevice, byAddress] = await Promise.all([
    cloud.get('router', routerId),
    Promise.all(others.map(([id]) => cloud.get('router', id))),
    listPorts('device_id', [routerId, ...new Set(servers)], FIELDS, cloud),
    listPorts('fixed_ips', fixed, FIELDS, cloud),
  ]);
  if (!router) return undefined;
  const known = new Map([...byDevice, ...byAddress].map((port) => [port.id, port]));
  const named = [...records.values()].flat().map(({ port }) => port);
  const recorded = [...new Set(named)].filter((id) => !known.has(id));
  for (const port of await listPorts('id', recorded, FIELDS, cloud)) known.set(port.id, port);
  const all = [...known.values()] as readonly (RoutePort & WireResource)[];
  const isOwn = (port: RoutePort): boolean => port.device_id === routerId;
  const interfaces = all.filter((port) => isOwn(port) && INTERFACES.includes(port.device_owner ?? ''));
  const ports = all.filter((port) => !isOwn(port));
  return {
    router: router,
    subnets: new Set(
      interfaces.flatMap(({ fixed_ips: ips }) => (ips ?? []).flatMap((one) => one.subnet_id ?? [])),
    ),
    ports,
    former: others.map(([id, written], at) => {
      const { routes = [] } = (formers[at] ?? {}) as Partial<WireRouter>;
      return { id, routes, written };
    }),
    resources: [
      ...[router, ...formers.flatMap((one) => one ?? [])].map((wire) => routerResource(wire)),
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
