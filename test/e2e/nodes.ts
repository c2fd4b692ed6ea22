import type { Node } from '../../shared/model/kubernetes.ts';
import { labResources } from './environment.ts';
import { E2E_LABEL, kube } from './kubernetes.ts';
import { cloud } from './openstack.ts';
import { until } from './until.ts';

/** A server in Nova with a port in Neutron, and the Node that stands for it. */
export interface LabNode {
  readonly name: string;
  readonly server: string;
  /** IPv4, in the lab's network `private`. */
  readonly address: string;
}

export interface NodeOptions {
  /** False: the Node has no address in its status until giveAddress. */
  readonly withAddress?: boolean;
  readonly labels?: Readonly<Record<string, string>>;
}

const nodePath = (name: string) => `/api/v1/nodes/${name}`;

/** One node that answers traffic. About 5 s, nearly all of it Nova's. */
export async function aNode(name: string, options: NodeOptions = {}): Promise<LabNode> {
  const [node] = await someNodes([name], options);
  if (!node) throw new Error(`no node ${name}`);
  return node;
}

/** Several at once: little slower than one. */
export async function someNodes(
  names: readonly string[],
  options: NodeOptions = {},
): Promise<readonly LabNode[]> {
  const servers = await someServers(names);
  await Promise.all(servers.map((server) => joinCluster(server, options)));
  return servers;
}

/** Servers without their Nodes: what a machine is before its kubelet registers. */
export async function someServers(names: readonly string[]): Promise<readonly LabNode[]> {
  const flavor = await tinyFlavor();
  const made = names.map(async (name) => {
    const { server } = await cloud().must<{ server: { id: string } }>('compute', 'POST', '/servers', {
      server: {
        name,
        flavorRef: flavor,
        imageRef: labResources().image,
        networks: [{ uuid: labResources().private_network }],
        metadata: { [E2E_LABEL]: 'true' },
      },
    });
    return { name, server: server.id, address: await serverAddress(server.id) };
  });
  return Promise.all(made);
}

/** The Node object of a server, Ready, as a kubelet and the node controller would have it. */
export async function joinCluster(
  node: LabNode,
  { withAddress = true, labels = {} }: NodeOptions = {},
): Promise<void> {
  await kube.create('/api/v1/nodes', {
    metadata: {
      name: node.name,
      labels: { 'kubernetes.io/hostname': node.name, [E2E_LABEL]: 'true', ...labels },
    },
    spec: { providerID: `openstack:///${node.server}` },
  });
  const now = new Date().toISOString();
  const ready = { type: 'Ready', status: 'True', reason: 'KubeletReady', message: 'a node of the tests' };
  await kube.patch(`${nodePath(node.name)}/status`, {
    status: {
      conditions: [{ ...ready, lastHeartbeatTime: now, lastTransitionTime: now }],
      ...(withAddress && { addresses: addresses(node) }),
    },
  });
}

/** The status that a Node made without address was waiting for. */
export async function giveAddress(node: LabNode): Promise<void> {
  await kube.patch(`${nodePath(node.name)}/status`, { status: { addresses: addresses(node) } });
}

/** The Node object only; the server goes on running. */
export async function leaveCluster(name: string): Promise<void> {
  await kube.remove(nodePath(name));
}

/** Node and server. */
export async function removeNodes(nodes: readonly LabNode[]): Promise<void> {
  await Promise.all(nodes.map(({ name }) => leaveCluster(name)));
  await removeServers(nodes.map(({ server }) => server));
}

export async function removeServers(ids: readonly string[]): Promise<void> {
  await Promise.all(
    ids.map(async (id) => {
      const { status, body } = await cloud().request('compute', 'DELETE', `/servers/${id}`);
      if (status >= 300 && status !== 404) throw new Error(`server ${id}: ${status} ${JSON.stringify(body)}`);
      await until(
        `server ${id} to be gone`,
        async () => (await cloud().request('compute', 'GET', `/servers/${id}`)).status === 404,
      );
    }),
  );
}

/** Nodes and servers that an earlier, interrupted run left behind. */
export async function removeOldNodes(): Promise<void> {
  const nodes = await kube.list<Node>(`/api/v1/nodes?labelSelector=${E2E_LABEL}`);
  await Promise.all(nodes.map(({ metadata }) => leaveCluster(metadata.name)));
  const { servers } = await cloud().must<{ servers: { id: string; metadata: Record<string, string> }[] }>(
    'compute',
    'GET',
    '/servers/detail',
  );
  await removeServers(servers.filter(({ metadata }) => E2E_LABEL in metadata).map(({ id }) => id));
}

const addresses = ({ address, name }: LabNode) => [
  { type: 'InternalIP', address },
  { type: 'Hostname', address: name },
];

interface Server {
  readonly status: string;
  readonly addresses: Readonly<
    Record<string, readonly { readonly version: number; readonly addr: string }[]>
  >;
}

async function serverAddress(id: string): Promise<string> {
  return until(
    `server ${id} to be ACTIVE with an IPv4 address`,
    async () => {
      const { server } = await cloud().must<{ server: Server }>('compute', 'GET', `/servers/${id}`);
      if (server.status !== 'ACTIVE') return undefined;
      return Object.values(server.addresses)
        .flat()
        .find(({ version }) => version === 4)?.addr;
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
