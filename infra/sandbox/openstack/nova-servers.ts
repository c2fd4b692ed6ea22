import type { Call, Answer } from '../exchange.ts';
import { Refusal } from '../refusal.ts';
import type { CloudWorld } from './cloud-world.ts';
import { createPort } from './neutron-ports.ts';
import type { Server } from './neutron-objects.ts';

const defaultGroupOf = (world: CloudWorld): string[] =>
  world.securityGroups
    .filter((one) => one.project_id === world.projectId && one.name === 'default')
    .map((one) => one.id);

/** A server as the lab's fake driver makes it: one port on the private network, zone az1, flavor m1.small. */
export function createNova(world: CloudWorld, name: string, address?: string): Server {
  const id = world.newId();
  const four = world.subnets.find((subnet) => subnet.name === 'private-v4');
  const port = createPort(world, {
    name: '',
    deviceId: id,
    deviceOwner: 'compute:az1',
    subnets: four ? [{ id: four.id, address }] : [],
    up: true,
    projectId: world.projectId,
    securityGroups: defaultGroupOf(world),
  });
  const at = world.clock.seconds();
  const server: Server = {
    id,
    name,
    status: 'ACTIVE',
    tenant_id: world.projectId,
    metadata: {},
    flavor: {
      vcpus: 1,
      ram: 2048,
      disk: 20,
      ephemeral: 0,
      swap: 0,
      original_name: 'm1.small',
      extra_specs: {},
    },
    created: at,
    updated: at,
    addresses: {
      private: port.fixed_ips.map((ip) => ({
        version: ip.ip_address.includes(':') ? 6 : 4,
        addr: ip.ip_address,
        'OS-EXT-IPS:type': 'fixed',
        'OS-EXT-IPS-MAC:mac_addr': port['mac_address'],
      })),
    },
    accessIPv4: '',
    accessIPv6: '',
    'OS-EXT-AZ:availability_zone': 'az1',
    'OS-EXT-STS:vm_state': 'active',
    'OS-EXT-STS:task_state': null,
    'OS-EXT-STS:power_state': 1,
    tags: [],
  };
  world.servers.push(server);
  return server;
}

/** Nova: versions, servers/detail with paging, one server; enough for what a cloud controller reads of it. */
export function novaAnswer(world: CloudWorld, call: Call, path: string, projectId: string): Answer {
  const version = call.headers['x-openstack-nova-api-version'] ?? '2.1';
  const headers = { 'X-OpenStack-Nova-API-Version': String(version) };
  if (/^\/(v2\.1\/?)?$/.test(path)) {
    const root = { id: 'v2.1', status: 'CURRENT', version: '2.93', min_version: '2.1' };
    return { status: 200, headers, body: path === '/' ? { versions: [root] } : { version: root } };
  }
  if (call.method !== 'GET')
    throw new Refusal(405, { badMethod: { code: 405, message: 'Method not allowed' } });
  const mine = world.servers.filter((server) => server.tenant_id === projectId);
  const name = call.query.get('name');
  if (path === '/v2.1/servers/detail') {
    const wanted = mine.filter((server) => name === null || new RegExp(name).test(server.name));
    const start = wanted.findIndex((server) => server.id === call.query.get('marker')) + 1;
    return {
      status: 200,
      headers,
      body: { servers: wanted.slice(start, start + Number(call.query.get('limit') ?? 1000)) },
    };
  }
  const id = /^\/v2\.1\/servers\/([^/]+)$/.exec(path)?.[1];
  const server = mine.find((one) => one.id === id);
  if (server) return { status: 200, headers, body: { server } };
  const message =
    id === undefined ? 'The resource could not be found.' : `Instance ${id} could not be found.`;
  throw new Refusal(404, { itemNotFound: { code: 404, message } }, headers);
}
