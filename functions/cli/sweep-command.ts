import { inNumbers } from '../../shared/report/page.ts';
import { looksAfterServices } from '../../shared/config/controllers.ts';
import type { Flags } from '../../shared/config/read-flags.ts';
import type { Report } from '../../shared/model/outcome.ts';
import type { World } from '../../shared/ports.ts';
import { eachCluster, type Told } from './each-cluster.ts';
import { sweepAndWarn } from './objects.ts';
import { reportInWords, describeFailed, exitCode, runRequests } from './run-requests.ts';
import { counted, type RunCommand } from './command.ts';
import { stopAtSignal } from './until-signal.ts';

/**
 * `levelset sweep`: sweeps once and runs what needs work. Prints a line for each of these objects, and a summary. Of several clusters one
 * after another, so that whoever stops it at the first trouble has touched one.
 */
export const sweepCommand: RunCommand = async (_words, flags, env) => {
  const { stopping, end } = flags.clusters ? stopAtSignal() : {};
  const sweepOne = (world: World, print: (text: string) => void): Promise<Told> =>
    sweepIn(world, flags, print, stopping);
  try {
    return await eachCluster(flags, env, sweepOne, { writes: { all: true }, stopping });
  } finally {
    end?.();
  }
};

async function sweepIn(
  world: World,
  { dryRun, deep }: Flags,
  print: (text: string) => void,
  stopping?: AbortSignal,
): Promise<Told> {
  const scope = { ...(dryRun && { readOnly: true as const }), ...(deep && { deep }) };
  const found = await sweepAndWarn(world, scope);
  const requests = found.requests.map((request) => ({ ...request, dryRun: dryRun === true }));
  const told = (report: Report): void => {
    if (report.outcome.status !== 'failed') print(reportInWords(report));
  };
  const reports = await runRequests(requests, world, told, stopping);
  for (const line of describeFailed(reports)) print(line);
  const left = requests.length - reports.length;
  const code = found.incomplete || left > 0 ? 1 : exitCode(reports);
  // The members of load balancers were evaluated before these Nodes were changed.
  const isStale = looksAfterServices(world.config) && reports.some(({ membersMoved }) => membersMoved);
  const again = code !== 1 && !dryRun && isStale;
  const counts = ['settled', 'progressing', 'blocked', 'failed']
    .map((status) => ({ status, count: reports.filter(({ outcome }) => outcome.status === status).length }))
    .flatMap(({ status, count }) => (count > 0 ? `${count} ${status}` : []));
  const plans = reports.flatMap(({ plan }) => plan ?? []);
  const waiting = found.awaitingApproval + plans.flatMap((plan) => plan.awaitingApproval).length;
  const draining = plans.flatMap((plan) => plan.draining ?? []).length;
  const full = found.comparedInFull > 0 ? ` (${found.comparedInFull} compared in full)` : '';
  const summary = [
    `${inNumbers(found)}, ${found.settled + found.nodesSettled} already settled${full}`,
    dryRun ? `${reports.length} need work` : counts.join(', ') || 'nothing to do',
    waiting > 0 ? `${counted(waiting, 'change waits', 'changes wait')} for approval` : '',
    draining > 0 ? counted(draining, 'member drains', 'members drain') : '',
    left > 0 ? `${left} not begun after ${String(stopping?.reason)}` : '',
    again ? 'run it again: the members of load balancers may change' : '',
  ];
  print(summary.filter((part) => part !== '').join('; '));
  return { code: again ? 2 : code };
}
