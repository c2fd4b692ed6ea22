/** What a load balancer of another controller shows before and after it was adopted. */
import type { Service } from '../../../shared/model/kubernetes.ts';
import type { Step } from '../../../shared/model/plan.ts';
import type { RecordedWorld } from '../../golden/world.ts';
import {
  E2E_LABEL,
  getService,
  kube,
  leaveCluster,
  loadBalancerTree,
  nothingLeft,
  removeNamespace,
  until,
} from '../lab/lab.ts';
import { removeAll } from '../fixtures/recorded-world.ts';

export const keyOf = ({ metadata }: Service): string => `service/${metadata.namespace}/${metadata.name}`;

export const isOfTags = (step: Step): boolean =>
  step.verb === 'update' && step.changes.every(({ attribute }) => attribute === 'tags');

/** The namespace, and the Node that has no server but was made a member. What a try that was cut off left goes first. */
export async function prepare({ service, nodes: recorded }: RecordedWorld): Promise<void> {
  const { namespace } = service.metadata;
  const isGone = async (): Promise<boolean> =>
    (await kube.get(`/api/v1/namespaces/${namespace}`)) === undefined;
  if (!(await isGone())) await clear(namespace);
  await until(`namespace ${namespace} of an earlier try to be gone`, isGone, { timeoutMs: 60_000 });
  const labels = { [E2E_LABEL]: 'true' };
  await kube.create('/api/v1/namespaces', { metadata: { name: namespace, labels } });
  const joiner = recorded.find(({ metadata }) => metadata.name === 'joiner');
  if (!joiner) return;
  await kube.create('/api/v1/nodes', { metadata: { name: 'joiner', labels }, spec: joiner.spec });
  await kube.patch('/api/v1/nodes/joiner/status', { status: { addresses: joiner.status?.addresses } });
}

export async function clear(namespace: string): Promise<void> {
  await removeNamespace(namespace);
  await leaveCluster('joiner');
  await removeAll();
  await nothingLeft({ timeoutMs: 60_000 });
}

export async function published({ metadata }: Service): Promise<unknown> {
  const ingress = (await getService(metadata.namespace, metadata.name))?.status?.loadBalancer?.ingress ?? [];
  return ingress.map(({ ip, hostname }) => ({ ip, hostname }));
}

/** Everything on it but tags and what changes by itself; lists in any order. */
export async function settings(id: string): Promise<unknown> {
  return still(await loadBalancerTree(id));
}

const PASSING = ['tags', 'updated_at', 'revision_number', 'operating_status', 'provisioning_status'];

function still(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((one) => JSON.stringify(still(one))).sort();
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([key]) => !PASSING.includes(key));
  return Object.fromEntries(entries.map(([key, one]) => [key, still(one)]));
}
