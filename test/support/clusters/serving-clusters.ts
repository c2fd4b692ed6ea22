/** Several clusters of one process of `serve`, without sockets, in the time of vi's timers. Any of them can hang. */
import { setImmediate as turn } from 'node:timers/promises';
import { vi } from 'vitest';
import { Timetable } from '../../../functions/clusters/serve-clusters.ts';
import { MONOTONIC } from '../../../functions/budget.ts';
import { Work } from '../../../functions/serve/work.ts';
import { countedLots, type Lots } from '../../../infra/sandbox/lots.ts';
import { SandboxClock } from '../../../infra/sandbox/sandbox-clock.ts';
import { createSandbox, type SandboxInside } from '../../../infra/sandbox/sandbox.ts';
import { budgetSpent } from '../../../shared/deadline.ts';
import { KubeClient } from '../../../shared/kube/kube-client.ts';
import type { KubeHttp } from '../../../shared/kube/kube-http.ts';
import { ReconcileError } from '../../../shared/model/errors.ts';
import { NoAnswer, type Transport } from '../../../shared/openstack/openstack-http.ts';
import type { World } from '../../../shared/ports.ts';
import { MemorySlots } from '../../../shared/queue/slots.ts';
import { aConfig } from '../config.ts';
import { AUTH_URL, cloudTransport, inProcessWorld, kubeHttp } from '../in-process.ts';
import { addNodeIn, SILENT } from '../sandbox-world.ts';

type SideName = 'kube' | 'openstack';

/** From when until when a side accepts requests and answers none, in milliseconds since the start. */
export interface Hang {
  readonly side: SideName;
  readonly fromMs: number;
  readonly untilMs: number;
}

interface Served {
  readonly name: string;
  readonly hang?: Hang | undefined;
}

export type ServingCluster = ReturnType<typeof serveOne>;

/** How long a request is on its way. */
const LATENCY_MS = 7;
const KUBE_MS = 30_000;

/** The sandbox's own pauses by the timers of the test. */
export class FakedClock extends SandboxClock {
  override pause(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      signal?.addEventListener('abort', () => {
        clearTimeout(timer);
        resolve();
      });
    });
  }
}

/** With `oneProject` the Nodes and load balancers of all are in the project of the first. */
export function serveInVirtualTime(names: readonly Served[], { oneProject = false } = {}) {
  const startMs = Date.UTC(2026, 0, 1);
  vi.clearAllTimers(); // of worlds that a failure left
  vi.setSystemTime(startMs); // the moments of sweeps go by the time of day
  /** Milliseconds since the start. */
  const now = (): number => Date.now() - startMs;
  const timetable = new Timetable();
  const lots = countedLots();
  const clusters: ServingCluster[] = [];
  const slots = new MemorySlots(6, MONOTONIC);
  for (const served of names) {
    const neighbour = oneProject ? clusters[0] : undefined;
    const inside = sandboxBeside(neighbour, oneProject ? lots : countedLots());
    clusters.push(serveOne({ ...served, inside, ...(oneProject && { slots }), timetable, now }));
  }
  for (const { work } of clusters) work.start();
  /** Lets time pass until this has come to its end. */
  const untilDone = async <T>(what: Promise<T>): Promise<T> => {
    const state = { isDone: false };
    void what.finally(() => (state.isDone = true));
    await quiet(clusters);
    while (!state.isDone) {
      vi.advanceTimersToNextTimer();
      await quiet(clusters);
    }
    return what;
  };
  const [first, ...others] = clusters;
  if (!first) throw new Error('no cluster is named');
  return {
    clusters: [first, ...others] as const,
    now,
    untilDone,
    /** Lets time pass until then. */
    passUntil: (atMs: number) => untilDone(passes(Math.max(0, atMs - now()))),
    stop: () => untilDone(Promise.all(clusters.map(({ work }) => work.stop()))),
  };
}

function sandboxBeside(neighbour: ServingCluster | undefined, lots: Lots): SandboxInside {
  const own = createSandbox({ nodes: neighbour ? 0 : 2, pendingMs: 2_000 }, new FakedClock(), lots);
  Object.assign(own.cloud.quotas, { port: -1, floatingip: -1 });
  if (!neighbour) return own;
  const { cloud, fronts } = neighbour.inside;
  const inside = { ...own, cloud, fronts: { ...own.fronts, openstack: fronts.openstack } };
  for (const node of ['other-1', 'other-2']) addNodeIn(inside, node, inside);
  return inside;
}

interface One extends Served {
  readonly inside: SandboxInside;
  readonly slots?: MemorySlots;
  readonly timetable: Timetable;
  readonly now: () => number;
}

function serveOne({ name, hang, inside, slots, timetable, now }: One) {
  const hangs = (side: SideName) => hang?.side === side && now() >= hang.fromMs && now() < hang.untilMs;
  const world = worldOf(name, inside, hangs);
  /** What happened to it, each with the time when, in milliseconds since the start. */
  const story: (readonly [atMs: number, what: string])[] = [];
  const work: Work = new Work({
    connected: { world, cluster: async () => ({ id: await world.kube.clusterId(), name }) },
    shared: { ...(slots && { slots }), timetable: timetable.of(name) },
    reported: ({ request, outcome }) => {
      story.push([now(), `${request.key} ${request.trigger}: ${outcome.status}`]);
    },
    swept: ({ failed, requests }) => {
      story.push([now(), `sweep: ${failed ?? requests.map(({ key }) => key).join()}`]);
    },
  });
  return { name, inside, world, work, story };
}

type Hangs = (side: SideName) => boolean;

function worldOf(name: string, inside: SandboxInside, hangs: Hangs): World {
  const config = aConfig(AUTH_URL);
  const kube = new KubeClient(hangingKube(inside, hangs), { namespace: config.stateNamespace, log: SILENT });
  const world = inProcessWorld(inside, config, SILENT, hangingCloud(inside, hangs));
  return { ...world, cluster: name, kube, clock: { now: () => Date.now() } };
}

const passes = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

function hangingCloud(inside: SandboxInside, hangs: Hangs): Transport {
  const transport = cloudTransport(inside);
  return {
    ...transport,
    now: () => performance.now(),
    pause: (ms, signal) => new FakedClock().pause(ms, signal),
    send: async (request, limitMs) => {
      await passes(Math.min(LATENCY_MS, limitMs));
      if (!hangs('openstack')) return transport.send(request, limitMs);
      await passes(limitMs - LATENCY_MS);
      throw new NoAnswer('the time for an answer is over', true);
    },
  };
}

function hangingKube(inside: SandboxInside, hangs: Hangs): KubeHttp {
  const ask = kubeHttp(inside);
  return async (request) => {
    const leftMs = Math.min(KUBE_MS, request.leftMs?.() ?? Infinity);
    if (leftMs <= 0) throw budgetSpent(`cannot ${request.doing}`);
    await passes(Math.min(LATENCY_MS, leftMs));
    if (hangs('kube')) {
      await passes(leftMs - LATENCY_MS);
      throw new ReconcileError('KUBE_UNAVAILABLE', `cannot ${request.doing}: no answer`);
    }
    return ask(request);
  };
}

/** Until no request follows another: the simulators answer by turns of the real event loop. */
export async function quiet(clusters: readonly { readonly inside: SandboxInside }[]): Promise<void> {
  const count = (): number => clusters.reduce((sum, { inside }) => sum + inside.requests.length, 0);
  for (let before = -1; before < count();) {
    before = count();
    for (let turns = 0; turns < 5; turns += 1) await turn();
  }
}
