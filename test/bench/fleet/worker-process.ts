/** A worker: `levelset serve --clusters` in a process of its own, with all clusters of the fleet and the time of the bench. */
import { virtual } from './virtual-time.ts';
import type { Serving } from '../../../functions/serve.ts';
import type { Texts } from '../../../shared/clusters/entry.ts';
import type { Log } from '../../../shared/ports.ts';
import type { Report } from '../../../shared/model/outcome.ts';

const { answerParent, usage } = await import('./own-process.ts');
const { serveClusters } = await import('../../../functions/clusters/serve-clusters.ts');
const { liveInTime } = await import('./in-time.ts');

export interface Ran {
  readonly cluster: string;
  readonly key: string;
  readonly trigger: string;
  readonly status: string;
  readonly atMs: number;
}

export interface Swept {
  readonly cluster: string;
  readonly atMs: number;
  readonly failed?: true;
}

export interface ToServe {
  readonly entries: Readonly<Record<string, Texts>>;
  readonly timePort: number;
  readonly sandboxPort: number;
  readonly worker: number;
}

let serving: Serving | undefined;
const runs: Ran[] = [];
const sweeps: Swept[] = [];
const told = new Map<string, number>();

const log: Log = {
  debug: () => undefined,
  info: (message, fields) => {
    note(message, fields);
  },
  warn: (message, fields) => {
    note(message, fields);
  },
  error: (message, fields) => {
    note(message, fields);
  },
};

const handlers = {
  /** Begins to serve all of them, and to live in the time of the bench. */
  async serve({ entries, timePort, sandboxPort, worker }: ToServe) {
    const source = {
      names: () => Promise.resolve(Object.keys(entries)),
      read: (name: string) => Promise.resolve(entries[name]),
    };
    const { began } = await liveInTime(timePort, sandboxPort, worker);
    const beginning = serveClusters(
      {
        flags: { allowLocalServers: 'true', listen: '127.0.0.1:0' },
        env: {},
        log,
        reported: (report) => void runs.push(ranOf(report)),
      },
      source,
    );
    beginning.then(
      (begun) => (serving = begun),
      (error: unknown) => {
        throw error;
      },
    );
    await began();
  },
  url: () => serving?.url ?? '',
  ran: (): readonly Ran[] => runs.splice(0),
  sweptSoFar: (): readonly Swept[] => sweeps,
  swept: (): readonly Swept[] => sweeps.splice(0),
  /** How often what was logged, but for runs and sweeps. */
  told: (): Readonly<Record<string, number>> => Object.fromEntries(told),
  /** The memory that is in use, in megabytes, after everything else was given back. */
  memory() {
    for (let times = 0; times < 3; times += 1) globalThis.gc?.();
    const { heapUsed, external, rss } = process.memoryUsage();
    return { heapMb: heapUsed / 1e6, externalMb: external / 1e6, rssMb: rss / 1e6 };
  },
  async metrics() {
    const text = await (await fetch(`${serving?.url ?? ''}/metrics`)).text();
    return { bytes: text.length, series: text.split('\n').filter((line) => !line.startsWith('#')).length };
  },
  usage: () => usage(),
};

export type WorkerHandlers = typeof handlers;

function ranOf({ request, outcome }: Report): Ran {
  const { cluster = '', key, trigger } = request;
  return { cluster, key, trigger, status: outcome.status, atMs: virtual.nowMs };
}

function note(message: string, fields: Readonly<Record<string, unknown>> = {}): void {
  const cluster = String(fields['cluster']);
  if (message === 'swept') sweeps.push({ cluster, atMs: virtual.nowMs });
  else if (message === 'the sweep failed') sweeps.push({ cluster, atMs: virtual.nowMs, failed: true });
  else if (message !== 'reconciled') told.set(message, (told.get(message) ?? 0) + 1);
}

answerParent(handlers);
