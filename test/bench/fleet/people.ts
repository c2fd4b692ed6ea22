/** Who changes, makes and deletes Services all the time, and the audit webhooks of their kube-apiservers, which tell of it. */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { VirtualClock } from '../../../infra/sandbox/sandbox-clock.ts';
import { aService } from '../../support/service.ts';
import { serviceName, type SimulatedCluster } from './projects.ts';

export interface Edit {
  readonly cluster: string;
  readonly key: string;
  readonly name: string;
  readonly what: 'change' | 'create' | 'delete';
  readonly atMs: number;
}

export interface PeopleOptions {
  readonly perSecond: number;
  readonly clusters: readonly SimulatedCluster[];
  /** So many each cluster has at the start. */
  readonly services: number;
  readonly clock: VirtualClock;
  /** Where levelset listens. */
  readonly url: string;
  readonly token: string;
}

/** Of twenty edits one makes a Service, one deletes one, and eighteen change the sources that one lets in. */
const OF = 20;
/** A prime, so that the clusters come in an order that looks like none, each as often as the others. */
const STRIDE = 7_919;
const SENDINGS = 10;
const AGAIN_MS = 200;
const RANGE = '192.0.2.0/24';

/** `act` does what is due, and resolves when levelset has been told. */
export function startPeople({ perSecond, clusters, services, clock, url, token }: PeopleOptions) {
  const edits: Edit[] = [];
  /** The Services that a cluster had at the start, without those that were deleted, which do not come back. */
  const left = new Map(
    clusters.map(({ name }) => [name, Array.from({ length: services }, (_, at) => serviceName(at))]),
  );
  const everyMs = 1_000 / perSecond;
  let nextMs = clock.millis() + everyMs;

  const edit = async (): Promise<void> => {
    const number = edits.length;
    const cluster = clusters[(number * STRIDE) % clusters.length];
    if (!cluster) throw new Error('no cluster');
    const round = Math.floor(number / clusters.length);
    const chosen = number % OF;
    const its = left.get(cluster.name) ?? [];
    const due = chosen === 0 ? 'create' : chosen === 1 ? 'delete' : 'change';
    const found = due === 'create' ? undefined : its[round % its.length];
    const what = found === undefined ? 'create' : due;
    const name = found ?? `made-${round}`;
    const { kube } = cluster.inside;
    const spec = { loadBalancerSourceRanges: [RANGE] };
    if (what === 'create') kube.apply(aService({ name }));
    else if (what === 'change') kube.apply({ kind: 'Service', metadata: { name }, spec });
    else {
      kube.delete('Service', 'default', name);
      its.splice(its.indexOf(name), 1);
    }
    const key = `service/default/${name}`;
    edits.push({ cluster: cluster.name, key, name, what, atMs: clock.millis() });
    await tell(cluster.name, name, what);
  };
  const tell = async (cluster: string, name: string, what: Edit['what']): Promise<void> => {
    const verb = what === 'change' ? 'patch' : what;
    const event = {
      ...{ level: 'Metadata', auditID: randomUUID(), stage: 'ResponseComplete', verb },
      requestURI: `/api/v1/namespaces/default/services/${name}`,
      user: { username: 'kubernetes-admin', groups: ['system:authenticated'] },
      objectRef: { resource: 'services', namespace: 'default', name, apiVersion: 'v1' },
      responseStatus: { metadata: {}, code: 200 },
    };
    const list = { kind: 'EventList', apiVersion: 'audit.k8s.io/v1', metadata: {} };
    const answer = await sent(`${url}/audit/${cluster}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
      body: JSON.stringify({ ...list, items: [event] }),
    });
    if (!answer.ok) throw new Error(`/audit/${cluster} answers ${answer.status}: ${await answer.text()}`);
    await answer.arrayBuffer();
  };
  return {
    edits,
    nextMs: () => nextMs,
    act: async (): Promise<void> => {
      const telling: Promise<void>[] = [];
      for (; nextMs <= clock.millis(); nextMs += everyMs) telling.push(edit());
      await Promise.all(telling);
    },
  };
}

/** As a kube-apiserver, it sends again what was not taken: a busy process closes idle connections before it reads what came on them. */
async function sent(url: string, request: RequestInit): Promise<Response> {
  for (let left = SENDINGS; ; left -= 1) {
    try {
      const answer = await fetch(url, request);
      if (answer.status !== 503 || left <= 1) return answer;
      await answer.arrayBuffer();
      await pause(AGAIN_MS);
    } catch (error) {
      if (left <= 1) throw new Error(`${url}: ${String((error as Error).cause)}`, { cause: error });
    }
  }
}

/** Whether OpenStack is not as this edit wants it. */
export function isUndone({ cluster, name, what }: Edit, clusters: readonly SimulatedCluster[]): boolean {
  const inside = clusters.find((one) => one.name === cluster)?.inside;
  if (!inside) return true;
  const { kube, cloud } = inside;
  const id = kube.get('Namespace', undefined, 'kube-system')?.metadata.uid;
  const its = cloud.loadbalancers.filter(
    ({ tags, name: named }) => tags.includes(`levelset-cluster=${id}`) && named.endsWith(`_default_${name}`),
  );
  const isOfIt = (text: string): boolean => text.includes(` default/${name} `);
  const floating = cloud.floatingips
    .of('tags', `levelset-cluster=${id}`)
    .filter(({ description }) => isOfIt(description));
  if (floating.length !== (what === 'delete' ? 0 : 1)) return true;
  if (what === 'delete') return its.length > 0 || kube.get('Service', 'default', name) !== undefined;
  const [one] = its;
  if (!one || its.length > 1 || one.provisioning_status !== 'ACTIVE') return true;
  if (what === 'create') return false;
  const [listener] = cloud.listeners.filter(({ loadbalancer_id: lb }) => lb === one.id);
  return JSON.stringify(listener?.['allowed_cidrs']) !== JSON.stringify([RANGE]);
}
