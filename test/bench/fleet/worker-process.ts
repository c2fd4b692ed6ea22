/** `levelset serve --clusters` in a process of its own, with all clusters of the fleet and the time of the bench. */
import { virtual } from './virtual-time.ts';
import type { Serving } from '../../../functions/serve/while-leading.ts';
import type { Texts } from '../../../shared/clusters/entry.ts';
import type { Log } from '../../../shared/ports.ts';

const { answerParent, cpuMs } = await import('./own-process.ts');
const { serveClusters } = await import('../../../functions/clusters/serve-clusters.ts');
const { liveInTime } = await import('./in-time.ts');

export interface Ran {
  readonly cluster: string;
  readonly key: string;
  readonly status: string;
  readonly atMs: number;
}

interface ToServe {
  readonly entries: Readonly<Record<string, Texts>>;
  readonly timePort: number;
  readonly sandboxPort: number;
}

let serving: Serving | undefined;
const runs: Ran[] = [];
/** The cluster of each. */
const sweeps: string[] = [];

const note: Log['info'] = (message, fields = {}) => {
  if (message === 'swept' || message === 'the sweep failed') sweeps.push(String(fields['cluster']));
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
    const options: Parameters<typeof serveClusters>[0] = {
      flags: { allowLocalServers: 'true', listen: '127.0.0.1:0' },
      ...{ env: {}, log },
      reported: ({ request: { cluster = '', key }, outcome: { status } }) =>
        void runs.push({ cluster, key, status, atMs: virtual.nowMs }),
    };
    void serveClusters(options, source).then((begun) => (serving = begun));
    await began();
  },
  url: () => serving?.url ?? '',
  ran: (): readonly Ran[] => runs.splice(0),
  sweptSoFar: (): readonly string[] => sweeps,
  swept: (): readonly string[] => sweeps.splice(0),
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
  cpuMs,
};

export type WorkerHandlers = typeof handlers;

answerParent(handlers);
