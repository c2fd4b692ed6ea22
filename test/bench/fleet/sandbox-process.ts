/** All simulators in one process, with the time of the bench and what people do. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { promisify } from 'node:util';
import { answerRequest } from '../../../infra/sandbox/front.ts';
import { VirtualClock } from '../../../infra/sandbox/sandbox-clock.ts';
import { answerParent, usage, type Usage } from './own-process.ts';
import type { Texts } from '../../../shared/clusters/entry.ts';
import { askedOf, CallCounts, entriesOf, send, type Calls } from './simulated-clusters.ts';
import { isUndone, People, type Edit } from './people.ts';
import { makeClusters, type ClustersWanted, type SimulatedCluster } from './projects.ts';
import { NUMBER, TimeServer, type Happening } from './time-server.ts';

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

interface Held {
  readonly dueMs: number;
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
const seen = new Set<number>();
const waitingFor = new Map<number, () => void>();
const counted = new CallCounts();

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
    return entriesOf(clusters, url, tokens.audit);
  },
  /** Lets the virtual time pass. */
  run: (untilMs: number) => time.run(untilMs),
  /** From now on people change Services. */
  people(given: { readonly perSecond: number; readonly url: string; readonly token: string }) {
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
  calls: (): Calls => counted.taken(),
  /** How many sockets levelset keeps open. */
  sockets: () => promisify(server.getConnections.bind(server))(),
  usage: (): Usage => usage(),
};

export type SandboxHandlers = typeof handlers;

/** The last clusters hang, first those whose kube-apiserver does; before them are the slow ones. */
const hangs = (number: number): boolean => number >= clusters.length - 2 * wanted.hanging;
const isSlow = (number: number): boolean =>
  !hangs(number) && number >= clusters.length - 2 * wanted.hanging - wanted.slow.clusters;

const happening: Happening = {
  received: async (requests) => {
    for (const number of requests) {
      if (!seen.has(number)) await new Promise<void>((resolve) => waitingFor.set(number, resolve));
      waitingFor.delete(number);
      seen.delete(number);
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
    for (const { send } of due) send();
    return due.map(({ number }) => number);
  },
};

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { cluster, number, side, front, asked } = await askedOf(clusters, request);
  const asking = Number(request.headers[NUMBER]);
  const isHung =
    areHanging && hangs(number) && number >= clusters.length - wanted.hanging === (side === 'cloud');
  const answer = isHung ? 'hang' : await answerRequest(front, asked, () => false);
  counted.add(cluster);
  if (answer !== 'hang' && answer !== 'reset') {
    const times = isSlow(number) ? wanted.slow.times : 1;
    held.push({
      dueMs: clock.millis() + (side === 'kube' ? wanted.kubeMs : wanted.cloudMs) * times,
      number: asking,
      send: () => {
        send(response, answer, front);
      },
    });
  }
  seen.add(asking);
  waitingFor.get(asking)?.();
}

answerParent(handlers);
