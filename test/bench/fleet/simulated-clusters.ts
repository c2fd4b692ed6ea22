/** How the simulators of a fleet are reached, whatever time they live in, and what of their calls is counted. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Answer } from '../../../infra/sandbox/exchange.ts';
import type { Front, RecordedRequest, Request } from '../../../infra/sandbox/front.ts';
import { headersOf, textOf } from '../../../infra/sandbox/reply.ts';
import type { Texts } from '../../../shared/clusters/entry.ts';
import { kubeconfigFor } from '../../support/sandbox-world.ts';
import { CLUSTER_NAME, type SimulatedCluster } from './projects.ts';

export interface Calls {
  readonly byService: Readonly<Record<string, number>>;
  /** Of OpenStack, without logins, of the cluster or project with the most, and of the one in the middle. */
  readonly most: number;
  readonly median: number;
  readonly writes: Readonly<Record<string, number>>;
}

interface Asked {
  readonly cluster: SimulatedCluster;
  readonly number: number;
  readonly side: 'kube' | 'cloud';
  readonly front: Front;
  readonly asked: Request;
}

/** The registry's texts, by name, for simulators behind this URL. */
export function entriesOf(
  clusters: readonly SimulatedCluster[],
  url: string,
  auditToken: string,
): Record<string, Texts> {
  const textsOf = ({ inside, project }: SimulatedCluster, number: number): Texts => ({
    kubeconfig: kubeconfigFor({ ...inside, kubeUrl: `${url}/kube/${number}` } as never),
    'cloud.conf': `[Global]
auth-url = ${url}/cloud/${project}/identity/v3
application-credential-id = ${inside.cloud.applicationCredential.id}
application-credential-secret = ${inside.cloud.applicationCredential.secret}
[LoadBalancer]
create-monitor = true
`,
    flags: `cluster-name=${CLUSTER_NAME}\n`,
    'audit-tokens': auditToken,
  });
  return Object.fromEntries(clusters.map((cluster, number) => [cluster.name, textsOf(cluster, number)]));
}

/** Whose a request is. */
export async function askedOf(
  clusters: readonly SimulatedCluster[],
  request: IncomingMessage,
): Promise<Asked> {
  const [, side = '', at = '', path = ''] = /^\/(kube|cloud)\/(\d+)(\/.*)$/.exec(request.url ?? '') ?? [];
  const cluster = clusters[Number(at)];
  if (!cluster) throw new Error(`no cluster ${request.url}`);
  const { method = 'GET', headers } = request;
  const ownHeaders = { ...headers, host: `${headers.host ?? ''}/${side}/${at}` };
  const asked = { method, target: path, headers: ownHeaders, body: await readBody(request) };
  const { kube, openstack } = cluster.inside.fronts;
  const isKube = side === 'kube';
  return {
    ...{ cluster, number: Number(at), asked },
    ...{ side: isKube ? 'kube' : 'cloud', front: isKube ? kube : openstack },
  };
}

export function send(response: ServerResponse, answer: Answer, { clock }: Front): void {
  for (const [name, value] of Object.entries(headersOf(answer, clock))) response.setHeader(name, value);
  response.writeHead(answer.status).end(textOf(answer));
}

async function readBody(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString('utf8');
  try {
    return text === '' ? undefined : (JSON.parse(text) as unknown);
  } catch {
    return text;
  }
}

export class CallCounts {
  readonly #byService = new Map<string, number>();
  readonly #byProject = new Map<number, number>();
  readonly #writes = new Map<string, number>();

  /** What was asked for since the last time, of this cluster's kube-apiserver and its project. */
  add({ inside, project }: SimulatedCluster): void {
    const requests = (inside.requests as RecordedRequest[]).splice(0);
    for (const { service, write, method, path, side } of requests) {
      count(this.#byService, service);
      if (side !== 'openstack') continue;
      if (service !== 'keystone') count(this.#byProject, project);
      if (!write) continue;
      const plain = path.replace(/\?.*/, '').replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'ID');
      count(this.#writes, `${method} ${plain}`);
    }
  }

  /** All since the last time. */
  taken(): Calls {
    const counts = [...this.#byProject.values()].sort((a, b) => a - b);
    const taken: Calls = {
      byService: Object.fromEntries(this.#byService),
      writes: Object.fromEntries(this.#writes),
      ...{ most: counts.at(-1) ?? 0, median: counts[counts.length >> 1] ?? 0 },
    };
    for (const map of [this.#byService, this.#byProject, this.#writes]) map.clear();
    return taken;
  }
}

const count = <K>(map: Map<K, number>, key: K): void => void map.set(key, (map.get(key) ?? 0) + 1);
