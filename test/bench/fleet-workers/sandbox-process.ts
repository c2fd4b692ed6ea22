/** All simulators in one process, in the real time, with what people do and when OpenStack is as they want it. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { answerRequest } from '../../../infra/sandbox/front.ts';
import { VirtualClock } from '../../../infra/sandbox/sandbox-clock.ts';
import { isUndone, People, type Edit } from '../fleet/people.ts';
import { makeClusters, type ClustersWanted, type SimulatedCluster } from '../fleet/projects.ts';
import { askedOf, CallCounts, entriesOf, send } from '../fleet/simulated-clusters.ts';
import { answerParent } from '../scale/own-process.ts';

export interface RealFleetWanted extends ClustersWanted {
  /** How long an answer takes. */
  readonly kubeMs: number;
  readonly cloudMs: number;
}

/** An edit, and how long it took until OpenStack was as it wants; undefined: it is not. */
export interface Watched extends Edit {
  readonly tookMs?: number;
}

const LOOK_MS = 25;

const clock = new VirtualClock();
const counted = new CallCounts();
let clusters: readonly SimulatedCluster[] = [];
let wanted: RealFleetWanted;
let url = '';
let people: People | undefined;
let watching: NodeJS.Timeout | undefined;
let trouble: string | undefined;
let edits: readonly Edit[] | undefined;
const delay = monitorEventLoopDelay();
delay.enable();
const took = new Map<Edit, number>();

const handlers = {
  async start(given: RealFleetWanted) {
    wanted = given;
    clusters = await makeClusters(given, clock);
    const server = createServer((request, response) => {
      serve(request, response).catch(() => response.destroy());
    });
    server.keepAliveTimeout = 3_600_000;
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  },
  entries: (auditToken: string) => entriesOf(clusters, url, auditToken),
  /** From now on people change Services. */
  people(given: { readonly perSecond: number; readonly urls: readonly string[]; readonly token: string }) {
    goOn();
    const its = new People({ ...given, clusters, services: wanted.services, clock });
    people = its;
    watching = setInterval(() => {
      goOn();
      people?.act().catch((error: unknown) => (trouble = String(error)));
      for (const edit of its.edits)
        if (!took.has(edit) && !isUndone(edit, clusters)) took.set(edit, clock.millis() - edit.atMs);
    }, LOOK_MS);
  },
  /** They stop; how many edits are not done yet. */
  peopleStop() {
    edits ??= people?.edits ?? [];
    people = undefined;
    if (trouble !== undefined) throw new Error(trouble);
    return edits.length - took.size;
  },
  /** Nobody looks any more; what was done, and when. */
  watched(): readonly Watched[] {
    clearInterval(watching);
    return (edits ?? []).map((edit) => {
      const tookMs = took.get(edit);
      return { ...edit, ...(tookMs !== undefined && { tookMs }) };
    });
  },
  /** What does not hold now. */
  undone: () => (edits ?? []).filter((edit) => isUndone(edit, clusters)).length,
  calls: () => counted.taken(),
  /** How late the process has had the CPU since the last time, 99 times of a hundred: how much of that other work took. */
  lateMs() {
    const lateMs = delay.percentile(99) / 1e6;
    delay.reset();
    return lateMs;
  },
};

export type SandboxHandlers = typeof handlers;

/** The clusters were made in a time of their own; from now on it is the real one. */
function goOn(): void {
  clock.advance(Math.max(0, Date.now() - clock.millis()));
}

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { cluster, side, front, asked } = await askedOf(clusters, request);
  goOn();
  const answer = await answerRequest(front, asked, () => false);
  counted.add(cluster);
  if (answer === 'hang' || answer === 'reset') throw new Error(answer);
  await pause(side === 'kube' ? wanted.kubeMs : wanted.cloudMs);
  send(response, answer, front);
}

answerParent(handlers);
