/** Workers before a fleet of simulated clusters for some time, in the real time. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Calls } from '../fleet/simulated-clusters.ts';
import { startProcess, type OwnProcess } from '../scale/own-process.ts';
import { onSqs } from './on-sqs.ts';
import { figuresOf, type ProcessFigures } from './processes.ts';
import type { SandboxHandlers, Watched } from './sandbox-process.ts';
import type { Worked, Workers } from './workers.ts';

export interface Size {
  readonly workers: number;
  readonly clusters: number;
  readonly services: number;
  readonly perSecond: number;
  readonly seconds: number;
}

/** A worker, from the first edit until the last one was done. */
export interface WorkerFigures extends ProcessFigures, Worked {}

export interface Figures {
  readonly workers: readonly WorkerFigures[];
  readonly edits: readonly Watched[];
  /** Edits that do not hold in OpenStack at the end. */
  readonly undone: number;
  readonly calls: Calls;
  /** How late the simulators had the CPU, 99 times of a hundred at most. */
  readonly lateMs: number;
}

export const KUBE_MS = 10;
export const CLOUD_MS = 40;
export const PENDING_MS = 2_000;
const CLUSTERS_OF_SHARED = 5;
/** One cluster in so many shares its project with others. */
const SHARED_OF = 5;
const TOKEN = 'token-of-the-audit-webhooks-of-the-fleet';
/** What people did last may take so long. */
const AFTER_MS = 120_000;

export async function measureWorkers(size: Size): Promise<Figures> {
  const { clusters, services, perSecond, seconds } = size;
  if ((seconds * perSecond) / clusters > services) throw new Error('some Service is edited more than once');
  const sandbox = startProcess<SandboxHandlers>(new URL('./sandbox-process.ts', import.meta.url).href);
  let workers: Workers | undefined;
  try {
    const projects = Math.floor(clusters / SHARED_OF / CLUSTERS_OF_SHARED);
    await sandbox.ask('start', {
      ...{ clusters, services, shared: { projects, clusters: CLUSTERS_OF_SHARED }, pendingMs: PENDING_MS },
      ...{ kubeMs: KUBE_MS, cloudMs: CLOUD_MS },
    });
    workers = await onSqs(size.workers, await sandbox.ask('entries', TOKEN));
    await workers.ready();
    return await measure(size, sandbox, workers);
  } finally {
    await workers?.stop();
    await sandbox.stop();
  }
}

async function measure(
  { perSecond, seconds }: Size,
  sandbox: OwnProcess<SandboxHandlers>,
  { urls, pids, worked }: Workers,
): Promise<Figures> {
  const before = await Promise.all(pids.map(figuresOf));
  await worked();
  await sandbox.ask('calls', undefined);
  await sandbox.ask('lateMs', undefined);
  await sandbox.ask('people', { perSecond, urls, token: TOKEN });
  await pause(seconds * 1e3);
  for (const end = Date.now() + AFTER_MS; (await sandbox.ask('peopleStop', undefined)) > 0;) {
    if (Date.now() > end) break;
    await pause(500);
  }
  const work = await worked();
  const after = await Promise.all(pids.map(figuresOf));
  return {
    workers: after.map((figures, at) => ({
      ...{ runs: 0, sweeps: 0, busyMs: 0, ...work[at], ...figures },
      cpuMs: figures.cpuMs - (before[at]?.cpuMs ?? 0),
    })),
    edits: await sandbox.ask('watched', undefined),
    undone: await sandbox.ask('undone', undefined),
    calls: await sandbox.ask('calls', undefined),
    lateMs: await sandbox.ask('lateMs', undefined),
  };
}
