/** How the simulators of a fleet are reached, whatever time they live in, and what of their calls is counted. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Answer } from '../../../infra/sandbox/exchange.ts';
import type { Front, RecordedRequest, Request } from '../../../infra/sandbox/front.ts';
import { headersOf, textOf } from '../../../infra/sandbox/reply.ts';
import type { Texts } from '../../../shared/clusters/entry.ts';
import { kubeconfigFor } from '../../support/sandbox-world.ts';
import { CLUSTER_NAME, type SimulatedCluster } from './projects.ts';

export interface Calls {
  readonly byService: Readonly<Record<string, number>>;
  readonly writes: Readonly<Record<string, number>>;
}

/** The registry's texts, by name, for simulators behind this URL. */
export function entriesOf(clusters: readonly SimulatedCluster[], url: string, auditToken: string) {
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
export async function askedOf(clusters: readonly SimulatedCluster[], request: IncomingMessage) {
  const [, side = '', at = '', target = ''] = /^\/(kube|cloud)\/(\d+)(\/.*)$/.exec(request.url ?? '') ?? [];
  const cluster = clusters[Number(at)];
  if (!cluster) throw new Error(`no cluster ${request.url}`);
  const { method = 'GET', headers } = request;
  const sent = await text(request);
  const body = sent === '' ? undefined : (JSON.parse(sent) as unknown);
  const own = { ...headers, host: `${headers.host ?? ''}/${side}/${at}` };
  const asked: Request = { method, target, headers: own, body };
  const { kube, openstack } = cluster.inside.fronts;
  const isKube = side === 'kube';
  return { cluster, number: Number(at), asked, isKube, front: isKube ? kube : openstack };
}

export function send(response: ServerResponse, answer: Answer, { clock }: Front): void {
  for (const [name, value] of Object.entries(headersOf(answer, clock))) response.setHeader(name, value);
  response.writeHead(answer.status).end(textOf(answer));
}

export function callsOf(requests: readonly RecordedRequest[]): Calls {
  const counted = (names: readonly string[]): Calls['writes'] =>
    Object.fromEntries([...Map.groupBy(names, (name) => name)].map(([name, all]) => [name, all.length]));
  const plain = ({ method, path }: RecordedRequest): string =>
    `${method} ${path.replace(/\?.*/, '').replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'ID')}`;
  return {
    byService: counted(requests.map(({ service }) => service)),
    writes: counted(requests.filter(({ side, write }) => side === 'openstack' && write).map(plain)),
  };
}
