import { setTimeout as sleep } from 'node:timers/promises';
import { looksAfterServices } from '../../shared/config/config.ts';
import type { Flags } from '../../shared/config/read-flags.ts';
import type { Report } from '../../shared/model/outcome.ts';
import type { Key } from '../../shared/model/request.ts';
import type { World } from '../../shared/ports.ts';
import { requeueDelayMs } from '../../shared/queue/scheduling.ts';
import { inNumbers } from '../../shared/report/page.ts';
import { counted, type RunCommand } from './command.ts';
import { eachCluster, type OnOne, type CommandResult } from './each-cluster.ts';
import { isStopped } from './look-commands.ts';
import {
  describeFailed,
  exitCode,
  reportInWords,
  runRequests,
  findRequests,
  isMissing,
  readObjects,
  sweepAndWarn,
} from './requests.ts';

type Print = Parameters<OnOne>[1];

/** `levelset reconcile`; with --wait again until nothing is progressing. */
export const reconcileCommand: RunCommand = (objects, flags, env) => {
  const keys = readObjects(objects, flags);
  const writes = keys.includes('all') ? ({ all: true } as const) : { objects: keys };
  const run: OnOne = (world, print) => reconcileIn(world, keys, flags, print);
  return eachCluster(flags, env, run, { writes, onOne: true });
};

async function reconcileIn(
  world: World,
  keys: readonly Key[],
  { dryRun, wait }: Flags,
  print: Print,
): Promise<CommandResult> {
  const { requests, incomplete, absent } = await findRequests(keys, world);
  if (requests.length + absent.length === 0 && !incomplete) print('Nothing to do: everything is as desired.');
  const told = (report: Report): void => {
    if (report.outcome.status !== 'failed' && !isMissing(report, keys)) print(reportInWords(report));
  };
  const first = await runRequests(requests, world, { dryRun, told });
  for (const line of describeFailed(first)) print(line);
  const gone = first.filter((report) => isMissing(report, keys)).map(({ request }) => request.key);
  const missing = [...absent, ...gone];
  const reports = wait && !dryRun ? await waitForAll(first, world, print) : first;
  const isBlocked = reports.some(({ outcome, plan }) =>
    dryRun && plan ? isStopped(plan) : outcome.status === 'blocked',
  );
  const code = incomplete || isBlocked || missing.length > 0 ? 1 : exitCode(reports);
  return { code, errors: missing.map((key) => `${key} not found`) };
}

/** Runs each object that is progressing again when it is due. */
async function waitForAll(first: readonly Report[], world: World, print: Print): Promise<readonly Report[]> {
  const { clock } = world;
  const told = (report: Report): void => {
    if (report.outcome.status !== 'progressing') print(reportInWords(report));
  };
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
    const again = await runRequests(requests, world, { told });
    for (const report of due) dueMs.delete(report);
    schedule(again, attempt);
    reports = [...reports.filter((report) => !due.includes(report)), ...again];
  }
  return reports;
}

function comesAgainInMs({ outcome }: Report, attempt: number): number | undefined {
  return outcome.status === 'progressing' ? requeueDelayMs(outcome, attempt, Math.random) : undefined;
}

/** `levelset sweep`. Whoever stops it at the first trouble has touched one cluster. */
export const sweepCommand: RunCommand = (_words, flags, env) =>
  eachCluster(flags, env, (world, print) => sweepIn(world, flags, print), { writes: { all: true } });

async function sweepIn(world: World, { dryRun, deep }: Flags, print: Print): Promise<CommandResult> {
  const scope = { ...(dryRun && { readOnly: true as const }), ...(deep && { deep }) };
  const found = await sweepAndWarn(world, scope);
  const told = (report: Report): void => {
    if (report.outcome.status !== 'failed') print(reportInWords(report));
  };
  const reports = await runRequests(found.requests, world, { dryRun, told });
  for (const line of describeFailed(reports)) print(line);
  const code = found.incomplete ? 1 : exitCode(reports);
  // The members of load balancers were compared before these Nodes were changed.
  const isStale = looksAfterServices(world.config) && reports.some(({ membersMoved }) => membersMoved);
  const again = code !== 1 && !dryRun && isStale;
  const counts = ['settled', 'progressing', 'blocked', 'failed']
    .map((status) => ({ status, count: reports.filter(({ outcome }) => outcome.status === status).length }))
    .flatMap(({ status, count }) => (count > 0 ? `${count} ${status}` : []));
  const plans = reports.flatMap(({ plan }) => plan ?? []);
  const waiting = found.awaitingApproval + plans.flatMap((plan) => plan.awaitingApproval).length;
  const full = found.comparedInFull > 0 ? ` (${found.comparedInFull} compared in full)` : '';
  const summary = [
    `${inNumbers(found)}, ${found.settled + found.nodesSettled} already settled${full}`,
    dryRun ? `${reports.length} need work` : counts.join(', ') || 'nothing to do',
    waiting > 0 ? `${counted(waiting, 'change waits', 'changes wait')} for approval` : '',
    again ? 'run it again: the members of load balancers may change' : '',
  ];
  print(summary.filter((part) => part !== '').join('; '));
  return { code: again ? 2 : code };
}
