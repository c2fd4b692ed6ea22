import { setTimeout as sleep } from 'node:timers/promises';
import type { Report } from '../../shared/model/outcome.ts';
import type { Key } from '../../shared/model/request.ts';
import type { World } from '../../shared/ports.ts';
import { requeueDelayMs } from '../../shared/queue/scheduling.ts';
import type { Flags } from '../../shared/config/read-flags.ts';
import { eachCluster, type Told } from './each-cluster.ts';
import { findRequests, isMissing, readObjects } from './objects.ts';
import { isStopped } from './plan-command.ts';
import { reportInWords, describeFailed, exitCode, runRequests } from './run-requests.ts';

/**
 * `levelset reconcile`: runs these objects now, and with --wait again until none is progressing or has members that drain.
 * Exit 1 for an object that is blocked.
 */
export async function reconcileCommand(
  objects: readonly string[],
  flags: Flags,
  env: NodeJS.ProcessEnv,
): Promise<number> {
  const keys = readObjects(objects, flags);
  return eachCluster(flags, env, (world, print) => reconcileIn(world, keys, flags, print), {
    writes: keys.includes('all') ? { all: true } : { objects: keys },
    onOne: true,
  });
}

async function reconcileIn(
  world: World,
  keys: readonly Key[],
  flags: Flags,
  printText: (text: string) => void,
): Promise<Told> {
  const { requests, incomplete, absent } = await findRequests(keys, world);
  if (requests.length + absent.length === 0 && !incomplete)
    printText('Nothing to do: everything is as desired.');
  const dryRun = flags.dryRun === true;
  const missing: Key[] = [...absent];
  const print = (report: Report): void => {
    printText(reportInWords(report));
  };
  const printFirst = (report: Report): void => {
    if (isMissing(report, keys)) missing.push(report.request.key);
    else if (report.outcome.status !== 'failed') print(report);
  };
  const first = await runRequests(
    requests.map((request) => ({ ...request, dryRun })),
    world,
    printFirst,
  );
  for (const line of describeFailed(first)) printText(line);
  const reports = flags.wait && !dryRun ? await waitForAll(first, world, print) : first;
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
  print: (report: Report) => void,
): Promise<readonly Report[]> {
  const { clock } = world;
  const dueMs = new Map<Report, number>();
  const schedule = (report: Report, attempt: number): void => {
    const inMs = comesAgainInMs(report, attempt);
    if (inMs !== undefined) dueMs.set(report, clock.now() + inMs);
  };
  for (const report of first) schedule(report, 0);
  let reports = first;
  for (let attempt = 1; dueMs.size > 0; attempt += 1) {
    await sleep(Math.max(0, Math.min(...dueMs.values()) - clock.now()));
    const due = [...dueMs].filter(([, at]) => at <= clock.now()).map(([report]) => report);
    const again = await runRequests(
      due.map(({ request }) => request),
      world,
      (report) => {
        if (report.outcome.status !== 'progressing') print(report);
      },
    );
    for (const report of due) dueMs.delete(report);
    for (const report of again) schedule(report, attempt);
    reports = [...reports.filter((report) => !due.includes(report)), ...again];
  }
  return reports;
}

function comesAgainInMs({ outcome, drainedInMs }: Report, attempt: number): number | undefined {
  if (outcome.status === 'settled') return drainedInMs;
  return outcome.status === 'progressing' ? requeueDelayMs(outcome, attempt, Math.random) : undefined;
}
