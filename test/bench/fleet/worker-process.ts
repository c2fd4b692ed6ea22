/** `levelset serve --clusters` in a process of its own, with all clusters of the fleet and the time of the bench. */
import { virtual } from './virtual-time.ts';
import type { Serving } from '../../../functions/serve/while-leading.ts';
import type { Texts } from '../../../shared/clusters/entry.ts';
import type { Log } from '../../../shared/ports.ts';
import type { Report } from '../../../shared/model/outcome.ts';

const { answerParent, usage } = await import('./own-process.ts');
const { serveClusters } = await import('../../../functions/clusters/serve-clusters.ts');
const { liveInTime } = await import('./in-time.ts');

export interface Ran {
  readonly cluster: string;
  readonly key: string;
  readonly status: string;
  readonly atMs: number;
}

export interface Swept {
  readonly cluster: string;
  readonly atMs: number;
}

interface ToServe {
  readonly entries: Readonly<Record<string, Texts>>;
  readonly timePort: number;
  readonly sandboxPort: number;
}

let serving: Serving | undefined;
const runs: Ran[] = [];
const sweeps: Swept[] = [];

const note: Log['info'] = (message, fields = {}) => {
  if (message !== 'swept' && message !== 'the sweep failed') return;
  sweeps.push({ cluster: String(fields['cluster']), atMs: virtual.nowMs });
};
const log: Log = { debug: () => undefined, info: note, warn: note, error: note };

const handlers = {
  /** Begins to serve all of them, and to live in the time of the bench. */
  async serve({ entries, timePort, sandboxPort }: ToServe) {
    const source = {
      names: () => Promise.resolve(Object.keys(entries)),
      read: (name: string) => Promise.resolve(entries[name]),
    };
    const { began } = await liveInTime(timePort, sandboxPort);
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
  const { cluster = '', key } = request;
  return { cluster, key, status: outcome.status, atMs: virtual.nowMs };
}

answerParent(handlers);
