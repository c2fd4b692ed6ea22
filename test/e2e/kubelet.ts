import type { Node, NodeCondition } from '../../shared/model/kubernetes.ts';
import { E2E_LABEL, kube, kubeRequest } from './kubernetes.ts';

export interface Registration {
  readonly annotations?: Readonly<Record<string, string>>;
  /** What the kubelet knows of itself; none where it was given no --node-ip. */
  readonly addresses?: readonly { readonly type: string; readonly address: string }[];
  readonly providerID?: string;
  readonly ready?: NodeCondition['status'];
  /** What the firmware says: with Nova the id of the server. */
  readonly systemUUID?: string;
}

const nodePath = (name: string) => `/api/v1/nodes/${name}`;
export const UNINITIALIZED = {
  key: 'node.cloudprovider.kubernetes.io/uninitialized',
  value: 'true',
  effect: 'NoSchedule',
};

/** The Node that a kubelet makes of itself where the cloud provider is external. */
export async function registerNode(name: string, options: Registration = {}): Promise<void> {
  const { annotations = {}, addresses = [], ready = 'True', providerID, systemUUID } = options;
  await kube.create('/api/v1/nodes', {
    metadata: {
      name,
      annotations,
      labels: { 'kubernetes.io/hostname': name, 'kubernetes.io/os': 'linux', [E2E_LABEL]: 'true' },
    },
    spec: { taints: [UNINITIALIZED], ...(providerID === undefined ? {} : { providerID }) },
    status: {
      addresses,
      conditions: [readyCondition(ready)],
      ...(systemUUID === undefined ? {} : { nodeInfo: { systemUUID } }),
    },
  });
}

/** What the kubelet says of itself; Unknown is what kube-controller-manager says when it is silent. */
export async function sayReady(name: string, ready: NodeCondition['status']): Promise<void> {
  const { status, body } = await kubeRequest(
    'PATCH',
    `${nodePath(name)}/status`,
    { status: { conditions: [readyCondition(ready)] } },
    { contentType: 'application/strategic-merge-patch+json' },
  );
  if (status >= 300) throw new Error(`Node ${name}: ${status} ${JSON.stringify(body)}`);
}

function readyCondition(status: NodeCondition['status']): NodeCondition {
  const now = `${new Date().toISOString().slice(0, 19)}Z`;
  const [reason, message] =
    status === 'True'
      ? ['KubeletReady', 'kubelet is posting ready status']
      : ['NodeStatusUnknown', 'Kubelet stopped posting node status.'];
  return { type: 'Ready', status, reason, message, lastHeartbeatTime: now, lastTransitionTime: now };
}

export async function nodeOf(name: string): Promise<Node | undefined> {
  return kube.get<Node>(nodePath(name));
}

/** Merge patch of metadata and spec; `status` goes to the subresource. */
export async function patchNode(
  name: string,
  { status, ...rest }: { readonly metadata?: object; readonly spec?: object; readonly status?: object },
): Promise<void> {
  if (Object.keys(rest).length > 0) await kube.patch(nodePath(name), rest);
  if (status) await kube.patch(`${nodePath(name)}/status`, { status });
}

export async function taintsOf(name: string): Promise<readonly string[]> {
  return ((await nodeOf(name))?.spec?.taints ?? []).map(({ key }) => key);
}

/** What levelset says is wrong with a Node; undefined: nothing, or it is well again. */
export async function complaintOf(name: string): Promise<string | undefined> {
  const conditions = (await nodeOf(name))?.status?.conditions ?? [];
  return conditions.find(({ type, status }) => type.startsWith('levelset') && status === 'False')?.message;
}

/** Reason and message of each Event at a Node. */
export async function nodeEvents(name: string): Promise<readonly string[]> {
  const path = `/api/v1/namespaces/default/events?fieldSelector=involvedObject.name=${name}`;
  const events = await kube.list<{ readonly reason: string; readonly message: string }>(path);
  return events.map(({ reason, message }) => `${reason}: ${message}`);
}
