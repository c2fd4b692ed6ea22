import type { Node } from '../../shared/model/kubernetes.ts';
import { E2E_LABEL, kube } from './kubernetes.ts';
import { removeOldServers, removeServers, someServers, type LabNode } from './servers.ts';

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

/** Nodes and servers that an earlier, interrupted run left behind. */
export async function removeOldNodes(): Promise<void> {
  const nodes = await kube.list<Node>(`/api/v1/nodes?labelSelector=${E2E_LABEL}`);
  await Promise.all(nodes.map(({ metadata }) => leaveCluster(metadata.name)));
  await removeOldServers();
}

const addresses = ({ address, name }: LabNode) => [
  { type: 'InternalIP', address },
  { type: 'Hostname', address: name },
];
