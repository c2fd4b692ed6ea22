import { ReconcileError } from '../../model/errors.ts';
import type { Node } from '../../model/kubernetes.ts';
import { internalIPs, serverOf } from '../../model/node/node.ts';
import type { ObservedResource, WireResource } from '../../model/resources.ts';
import {
  routePortAt,
  routerAt,
  type RoutePort,
  type WireRouter,
  type WrittenRoutes,
} from '../../model/network/routes.ts';
import type { Cloud } from '../../ports.ts';
import { listPorts } from '../../observe/reads.ts';

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

interface ObservedRoutes {
  readonly router: WireRouter;
  readonly subnets: ReadonlySet<string>;
  readonly ports: readonly RoutePort[];
  readonly resources: readonly ObservedResource<'router' | 'port'>[];
}

/** The router by one call, all ports by one to three. Throws NOT_FOUND. */
export async function observeRoutes(
  routerId: string,
  nodes: readonly Node[],
  written: WrittenRoutes,
  cloud: Pick<Cloud, 'get' | 'list'>,
): Promise<ObservedRoutes> {
  const [seen, router] = await Promise.all([
    observePorts(routerId, nodes, written, cloud),
    cloud.get('router', routerId),
  ]);
  if (!router)
    throw new ReconcileError('NOT_FOUND', `there is no router ${routerId}, which [Route] router-id names`);
  const ports = seen.filter(({ device_owner: owner = '' }) => !owner.startsWith('network:'));
  const interfaces = seen.filter(
    ({ device_id: id, device_owner: owner = '' }) => id === routerId && INTERFACES.includes(owner),
  );
  return {
    router,
    subnets: new Set(
      interfaces.flatMap(({ fixed_ips: ips }) => (ips ?? []).flatMap((one) => one.subnet_id ?? [])),
    ),
    ports,
    resources: [routerResource(router), ...ports.map(portResource)],
  };
}

async function observePorts(
  routerId: string,
  nodes: readonly Node[],
  written: WrittenRoutes,
  cloud: Pick<Cloud, 'list'>,
): Promise<readonly (RoutePort & WireResource)[]> {
  const servers = nodes.flatMap((node) => serverOf(node) ?? []);
  const unnamed = nodes.filter((node) => !serverOf(node)).flatMap(internalIPs);
  const fixed = unnamed.map((address) => `ip_address=${address}`);
  const listed = await Promise.all([
    listPorts('device_id', [routerId, ...new Set(servers)], FIELDS, cloud),
    listPorts('fixed_ips', fixed, FIELDS, cloud),
  ]);
  const known = new Map(listed.flat().map((port) => [port.id, port]));
  const recorded = [...new Set(written.map(({ port }) => port))].filter((id) => !known.has(id));
  for (const port of await listPorts('id', recorded, FIELDS, cloud)) known.set(port.id, port);
  return [...known.values()] as readonly (RoutePort & WireResource)[];
}

function routerResource(wire: WireResource): ObservedResource<'router'> {
  return { kind: 'router', address: routerAt(wire.id), id: wire.id, whose: 'ours', wire };
}

function portResource(wire: WireResource): ObservedResource<'port'> {
  return { kind: 'port', address: routePortAt(wire.id), id: wire.id, whose: 'ours', wire };
}
