import { inNumbers } from '../../shared/report/page.ts';
import { looksAfterServices } from '../../shared/config/controllers.ts';
import type { Flags } from '../../shared/config/read-flags.ts';
import { connectWithLogins } from '../connect-with-logins.ts';
import { sweepAndWarn } from './objects.ts';
import { logOf } from './options.ts';
import { describe, exitCode, runRequests } from './run-requests.ts';

/** `levelset sweep`: sweeps once and runs what needs work. Prints a line for each of these objects, and a summary. */
export async function sweepCommand(flags: Flags, env: NodeJS.ProcessEnv): Promise<number> {
  const { world } = await connectWithLogins({ flags, env, log: logOf(flags, 'warn') });
  const found = await sweepAndWarn(world, {
    ...(flags.dryRun ? { readOnly: true } : {}),
    ...(flags.deep ? { deep: true } : {}),
  });
  const requests = found.requests.map((request) => ({ ...request, dryRun: flags.dryRun === true }));
  const reports = await runRequests(requests, world, (report) => {
    console.log(describe(report));
  });
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
  const code = found.incomplete ? 1 : exitCode(reports);
  // The members of load balancers were evaluated before these Nodes were changed.
  const again =
    code !== 1 &&
    flags.dryRun !== true &&
    looksAfterServices(world.config) &&
    reports.some(({ membersMoved }) => membersMoved);
  const draining = reports.reduce((sum, { plan }) => sum + (plan?.draining?.length ?? 0), 0);
  const drain = draining > 0 ? `; ${draining} ${draining === 1 ? 'member drains' : 'members drain'}` : '';
  const members = again ? '; run it again: the members of load balancers may change' : '';
  console.log(`${inNumbers(found)}, ${settled} already settled${full}; ${work}${waits}${drain}${members}`);
  return again ? 2 : code;
}
