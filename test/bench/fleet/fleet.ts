/** A fleet of clusters before one process of levelset, for a virtual interval. */
import { startProcess, type OwnProcess } from './own-process.ts';
import type { Edit } from './people.ts';
import type { SandboxHandlers } from './sandbox-process.ts';
import type { Calls } from './simulated-clusters.ts';
import type { Ran, Swept, WorkerHandlers } from './worker-process.ts';

export interface FleetSize {
  readonly clusters: number;
  readonly services: number;
  readonly perSecond: number;
  /** So many clusters are slow; as many kube-apiservers hang, and the OpenStack of as many others. */
  readonly odd: number;
}

/** The worlds differ in this, and not in what is measured. */
export const KUBE_MS = 10;
export const CLOUD_MS = 40;
export const PENDING_MS = 2_000;
export const SLOW_TIMES = 50;
export const INTERVAL_MS = 300_000;
const CLUSTERS_OF_SHARED = 5;
/** One cluster in so many shares its project with others. */
const SHARED_OF = 5;
const START_MS = Date.UTC(2026, 0, 2);
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
  readonly sweeps: readonly Swept[];
}

export interface Memory {
  readonly heapMb: number;
  readonly externalMb: number;
  readonly rssMb: number;
  readonly sockets: number;
}

export interface Fleet {
  /** Sweeps alone. */
  readonly quiet: Phase;
  readonly interval: Phase;
  readonly edits: readonly Edit[];
  /** All that was written in OpenStack for the edits, by method and path. */
  readonly writes: Readonly<Record<string, number>>;
  readonly undone: number;
  readonly slow: readonly string[];
  readonly hanging: readonly string[];
  /** Before it serves, with all clusters, and after the interval. */
  readonly memory: readonly Memory[];
  readonly metrics: { readonly bytes: number; readonly series: number };
  readonly sandboxMb: number;
}

export async function runFleet(
  size: FleetSize,
  workerOptions = '',
  ended: (phase: Phase) => void = () => undefined,
): Promise<Fleet> {
  const sandbox = startProcess<SandboxHandlers>(
    new URL('./sandbox-process.ts', import.meta.url).href,
    '--max-old-space-size=6000',
  );
  const worker = startProcess<WorkerHandlers>(
    new URL('./worker-process.ts', import.meta.url).href,
    `--expose-gc ${workerOptions}`,
  );
  try {
    return await measure(sandbox, worker, size, ended);
  } finally {
    await Promise.all([sandbox.stop(), worker.stop()]);
  }
}

async function measure(
  sandbox: OwnProcess<SandboxHandlers>,
  worker: OwnProcess<WorkerHandlers>,
  { clusters, services, perSecond, odd }: FleetSize,
  ended: (phase: Phase) => void,
): Promise<Fleet> {
  const projects = Math.floor(clusters / SHARED_OF / CLUSTERS_OF_SHARED);
  const { port, timePort } = await sandbox.ask('start', {
    ...{ clusters, services, startMs: START_MS, pendingMs: PENDING_MS },
    shared: { projects, clusters: CLUSTERS_OF_SHARED },
    ...{ kubeMs: KUBE_MS, cloudMs: CLOUD_MS, hanging: odd },
    slow: { clusters: odd, times: SLOW_TIMES },
  });
  const entries = await sandbox.ask('entries', { audit: TOKEN });
  const remembered = async (): Promise<Memory> => ({
    ...(await worker.ask('memory', undefined)),
    sockets: await sandbox.ask('sockets', undefined),
  });
  const memory = [await remembered()];
  let nowMs = START_MS;
  const pass = async (ms: number): Promise<void> => {
    nowMs += ms;
    await sandbox.ask('run', nowMs);
  };
  const phase = async (name: string, work: () => Promise<void>): Promise<Phase> => {
    const before = [await worker.ask('usage', undefined), await sandbox.ask('usage', undefined)];
    const [beganMs, startedMs] = [performance.now(), nowMs];
    await work();
    const [own, others] = [await worker.ask('usage', undefined), await sandbox.ask('usage', undefined)];
    const measured: Phase = {
      name,
      virtualMs: nowMs - startedMs,
      wallMs: performance.now() - beganMs,
      calls: await sandbox.ask('calls', undefined),
      cpuMs: own.cpuMs - (before[0]?.cpuMs ?? 0),
      sandboxCpuMs: others.cpuMs - (before[1]?.cpuMs ?? 0),
      runs: await worker.ask('ran', undefined),
      sweeps: await worker.ask('swept', undefined),
    };
    ended(measured);
    return measured;
  };
  await phase('start, all at once', async () => {
    await worker.ask('serve', { entries, timePort, sandboxPort: port });
    for (const swept = new Set<string>(); swept.size < clusters;) {
      await pass(LOOK_MS);
      for (const { cluster } of await worker.ask('sweptSoFar', undefined)) swept.add(cluster);
    }
  });
  const url = await worker.ask('url', undefined);
  memory.push(await remembered());
  const quiet = await phase('sweeps alone', () => pass(QUIET_MS));
  const hanging = await sandbox.ask('hang', undefined);
  await sandbox.ask('people', { perSecond, url, token: TOKEN });
  const interval = await phase('interval, with events', () => pass(INTERVAL_MS));
  memory.push(await remembered());
  const edits = await sandbox.ask('peopleStop', undefined);
  await pass(AFTER_MS);
  const after = await worker.ask('ran', undefined);
  const { writes } = await sandbox.ask('calls', undefined);
  return {
    ...{ quiet, edits, hanging, memory },
    writes: added(interval.calls.writes, writes),
    interval: { ...interval, runs: [...interval.runs, ...after] },
    undone: await sandbox.ask('undone', edits),
    slow: await sandbox.ask('slow', undefined),
    metrics: await worker.ask('metrics', undefined),
    sandboxMb: (await sandbox.ask('usage', undefined)).peakMb,
  };
}

function added(...counts: readonly Readonly<Record<string, number>>[]): Record<string, number> {
  const sum: Record<string, number> = {};
  for (const [name, count] of counts.flatMap((one) => Object.entries(one)))
    sum[name] = (sum[name] ?? 0) + count;
  return sum;
}
