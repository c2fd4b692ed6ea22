import { labResources } from './environment.ts';
import { E2E_LABEL } from './kubernetes.ts';
import { cloud, type Resource } from './openstack.ts';
import { until } from './until.ts';

/** A server in Nova with a port in Neutron, and the name of the Node that stands for it. */
export interface LabNode {
  readonly name: string;
  readonly server: string;
  /** IPv4, in the first of its networks; by default the lab's `private`. */
  readonly address: string;
}

export interface ServerOptions {
  /** Ids, of which `private` is one where nothing is said. */
  readonly networks?: readonly string[];
}

/** As Nova describes one. */
export interface Server extends Resource {
  readonly status: string;
  readonly addresses: Readonly<Record<string, readonly ServerAddress[]>>;
}

export interface ServerAddress {
  readonly version: 4 | 6;
  readonly addr: string;
  readonly 'OS-EXT-IPS:type': 'fixed' | 'floating';
}

/** Servers without their Nodes: what a machine is before its kubelet registers. */
export async function someServers(
  names: readonly string[],
  { networks = [labResources().private_network] }: ServerOptions = {},
): Promise<readonly LabNode[]> {
  const flavor = await tinyFlavor();
  const ids: string[] = [];
  for (const name of names) {
    const server = {
      name,
      flavorRef: flavor,
      imageRef: labResources().image,
      networks: networks.map((uuid) => ({ uuid })),
      metadata: { [E2E_LABEL]: 'true' },
    };
    const made = await cloud().must<{ server: Resource }>('compute', 'POST', '/servers', { server });
    ids.push(made.server.id);
  }
  const addresses = await activeAddresses(ids);
  return names.map((name, index) => ({
    name,
    server: ids[index] ?? '',
    address: addresses[index] ?? '',
  }));
}

export async function serverOf({ server: id }: LabNode): Promise<Server> {
  return (await cloud().must<{ server: Server }>('compute', 'GET', `/servers/${id}`)).server;
}

/** os-stop, os-start: until Nova says that it is so. */
export async function switchServer(node: LabNode, to: 'ACTIVE' | 'SHUTOFF'): Promise<void> {
  const action = { [to === 'ACTIVE' ? 'os-start' : 'os-stop']: null };
  await cloud().must('compute', 'POST', `/servers/${node.server}/action`, action);
  await until(`server ${node.name} to be ${to}`, async () => (await serverOf(node)).status === to);
}

export async function removeServers(ids: readonly string[]): Promise<void> {
  await Promise.all(
    ids.map(async (id) => {
      const { status, body } = await cloud().request('compute', 'DELETE', `/servers/${id}`);
      if (status >= 300 && status !== 404) throw new Error(`server ${id}: ${status} ${JSON.stringify(body)}`);
    }),
  );
  await until(`servers ${ids.join(', ')} to be gone`, async () => {
    const { servers } = await cloud().must<{ servers: { id: string }[] }>('compute', 'GET', '/servers');
    return !servers.some(({ id }) => ids.includes(id));
  });
}

/** Those that an earlier, interrupted run left behind. */
export async function removeOldServers(): Promise<void> {
  const { servers } = await cloud().must<{ servers: { id: string; metadata: Record<string, string> }[] }>(
    'compute',
    'GET',
    '/servers/detail',
  );
  await removeServers(servers.filter(({ metadata }) => E2E_LABEL in metadata).map(({ id }) => id));
}

/** The IPv4 address of each, when all of them run. One list for all: Nova asks Neutron for each answer. */
async function activeAddresses(ids: readonly string[]): Promise<readonly string[]> {
  return until(
    `servers ${ids.join(', ')} to be ACTIVE with an IPv4 address`,
    async () => {
      const { servers } = await cloud().must<{ servers: Server[] }>('compute', 'GET', '/servers/detail');
      const addresses = ids.flatMap((id) => {
        const server = servers.find((one) => one.id === id && one.status === 'ACTIVE');
        const all = Object.values(server?.addresses ?? {}).flat();
        return all.find(({ version }) => version === 4)?.addr ?? [];
      });
      return addresses.length === ids.length && addresses;
    },
    { timeoutMs: 120_000, everyMs: 500 },
  );
}

let flavor: Promise<string> | undefined;
function tinyFlavor(): Promise<string> {
  flavor ??= cloud()
    .must<{ flavors: { id: string; name: string }[] }>('compute', 'GET', '/flavors')
    .then(({ flavors }) => flavors.find(({ name }) => name === 'm1.tiny')?.id ?? '');
  return flavor;
}
