import type { Node } from '../model/kubernetes.ts';
import { parseProviderID } from '../model/provider-id.ts';
import type { ObservedResource, WireResource } from '../model/resources.ts';
import { routePortAt, routerAt } from '../model/routes.ts';
import type { RoutePort, WireRouter, WrittenRoutes } from '../model/routes.ts';
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
  readonly resources: readonly ObservedResource<'router' | 'port'>[];
}

/**
 * A router, its interfaces and the ports of the Nodes: two calls where every Node names its server. Undefined when there is no
 * such router.
 */
export async function observeRoutes(
  routerId: string,
  nodes: readonly Node[],
  written: WrittenRoutes,
  cloud: Pick<Cloud, 'get' | 'list'>,
): Promise<ObservedRoutes | undefined> {
  const servers = nodes.flatMap(({ spec }) => parseProviderID(spec?.providerID ?? '')?.serverId ?? []);
  const unnamed = nodes.filter(({ spec }) => !parseProviderID(spec?.providerID ?? '')).flatMap(internalIPs);
  const fixed = unnamed.map((address) => `ip_address=${address}`);
  const [router, byDevice, byAddress] = await Promise.all([
    cloud.get('router', routerId),
    listPorts('device_id', [routerId, ...new Set(servers)], FIELDS, cloud),
    listPorts('fixed_ips', fixed, FIELDS, cloud),
  ]);
  if (!router) return undefined;
  const known = new Map([...byDevice, ...byAddress].map((port) => [port.id, port]));
  const recorded = [...new Set(written.map(({ port }) => port))].filter((id) => !known.has(id));
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
    resources: [
      { kind: 'router', address: routerAt(router.id), id: router.id, owned: true, wire: router },
      ...ports.map(asResource),
    ],
  };
}

function asResource(wire: WireResource): ObservedResource<'port'> {
  return { kind: 'port', address: routePortAt(wire.id), id: wire.id, owned: true, wire };
}

function internalIPs({ status }: Node): readonly string[] {
  return (status?.addresses ?? []).flatMap(({ type, address }) => (type === 'InternalIP' ? address : []));
}
