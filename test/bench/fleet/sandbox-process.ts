/** All simulators in one process, with the time of the bench and what people do. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { answerRequest } from '../../../infra/sandbox/front.ts';
import { headersOf, textOf } from '../../../infra/sandbox/reply.ts';
import { VirtualClock } from '../../../infra/sandbox/sandbox-clock.ts';
import type { RecordedRequest } from '../../../infra/sandbox/sandbox.ts';
import { answerParent, usage, type Usage } from '../scale/own-process.ts';
import { kubeconfigFor } from '../../support/sandbox-world.ts';
import type { Texts } from '../../../shared/clusters/entry.ts';
import { NUMBER, WORKER } from './request-headers.ts';
import { isUndone, People, type Edit } from './people.ts';
import { CLUSTER_NAME, makeClusters, type ClustersWanted, type SimulatedCluster } from './projects.ts';
import { TimeServer, type Happening } from './time-server.ts';

export interface FleetWanted extends ClustersWanted {
  readonly startMs: number;
  /** How long an answer takes, of clusters and of OpenStack. */
  readonly kubeMs: number;
  readonly cloudMs: number;
  /** So many clusters, each with a project of its own, take so many times as long. */
  readonly slow: { readonly clusters: number; readonly times: number };
  /** The kube-apiservers of so many hang when `hang` is called, and the OpenStack of as many others. */
  readonly hanging: number;
}

export interface Calls {
  readonly byService: Readonly<Record<string, number>>;
  /** Of OpenStack, without logins, of the cluster or project with the most, and of the one in the middle. */
  readonly most: number;
  readonly median: number;
  readonly writes: Readonly<Record<string, number>>;
}

interface Held {
  readonly dueMs: number;
  readonly worker: number;
  readonly number: number;
  readonly send: () => void;
}

const clock = new VirtualClock();
let clusters: readonly SimulatedCluster[] = [];
let wanted: FleetWanted;
let time: TimeServer;
let people: People | undefined;
let url = '';
let server: Server;
let held: Held[] = [];
let areHanging = false;
const seen = new Set<string>();
const waitingFor = new Map<string, () => void>();
let calls = noCalls();

const handlers = {
  async start(given: FleetWanted) {
    wanted = given;
    clusters = await makeClusters(given, clock);
    clock.advance(given.startMs - clock.millis());
    server = createServer((request, response) => {
      serve(request, response).catch(() => response.destroy());
    });
    server.keepAliveTimeout = 3_600_000;
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    url = `http://127.0.0.1:${port}`;
    time = new TimeServer(given.startMs, happening);
    return { port, timePort: await time.listen() };
  },
  /** The registry's texts, by name. */
  entries(tokens: Readonly<Record<'audit', string>>): Record<string, Texts> {
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
      'audit-tokens': tokens.audit,
    });
    return Object.fromEntries(clusters.map((cluster, number) => [cluster.name, textsOf(cluster, number)]));
  },
  /** Lets the virtual time pass. */
  async run({ untilMs, workers }: { readonly untilMs: number; readonly workers: number }) {
    await time.run(untilMs, workers);
    return time.moves;
  },
  /** From now on people change Services. */
  people(given: { readonly perSecond: number; readonly urls: readonly string[]; readonly token: string }) {
    const touched = clusters.filter((_, number) => !hangs(number));
    people = new People({ ...given, clusters: touched, services: wanted.services, clock });
  },
  /** They stop; what they have done. */
  peopleStop(): readonly Edit[] {
    const edits = people?.edits ?? [];
    people = undefined;
    return edits;
  },
  /** What of it does not hold in OpenStack. */
  undone: (edits: readonly Edit[]) => edits.filter((edit) => isUndone(edit, clusters)).length,
  hang() {
    areHanging = true;
    return clusters.filter((_, number) => hangs(number)).map(({ name }) => name);
  },
  slow: () => clusters.filter((_, number) => isSlow(number)).map(({ name }) => name),
  calls(): Calls {
    const { byService, byProject, writes } = calls;
    const counts = [...byProject.values()].sort((a, b) => a - b);
    calls = noCalls();
    return {
      ...{ byService: Object.fromEntries(byService), writes: Object.fromEntries(writes) },
      ...{ most: counts.at(-1) ?? 0, median: counts[counts.length >> 1] ?? 0 },
    };
  },
  /** How many sockets levelset keeps open. */
  sockets: () =>
    new Promise<number>((resolve, reject) => {
      server.getConnections((error, count) => {
        if (error) reject(error);
        else resolve(count);
      });
    }),
  usage: (): Usage => usage(),
};

export type SandboxHandlers = typeof handlers;

function noCalls() {
  return {
    byService: new Map<string, number>(),
    byProject: new Map<number, number>(),
    writes: new Map<string, number>(),
  };
}

/** The last clusters hang, first those whose kube-apiserver does; before them are the slow ones. */
const hangs = (number: number): boolean => number >= clusters.length - 2 * wanted.hanging;
const isSlow = (number: number): boolean =>
  !hangs(number) && number >= clusters.length - 2 * wanted.hanging - wanted.slow.clusters;

const happening: Happening = {
  received: async (worker, requests) => {
    for (const number of requests) {
      const key = `${worker} ${number}`;
      if (!seen.has(key)) await new Promise<void>((resolve) => waitingFor.set(key, resolve));
      waitingFor.delete(key);
      seen.delete(key);
    }
  },
  get nextMs() {
    return held.reduce((least, { dueMs }) => Math.min(least, dueMs), people?.nextMs ?? Infinity);
  },
  moveTo: async (nowMs) => {
    clock.advance(nowMs - clock.millis());
    await people?.act();
    const due = held.filter(({ dueMs }) => dueMs <= nowMs);
    held = held.filter(({ dueMs }) => dueMs > nowMs);
    const answered = new Map<number, number[]>();
    for (const { worker, number, send } of due) {
      send();
      answered.set(worker, [...(answered.get(worker) ?? []), number]);
    }
    return answered;
  },
};

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const [, side = '', at = '', path = ''] = /^\/(kube|cloud)\/(\d+)(\/.*)$/.exec(request.url ?? '') ?? [];
  const cluster = clusters[Number(at)];
  if (!cluster) throw new Error(`no cluster ${request.url}`);
  const { method = 'GET', headers } = request;
  const front = side === 'kube' ? cluster.inside.fronts.kube : cluster.inside.fronts.openstack;
  const ownHeaders = { ...headers, host: `${headers.host ?? ''}/${side}/${at}` };
  const asked = { method, target: path, headers: ownHeaders, body: await readBody(request) };
  const number = Number(at);
  const isHung =
    areHanging && hangs(number) && number >= clusters.length - wanted.hanging === (side === 'cloud');
  const answer = isHung ? 'hang' : await answerRequest(front, asked, () => false);
  record(cluster, (cluster.inside.requests as RecordedRequest[]).splice(0));
  if (answer !== 'hang' && answer !== 'reset') {
    const times = isSlow(number) ? wanted.slow.times : 1;
    held.push({
      dueMs: clock.millis() + (side === 'kube' ? wanted.kubeMs : wanted.cloudMs) * times,
      worker: Number(headers[WORKER]),
      number: Number(headers[NUMBER]),
      send: () => {
        for (const [name, value] of Object.entries(headersOf(answer, front.clock)))
          response.setHeader(name, value);
        response.writeHead(answer.status).end(textOf(answer));
      },
    });
  }
  const key = `${String(headers[WORKER])} ${String(headers[NUMBER])}`;
  seen.add(key);
  waitingFor.get(key)?.();
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

function record({ project }: SimulatedCluster, requests: readonly RecordedRequest[]): void {
  const count = <K>(map: Map<K, number>, key: K): void => void map.set(key, (map.get(key) ?? 0) + 1);
  for (const { service, write, method, path, side } of requests) {
    count(calls.byService, service);
    if (side === 'openstack' && service !== 'keystone') count(calls.byProject, project);
    if (write && side === 'openstack')
      count(
        calls.writes,
        `${method} ${path.replace(/\?.*/, '').replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'ID')}`,
      );
  }
}

answerParent(handlers);
