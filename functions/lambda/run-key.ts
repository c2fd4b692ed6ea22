import { looksAfterRoutes } from '../../shared/config/config.ts';
import { budgetSpent, CLOSING_MS, valueWithin } from '../../shared/deadline.ts';
import { type Report, outcomeOfError } from '../../shared/model/outcome.ts';
import { requestOf, type Key, type ReconcileRequest } from '../../shared/model/request.ts';
import { summarizeSteps } from '../../shared/plan/render-plan.ts';
import type { Budget } from '../../shared/ports.ts';
import type { MayCreate } from '../../shared/queue/queue.ts';
import { reconcile } from '../../shared/reconcile.ts';
import type { InvocationTime } from '../budget.ts';
import { reconcileLine } from '../log.ts';
import type { ConnectedFunction } from './connected.ts';
import { metrics } from './function-metrics.ts';
import { enqueueTo, keyQueue } from './key-queue.ts';

/** One run for one key, and what depends on a Node that it wrote. Throws if that cannot be queued. */
export async function runKey(
  request: ReconcileRequest,
  to: ConnectedFunction,
  time: InvocationTime,
  mayCreate: MayCreate,
): Promise<Report> {
  const report = await runInTime(request, to, { ...time.runs, mayCreate });
  if (report.membersMoved) await queueNodeset(to, time.sending);
  return report;
}

/** The report of a run. Whatever hangs, it comes when the time of the run, and that of its end, is over. */
export async function runInTime(
  request: ReconcileRequest,
  { world, log }: ConnectedFunction,
  time: Budget,
): Promise<Report> {
  const started = world.clock.now();
  const run = reconcile(request, world, time);
  const report =
    (await valueWithin(time.remainingMs() + CLOSING_MS, run)) ??
    givenUp(request, world.clock.now() - started);
  metrics.observeReconcile(report);
  log.info(
    'reconciled',
    reconcileLine(report, (plan) => summarizeSteps(plan.steps)),
  );
  return report;
}

function givenUp(request: ReconcileRequest, durationMs: number): Report {
  const outcome = outcomeOfError(budgetSpent('wait for the end of the run'));
  return { request, outcome, applied: [], durationMs, calls: 0, failedRequestIds: [] };
}

/** Queues what depends on Nodes after levelset wrote one, since audit events about its own writes are ignored. */
function queueNodeset({ env, world }: ConnectedFunction, sending: Budget): Promise<void> {
  const keys: readonly Key[] = looksAfterRoutes(world.config) ? ['nodeset', 'routes'] : ['nodeset'];
  return enqueueTo(keyQueue(env).during(sending))(
    keys.map((key) => requestOf(world, { key, trigger: 'requeue' })),
  );
}
