import { setTimeout as sleep } from 'node:timers/promises';
import type { Report } from '../../shared/model/outcome.ts';
import type { Key } from '../../shared/model/request.ts';
import type { World } from '../../shared/ports.ts';
import { requeueDelayMs } from '../../shared/queue/scheduling.ts';
import type { Flags } from '../../shared/config/read-flags.ts';
import { eachCluster, type Told } from './each-cluster.ts';
import { findRequests, isMissing, readObjects } from './objects.ts';
import { isStopped } from './plan-command.ts';
import type { RunCommand } from './command.ts';
import { reportInWords, describeFailed, exitCode, runRequests } from './run-requests.ts';

/**
 * `levelset reconcile`: runs these objects now, and with --wait again until none is progressing or has members that drain.
 * Exit 1 for an object that is blocked.
 */
export const reconcileCommand: RunCommand = (objects, flags, env) => {
  const keys = readObjects(objects, flags);
  const writes = keys.includes('all') ? ({ all: true } as const) : { objects: keys };
  const run = (world: World, print: (text: string) => void): Promise<Told> =>
    reconcileIn(world, keys, flags, print);
  return eachCluster(flags, env, run, { writes, onOne: true });
};

async function reconcileIn(
  world: World,
  keys: readonly Key[],
  { dryRun, wait }: Flags,
  print: (text: string) => void,
): Promise<Told> {
  const { requests, incomplete, absent } = await findRequests(keys, world);
  if (requests.length + absent.length === 0 && !incomplete) print('Nothing to do: everything is as desired.');
  const missing: Key[] = [...absent];
  const first = await runRequests(
    requests.map((request) => ({ ...request, dryRun: dryRun === true })),
    world,
    (report) => {
      if (isMissing(report, keys)) missing.push(report.request.key);
      else if (report.outcome.status !== 'failed') print(reportInWords(report));
    },
  );
  for (const line of describeFailed(first)) print(line);
  const reports = wait && !dryRun ? await waitForAll(first, world, print) : first;
  const isBlocked = reports.some(({ outcome, plan }) =>
    dryRun && plan ? isStopped(plan) : outcome.status === 'blocked',
  );
  const code = incomplete || isBlocked || missing.length > 0 ? 1 : exitCode(reports);
  return { code, errors: missing.map((key) => `${key} not found`) };
}

/**
 * Runs each object again when it is due: after a delay if it is progressing, and when the first of its
 * members has drained if it is settled.
 */
async function waitForAll(
  first: readonly Report[],
  world: World,
  print: (text: string) => void,
): Promise<readonly Report[]> {
  const { clock } = world;
  const dueMs = new Map<Report, number>();
  const schedule = (reports: readonly Report[], attempt: number): void => {
    for (const report of reports) {
      const inMs = comesAgainInMs(report, attempt);
      if (inMs !== undefined) dueMs.set(report, clock.now() + inMs);
    }
  };
  let reports = first;
  schedule(first, 0);
  for (let attempt = 1; dueMs.size > 0; attempt += 1) {
    await sleep(Math.max(0, Math.min(...dueMs.values()) - clock.now()));
    const due = [...dueMs].filter(([, at]) => at <= clock.now()).map(([report]) => report);
    const requests = due.map(({ request }) => request);
    const again = await runRequests(requests, world, (report) => {
      if (report.outcome.status !== 'progressing') print(reportInWords(report));
    });
    for (const report of due) dueMs.delete(report);
    schedule(again, attempt);
    reports = [...reports.filter((report) => !due.includes(report)), ...again];
  }
  return reports;
}

function comesAgainInMs({ outcome, drainedInMs }: Report, attempt: number): number | undefined {
  if (outcome.status === 'settled') return drainedInMs;
  return outcome.status === 'progressing' ? requeueDelayMs(outcome, attempt, Math.random) : undefined;
}
