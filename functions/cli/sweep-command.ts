import { inNumbers } from '../../shared/report/page.ts';
import { looksAfterServices } from '../../shared/config/controllers.ts';
import type { Flags } from '../../shared/config/read-flags.ts';
import type { Report } from '../../shared/model/outcome.ts';
import type { World } from '../../shared/ports.ts';
import { eachCluster, type OnOne, type Told } from './each-cluster.ts';
import { sweepAndWarn } from './objects.ts';
import { reportInWords, describeFailed, exitCode, runRequests } from './run-requests.ts';
import { stopAtSignal } from './until-signal.ts';

/**
 * `levelset sweep`: sweeps once and runs what needs work. Prints a line for each of these objects, and a summary. Of several clusters one
 * after another, so that whoever stops it at the first trouble has touched one.
 */
export async function sweepCommand(flags: Flags, env: NodeJS.ProcessEnv): Promise<number> {
  if (!flags.clusters)
    return eachCluster(flags, env, (world, print) => sweepIn(world, flags, print), { writes: { all: true } });
  const { stopping, end } = stopAtSignal();
  try {
    const sweepOne: OnOne = (world, print) => sweepIn(world, flags, print, stopping);
    return await eachCluster(flags, env, sweepOne, { writes: { all: true }, stopping });
  } finally {
    end();
  }
}

async function sweepIn(
  world: World,
  flags: Flags,
  print: (text: string) => void,
  stopping?: AbortSignal,
): Promise<Told> {
  const found = await sweepAndWarn(world, {
    ...(flags.dryRun ? { readOnly: true } : {}),
    ...(flags.deep ? { deep: true } : {}),
  });
  const requests = found.requests.map((request) => ({ ...request, dryRun: flags.dryRun === true }));
  const told = (report: Report): void => {
    if (report.outcome.status !== 'failed') print(reportInWords(report));
  };
  const reports = await runRequests(requests, world, told, stopping);
  for (const line of describeFailed(reports)) print(line);
  const counts = ['settled', 'progressing', 'blocked', 'failed']
    .map((status) => ({ status, count: reports.filter(({ outcome }) => outcome.status === status).length }))
    .filter(({ count }) => count > 0)
    .map(({ status, count }) => `${count} ${status}`);
  const work = flags.dryRun ? `${reports.length} need work` : counts.join(', ') || 'nothing to do';
  const awaitingApproval = reports.reduce(
    (sum, { plan }) => sum + (plan?.awaitingApproval.length ?? 0),
    found.awaitingApproval,
  );
  const waits =
    awaitingApproval > 0
      ? `; ${awaitingApproval} ${awaitingApproval === 1 ? 'change waits' : 'changes wait'} for approval`
      : '';
  const full = found.comparedInFull > 0 ? ` (${found.comparedInFull} compared in full)` : '';
  const settled = found.settled + found.nodesSettled;
  const left = requests.length - reports.length;
  const code = found.incomplete || left > 0 ? 1 : exitCode(reports);
  // The members of load balancers were evaluated before these Nodes were changed.
  const again =
    code !== 1 &&
    flags.dryRun !== true &&
    looksAfterServices(world.config) &&
    reports.some(({ membersMoved }) => membersMoved);
  const draining = reports.reduce((sum, { plan }) => sum + (plan?.draining?.length ?? 0), 0);
  const drain = draining > 0 ? `; ${draining} ${draining === 1 ? 'member drains' : 'members drain'}` : '';
  const unbegun = left > 0 ? `; ${left} not begun after ${String(stopping?.reason)}` : '';
  const members = again ? '; run it again: the members of load balancers may change' : '';
  print(
    `${inNumbers(found)}, ${settled} already settled${full}; ${work}${waits}${drain}${unbegun}${members}`,
  );
  return { code: again ? 2 : code };
}
