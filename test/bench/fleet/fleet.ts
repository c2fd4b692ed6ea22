/** A fleet of clusters before one process of levelset, for a virtual interval. */
import { startProcess } from './own-process.ts';
import type { Edit } from './people.ts';
import type { SandboxHandlers } from './sandbox-process.ts';
import type { Calls } from './simulated-clusters.ts';
import type { Ran, WorkerHandlers } from './worker-process.ts';

export interface FleetSize {
  readonly clusters: number;
  /** So many each cluster has at the start. */
  readonly services: number;
  /** So many clusters are slow; as many kube-apiservers hang, and the OpenStack of as many others. */
  readonly odd: number;
}

/** The worlds differ in this, and not in what is measured. */
export const KUBE_MS = 10;
export const CLOUD_MS = 40;
export const PENDING_MS = 2_000;
export const SLOW_TIMES = 50;
export const INTERVAL_MS = 300_000;
export const START_MS = Date.UTC(2026, 0, 2);
/** So often the bench looks whether all are swept. */
const LOOK_MS = 2_000;
const QUIET_MS = 60_000;
/** What people did last is done by then. */
const AFTER_MS = 60_000;
const TOKEN = 'token-of-the-audit-webhooks-of-the-fleet';

export interface Phase {
  readonly name: string;
  readonly virtualMs: number;
  readonly wallMs: number;
  /** Of levelset, and of the simulators. */
  readonly cpuMs: number;
  readonly sandboxCpuMs: number;
  readonly calls: Calls;
  readonly runs: readonly Ran[];
  /** The cluster of each. */
  readonly sweeps: readonly string[];
}

export type Fleet = Awaited<ReturnType<typeof runFleet>>;

/** `ended` hears of each phase. */
export async function runFleet(
  { perSecond, ...size }: FleetSize & { readonly perSecond: number },
  workerOptions = '',
  ended: (phase: Phase) => void = () => undefined,
) {
  const sandbox = startProcess<SandboxHandlers>('./sandbox-process.ts', '--max-old-space-size=6000');
  const worker = startProcess<WorkerHandlers>('./worker-process.ts', `--expose-gc ${workerOptions}`);
  let nowMs = START_MS;
  const pass = async (ms: number): Promise<void> => {
    nowMs += ms;
    await sandbox.ask('run', nowMs);
  };
  const phase = async (name: string, work: () => Promise<void>): Promise<Phase> => {
    const before = [await worker.ask('cpuMs', undefined), await sandbox.ask('cpuMs', undefined)] as const;
    const [beganMs, startedMs] = [performance.now(), nowMs];
    await work();
    const measured: Phase = {
      ...{ name, virtualMs: nowMs - startedMs, wallMs: performance.now() - beganMs },
      cpuMs: (await worker.ask('cpuMs', undefined)) - before[0],
      sandboxCpuMs: (await sandbox.ask('cpuMs', undefined)) - before[1],
      calls: await sandbox.ask('calls', undefined),
      runs: await worker.ask('ran', undefined),
      sweeps: await worker.ask('swept', undefined),
    };
    ended(measured);
    return measured;
  };
  try {
    const { port, timePort } = await sandbox.ask('start', size);
    const entries = await sandbox.ask('entries', TOKEN);
    await phase('start, all at once', async () => {
      await worker.ask('serve', { entries, timePort, sandboxPort: port });
      for (let swept = 0; swept < size.clusters;) {
        await pass(LOOK_MS);
        swept = new Set(await worker.ask('sweptSoFar', undefined)).size;
      }
    });
    const url = await worker.ask('url', undefined);
    const quiet = await phase('sweeps alone', () => pass(QUIET_MS));
    const hanging = await sandbox.ask('hang', undefined);
    await sandbox.ask('people', { perSecond, url, token: TOKEN });
    const interval = await phase('interval, with events', () => pass(INTERVAL_MS));
    const memory = await worker.ask('memory', undefined);
    const sockets = await sandbox.ask('sockets', undefined);
    const edits = await sandbox.ask('peopleStop', undefined);
    await pass(AFTER_MS);
    const after = await worker.ask('ran', undefined);
    const { writes } = await sandbox.ask('calls', undefined);
    return {
      /** Sweeps alone. */
      quiet,
      interval: { ...interval, runs: [...interval.runs, ...after] },
      ...{ edits, hanging, memory, sockets },
      /** All that was written in OpenStack for the edits, by method and path. */
      writes: added(interval.calls.writes, writes),
      undone: await sandbox.ask('undone', edits),
      slow: await sandbox.ask('slow', undefined),
      metrics: await worker.ask('metrics', undefined),
    };
  } finally {
    await Promise.all([sandbox.stop(), worker.stop()]);
  }
}

function added(...counts: readonly Readonly<Record<string, number>>[]): Record<string, number> {
  const sum: Record<string, number> = {};
  for (const [name, count] of counts.flatMap((one) => Object.entries(one)))
    sum[name] = (sum[name] ?? 0) + count;
  return sum;
}

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);

interface Took {
  readonly cluster: string;
  readonly ms: number;
}

/** How long it took from an edit until a run of its key found nothing left to do. */
export function tookOf(edits: readonly Edit[], runs: readonly Ran[]): readonly Took[] {
  const byKey = Map.groupBy(
    runs.filter(({ status }) => status === 'settled'),
    ({ cluster, key }) => `${cluster}:${key}`,
  );
  return edits.flatMap(({ cluster, key, atMs }) => {
    const done = byKey.get(`${cluster}:${key}`)?.find((run) => run.atMs >= atMs);
    return done ? { cluster, ms: done.atMs - atMs } : [];
  });
}

/** In milliseconds; the slowest cluster is the one whose keys took longest in the mean. */
export function waitsOf(took: readonly Took[]) {
  const sorted = took.map(({ ms }) => ms).sort((a, b) => a - b);
  const means = [...Map.groupBy(took, ({ cluster }) => cluster)].map(
    ([cluster, its]) => [cluster, mean(its.map(({ ms }) => ms))] as const,
  );
  const [slowestCluster = '', slowest = NaN] = means.sort(([, a], [, b]) => b - a)[0] ?? [];
  const p99 = sorted[Math.floor(sorted.length * 0.99)] ?? NaN;
  return { done: took.length, mean: mean(sorted), p99, slowest, slowestCluster };
}

/** Clusters by how often they were swept. */
export function sweepsOf({ interval, hanging }: Fleet, clusters: number) {
  const counts = Map.groupBy(interval.sweeps, (cluster) => cluster);
  const others = [...counts].filter(([cluster]) => !hanging.includes(cluster));
  const once = others.filter(([, its]) => its.length === 1).length;
  return { once, more: others.length - once, never: clusters - hanging.length - others.length };
}
