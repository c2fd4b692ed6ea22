import type { CloudState } from '../cloud-state.ts';
import { createPort, deletePort } from '../neutron/ports.ts';
import type { Network, Port } from '../neutron/objects.ts';
import { defaultGroup } from '../neutron/security-groups.ts';
import type { NovaFlavor, Server } from './objects.ts';

/** The wanted server. What is left out is as the lab's fake driver makes it. */
export interface ServerWish {
  /** The names of the networks on which the server has a port (default: `private` alone). */
  readonly networks?: readonly string[];
  /** The IPv4 address of the first port. */
  readonly address?: string | undefined;
  readonly flavor?: NovaFlavor;
  readonly zone?: string;
  readonly metadata?: Readonly<Record<string, string>>;
  readonly tags?: readonly string[];
  readonly status?: string;
  readonly accessIPv4?: string;
  readonly accessIPv6?: string;
}

/** Makes a server with its ports. It is ACTIVE at once, as with a driver without hardware. */
export function makeServer(world: CloudState, name: string, wish: ServerWish = {}): Server {
  const server = bareServer(world, world.projectId, name, wish);
  for (const [index, network] of (wish.networks ?? ['private']).entries()) {
    const found = world.networks.find((one) => one.name === network);
    if (!found) throw new Error(`no network ${network}`);
    plugNetwork(world, server, found, index === 0 ? wish.address : undefined);
  }
  return server;
}

/** Makes a server without ports. */
export function bareServer(world: CloudState, owner: string, name: string, wish: ServerWish): Server {
  const {
    zone = 'az1',
    metadata = {},
    status = 'ACTIVE',
    accessIPv4 = '',
    accessIPv6 = '',
    tags = [],
  } = wish;
  const at = world.clock.seconds();
  const flavor = wish.flavor ?? world.novaFlavors.find((one) => one.name === 'm1.small');
  if (!flavor) throw new Error('no flavor m1.small');
  const server: Server = {
    ...{ id: world.newId(), name, tenant_id: owner, status, metadata: { ...metadata } },
    ...{ accessIPv4, accessIPv6, zone, flavor, created: at, updated: at, tags, borrowedPorts: [] },
  };
  world.servers.push(server);
  return server;
}

/** Gives the server a new port on the network's IPv4 subnet, which is deleted with the server. */
export function plugNetwork(world: CloudState, server: Server, network: Network, address?: string): Port {
  const subnets = world.subnets.of('network_id', network.id);
  const subnet = subnets.find((one) => one.ip_version === 4) ?? subnets[0];
  return createPort(world, {
    name: '',
    deviceId: server.id,
    deviceOwner: `compute:${server.zone}`,
    subnets: subnet ? [{ id: subnet.id, address }] : [],
    up: true,
    projectId: server.tenant_id,
    securityGroups: defaultGroup(world, server.tenant_id),
  });
}

/** Gives the server a port that exists already, which stays when the server is removed. */
export function plugPort(world: CloudState, server: Server, port: Port): void {
  server.borrowedPorts.push(port.id);
  setDevice(world, port, server.id, `compute:${server.zone}`);
}

/** Removes a server from Nova and its own ports from Neutron. Its borrowed ports are free again. */
export function removeServer(world: CloudState, server: Server): void {
  world.servers.remove(server);
  for (const port of world.ports.of('device_id', server.id)) {
    if (server.borrowedPorts.includes(port.id)) setDevice(world, port, '', '');
    else deletePort(world, port);
  }
}

function setDevice(world: CloudState, port: Port, device_id: string, device_owner: string): void {
  Object.assign(port, { device_id, device_owner, status: device_id === '' ? 'DOWN' : 'ACTIVE' });
  world.touch(port);
}
