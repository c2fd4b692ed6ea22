/** What another controller made, as it was recorded (test/golden/takeover), made anew with the same calls' contents. */
import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Node, Service } from '../../shared/model/kubernetes.ts';
import type { RecordedWorld } from '../golden/world.ts';
import type { Wire } from '../support/cloud-model.ts';
import { cloudConfig } from './cloud-config.ts';
import { lab, labResources } from './environment.ts';
import { E2E_LABEL, kube, servicePath } from './kubernetes.ts';
import type { LabNode } from './servers.ts';
import {
  cloud,
  deleteLoadBalancer,
  floatingIPs,
  loadBalancers,
  settled,
  type Resource,
} from './openstack.ts';

type Replacements = ReadonlyMap<string, string>;

/** The recorded nodes, by name, that stand for real ones here; the others were not there. */
export type Stand = ReadonlyMap<string, LabNode>;

export interface Rebuilt {
  readonly service: Service;
  readonly loadBalancer: Resource;
}

const LISTENER = [
  ...[
    'name',
    'description',
    'protocol',
    'protocol_port',
    'admin_state_up',
    'connection_limit',
    'insert_headers',
  ],
  ...['timeout_client_data', 'timeout_member_connect', 'timeout_member_data', 'timeout_tcp_inspect'],
  ...['allowed_cidrs', 'default_tls_container_ref', 'tls_versions', 'tags'],
];
const POOL = [
  'name',
  'description',
  'protocol',
  'lb_algorithm',
  'session_persistence',
  'admin_state_up',
  'tags',
];
const MEMBER = [
  'name',
  'address',
  'protocol_port',
  'weight',
  'backup',
  'subnet_id',
  'admin_state_up',
  'tags',
];
const MONITOR = [
  'name',
  'type',
  'delay',
  'timeout',
  'max_retries',
  'max_retries_down',
  'http_method',
  'url_path',
  'expected_codes',
];

/** The same world with this lab's networks, nodes and certificate in place of those that were recorded. */
export function moved(world: RecordedWorld, nodes: Stand, certificate: string): RecordedWorld {
  const stays = new Set([...nodes.keys(), 'joiner']);
  const gone = world.nodes.filter(({ metadata }) => !stays.has(metadata.name)).flatMap(addressesOf);
  const fewer: RecordedWorld = {
    ...world,
    nodes: world.nodes.filter(({ metadata }) => stays.has(metadata.name)),
    openstack: world.openstack.map((one) => ({
      ...one,
      members: Object.fromEntries(
        Object.entries(one.members).map(([pool, members]) => [
          pool,
          members.filter(({ address }) => !gone.includes(String(address))),
        ]),
      ),
    })),
  };
  const text = [...replacements(fewer, nodes, certificate)].reduce(
    (done, [from, to]) => done.replaceAll(`"${from}"`, `"${to}"`).replaceAll(`=${from}"`, `=${to}"`),
    JSON.stringify(fewer),
  );
  return JSON.parse(text) as RecordedWorld;
}

function replacements(world: RecordedWorld, nodes: Stand, certificate: string): Replacements {
  const option = (name: string): string =>
    world.cloud_config.find((line) => line.startsWith(`${name}=`))?.slice(name.length + 1) ?? randomUUID();
  const { private_v4, private_network, public_network } = labResources();
  const refs = world.openstack
    .flatMap(({ listeners }) => listeners)
    .flatMap((listener) => listener['default_tls_container_ref'] ?? [])
    .map(String);
  return new Map([
    [option('subnet-id'), private_v4],
    [option('network-id'), private_network],
    [option('floating-network-id'), public_network],
    ...refs.flatMap((ref): [string, string][] => [
      [ref, certificate],
      [ref.split('/').at(-1) ?? '', certificate],
    ]),
    ...[...nodes].flatMap(([name, real]) =>
      world.nodes
        .filter(({ metadata }) => metadata.name === name)
        .flatMap(addressesOf)
        .filter((address) => address.includes('.'))
        .map((address): [string, string] => [address, real.address]),
    ),
  ]);
}

const addressesOf = ({ status }: Node): readonly string[] =>
  (status?.addresses ?? []).filter(({ type }) => type === 'InternalIP').map(({ address }) => address);

/** The cloud.conf of that controller, with the way into this cloud. */
export async function cloudConfigOf(world: RecordedWorld, name: string): Promise<string> {
  const file = join(lab().directory, `${name}.cloud.conf`);
  const rest = world.cloud_config.slice(world.cloud_config.indexOf('[LoadBalancer]'));
  const text = `${cloudConfig(lab().levelsetCloud, null).replace('[LoadBalancer]\n', '')}${rest.join('\n')}\n`;
  await writeFile(file, text, { mode: 0o600 });
  return file;
}

/** Service, load balancer, floating IP and what that controller wrote to the Service. */
export async function rebuild(world: RecordedWorld): Promise<Rebuilt> {
  const [recorded] = world.openstack;
  if (!recorded) throw new Error('nothing was recorded');
  const service = await createService(world.service);
  const loadBalancer = await createLoadBalancer(recorded);
  const [ip] = await Promise.all(recorded.floatingips.map((wire) => createFloatingIP(wire, loadBalancer)));
  const address = String(ip?.['floating_ip_address'] ?? loadBalancer['vip_address']);
  const { namespace, name, annotations = {} } = world.service.metadata;
  const told = new Map([
    [recorded.loadbalancer.id, loadBalancer.id],
    [
      String(recorded.floatingips[0]?.['floating_ip_address'] ?? recorded.loadbalancer['vip_address']),
      address,
    ],
  ]);
  const written = Object.fromEntries(
    Object.entries(annotations).map(([key, value]) => [key, told.get(value) ?? value]),
  );
  await kube.patch(servicePath(namespace, name), { metadata: { annotations: written } });
  const ingress = (world.service.status?.loadBalancer?.ingress ?? []).map((one) => ({
    ...one,
    ...(one.ip === undefined ? {} : { ip: told.get(one.ip) ?? one.ip }),
  }));
  await kube.patch(`${servicePath(namespace, name)}/status`, { status: { loadBalancer: { ingress } } });
  return { service, loadBalancer };
}

/** Whatever is still there when a test failed: the tests have cloud and cluster for themselves. */
export async function removeAll(): Promise<void> {
  const services = await kube.list<Service>(`/api/v1/services?labelSelector=${E2E_LABEL}`);
  for (const { metadata } of services) {
    const path = servicePath(metadata.namespace, metadata.name);
    await kube.patch(path, { metadata: { finalizers: null } });
    await kube.remove(path);
  }
  await Promise.all((await loadBalancers()).map(({ id }) => deleteLoadBalancer(id)));
  const ips = await floatingIPs();
  await Promise.all(ips.map(({ id }) => cloud().request('network', 'DELETE', `/v2.0/floatingips/${id}`)));
}

async function createService({ metadata, spec }: Service): Promise<Service> {
  const { namespace, name, annotations, finalizers } = metadata;
  return kube.create(`/api/v1/namespaces/${namespace}/services`, {
    metadata: { namespace, name, annotations, finalizers, labels: { [E2E_LABEL]: 'true' } },
    spec: Object.assign({}, spec, { clusterIP: undefined, clusterIPs: undefined }),
  });
}

async function createLoadBalancer(recorded: RecordedWorld['openstack'][number]): Promise<Resource> {
  const { loadbalancer: lb, listeners, pools, members, healthmonitors } = recorded;
  const poolOf = (id: unknown): object | undefined => {
    const pool = pools.find((one) => one.id === id);
    if (!pool) return undefined;
    const monitor = healthmonitors.find((one) => one.id === pool['healthmonitor_id']);
    return {
      ...pick(pool, POOL),
      members: (members[pool.id] ?? []).map((member) => pick(member, MEMBER)),
      ...(monitor ? { healthmonitor: pick(monitor, MONITOR) } : {}),
    };
  };
  const body = {
    ...pick(lb, ['name', 'description', 'provider', 'vip_subnet_id', 'admin_state_up', 'tags']),
    listeners: listeners.map((listener) => ({
      ...pick(listener, LISTENER),
      default_pool: poolOf(listener['default_pool_id']),
    })),
  };
  const made = await cloud().must<{ loadbalancer: Resource }>(
    'load-balancer',
    'POST',
    '/v2.0/lbaas/loadbalancers',
    {
      loadbalancer: body,
    },
  );
  const state = await settled(made.loadbalancer.id, { timeoutMs: 180_000 });
  if (state !== 'ACTIVE') throw new Error(`load balancer ${String(lb['name'])} is ${state}`);
  return made.loadbalancer;
}

async function createFloatingIP(wire: Wire, lb: Resource): Promise<Resource> {
  const { floatingip } = await cloud().must<{ floatingip: Resource }>(
    'network',
    'POST',
    '/v2.0/floatingips',
    {
      floatingip: { ...pick(wire, ['floating_network_id', 'description']), port_id: lb['vip_port_id'] },
    },
  );
  return floatingip;
}

/** What the API takes, of what it answered. */
function pick(wire: Wire, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = wire[name];
      return value === null || value === undefined ? [] : [[name, value]];
    }),
  );
}
