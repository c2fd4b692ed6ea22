import { adviceOn } from '../../shared/model/errors.ts';
import type { Report } from '../../shared/model/outcome.ts';
import type { ReconcileRequest } from '../../shared/model/request.ts';
import { renderPlan, summarizeSteps } from '../../shared/plan/render-plan.ts';
import type { World } from '../../shared/ports.ts';
import { reconcile } from '../../shared/reconcile.ts';
import { planNotes } from '../../shared/report/plan-notes.ts';
import { inParallel } from '../../shared/observe/in-parallel.ts';
import { reasonOf } from '../status-rows.ts';
import { timeBudget } from '../budget.ts';

/**
 * Runs each request once, several at a time, and Services that share load balancers one after the other. Calls `told` as each ends. Once
 * `stopping` is aborted it begins none, and those under way end soon.
 */
export async function runRequests(
  requests: readonly ReconcileRequest[],
  world: World,
  told: (report: Report) => unknown = () => undefined,
  stopping?: AbortSignal,
): Promise<readonly Report[]> {
  const { concurrentServiceSyncs, reconcileTimeoutMs } = world.config;
  const runOne = async (request: ReconcileRequest): Promise<Report | undefined> => {
    if (stopping?.aborted) return undefined;
    const report = await reconcile(request, world, timeBudget(reconcileTimeoutMs, world.clock, stopping));
    if (!needsLane(report)) await told(report);
    return report;
  };
  const reports = await inParallel(requests, concurrentServiceSyncs, runOne);
  const ended: Report[] = [];
  for (const report of reports) {
    const last = report && needsLane(report) ? await runOne({ ...report.request, inLane: true }) : report;
    if (last) ended.push(last);
  }
  return ended;
}

function needsLane({ outcome }: Report): boolean {
  return outcome.status === 'progressing' && outcome.needsLane === true;
}

/** A run in one line, and one for each thing that it leaves undone; a dry run as its plan. */
export function reportInWords(report: Report): string {
  const { request, outcome, plan, applied, address } = report;
  if (request.dryRun && plan) return renderPlan(plan);
  const reached = address === undefined ? '' : `, ${address}`;
  const done = applied.length === 0 ? '' : ` (${summarizeSteps(applied)})`;
  const waiting = plan?.awaitingApproval.length ?? 0;
  const waits = waiting === 0 ? '' : `; ${waiting} waiting for approval`;
  const { draining = [] } = plan ?? {};
  const drain = draining.length === 0 ? '' : `; ${draining.length} draining`;
  const reason = adviceIn(report);
  const notes = plan && outcome.status !== 'progressing' ? planNotes(plan) : [];
  return [
    `${request.key}: ${outcome.status}, ${reason}${reached}${done}${waits}${drain}`,
    ...notes.filter((note) => !reason.startsWith(note)).map((note) => `  ${note}`),
  ].join('\n');
}

/** Those that failed, each in its words, but Services or Nodes that failed of the same as one line with their number. */
export function describeFailed(reports: readonly Report[], inWords = reportInWords): readonly string[] {
  const failed = reports.filter(({ outcome }) => outcome.status === 'failed');
  const kindOf = ({ request }: Report): string => (request.key.startsWith('node/') ? 'Nodes' : 'Services');
  const causes = Map.groupBy(failed, (report) => `${kindOf(report)}: ${adviceIn(report)}`);
  return [...causes].flatMap(([cause, same]) => {
    if (same.length === 1) return same.map(inWords);
    const names = same.slice(0, 3).map(({ request }) => request.key.replace(/^\w+\//, ''));
    return `${same.length} ${cause} (${names.join(', ')}${same.length > 3 ? ', ...' : ''})`;
  });
}

/** The reason of an outcome with the advice that the Event of the object has. */
export function adviceIn({ outcome, loadBalancerId }: Report): string {
  const advice = outcome.status === 'failed' ? ` (${adviceOn(outcome.code, loadBalancerId)})` : '';
  return `${reasonOf(outcome)}${advice}`;
}

/** 1: something failed, 2: something is progressing or draining, 0: nothing is left to do. */
export function exitCode(reports: readonly Report[]): number {
  const has = (status: Report['outcome']['status']): boolean =>
    reports.some(({ outcome }) => outcome.status === status);
  if (has('failed')) return 1;
  const drains = reports.some(({ request, drainedInMs }) => !request.dryRun && drainedInMs !== undefined);
  return has('progressing') || drains ? 2 : 0;
}
