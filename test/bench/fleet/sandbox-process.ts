/** All simulators in one process, with the time of the bench and what people do. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { promisify } from 'node:util';
import { answerRequest, type RecordedRequest } from '../../../infra/sandbox/front.ts';
import { VirtualClock } from '../../../infra/sandbox/sandbox-clock.ts';
import { answerParent, cpuMs } from './own-process.ts';
import { CLOUD_MS, KUBE_MS, SLOW_TIMES, START_MS, type FleetSize } from './fleet.ts';
import { askedOf, callsOf, entriesOf, send, type Calls } from './simulated-clusters.ts';
import { isUndone, startPeople, type Edit, type PeopleOptions } from './people.ts';
import { makeClusters, type SimulatedCluster } from './projects.ts';
import { NUMBER, startTime, type Happening } from './time-server.ts';

interface Held {
  readonly dueMs: number;
  readonly number: number;
  readonly send: () => void;
}

const clock = new VirtualClock();
let clusters: readonly SimulatedCluster[] = [];
let size: FleetSize;
let time: Awaited<ReturnType<typeof startTime>>;
let people: ReturnType<typeof startPeople> | undefined;
let url = '';
let server: Server;
let held: Held[] = [];
let areHanging = false;
const seen = new Set<number>();
const waitingFor = new Map<number, () => void>();
/** Since the last count. */
const recorded: RecordedRequest[] = [];

const handlers = {
  async start(given: FleetSize) {
    size = given;
    clusters = await makeClusters(size, clock);
    clock.advance(START_MS - clock.millis());
    server = createServer((request, response) => {
      serve(request, response).catch(() => response.destroy());
    });
    server.keepAliveTimeout = 3_600_000;
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    url = `http://127.0.0.1:${port}`;
    time = await startTime(START_MS, happening);
    return { port, timePort: time.port };
  },
  /** The registry's texts, by name. */
  entries: (auditToken: string) => entriesOf(clusters, url, auditToken),
  /** Lets the virtual time pass. */
  run: (untilMs: number) => time.run(untilMs),
  /** From now on people change Services. */
  people(given: Pick<PeopleOptions, 'perSecond' | 'url' | 'token'>) {
    const touched = clusters.filter((_, number) => !hangs(number));
    people = startPeople({ ...given, clusters: touched, services: size.services, clock });
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
  calls: (): Calls => callsOf(recorded.splice(0)),
  /** How many sockets levelset keeps open. */
  sockets: () => promisify(server.getConnections.bind(server))(),
  cpuMs,
};

export type SandboxHandlers = typeof handlers;

/** The last clusters hang, first those whose kube-apiserver does; before them are the slow ones. */
const hangs = (number: number): boolean => number >= clusters.length - 2 * size.odd;
const isSlow = (number: number): boolean => !hangs(number) && number >= clusters.length - 3 * size.odd;

const happening: Happening = {
  received: async (requests) => {
    for (const number of requests) {
      if (!seen.has(number)) await new Promise<void>((resolve) => waitingFor.set(number, resolve));
      waitingFor.delete(number);
      seen.delete(number);
    }
  },
  get nextMs() {
    return held.reduce((least, { dueMs }) => Math.min(least, dueMs), people?.nextMs() ?? Infinity);
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
  const { cluster, number, isKube, front, asked } = await askedOf(clusters, request);
  const asking = Number(request.headers[NUMBER]);
  const isHung = areHanging && hangs(number) && number >= clusters.length - size.odd === !isKube;
  const answer = isHung ? 'hang' : await answerRequest(front, asked, () => false);
  // of this cluster's kube-apiserver and its project
  recorded.push(...(cluster.inside.requests as RecordedRequest[]).splice(0));
  if (answer !== 'hang' && answer !== 'reset') {
    const times = isSlow(number) ? SLOW_TIMES : 1;
    held.push({
      dueMs: clock.millis() + (isKube ? KUBE_MS : CLOUD_MS) * times,
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
