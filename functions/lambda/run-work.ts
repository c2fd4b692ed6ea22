import type { Report } from '../../shared/model/outcome.ts';
import type { Key, ReconcileRequest } from '../../shared/model/request.ts';
import { summarizeSteps } from '../../shared/plan/render-plan.ts';
import type { Budget } from '../../shared/ports.ts';
import { requeueDelayMs } from '../../shared/queue/scheduling.ts';
import type { QueuedWork } from '../../shared/queue/queued-work.ts';
import { LONGEST_DELAY_MS } from '../../shared/queue/sqs-queue.ts';
import { reconcile } from '../../shared/reconcile.ts';
import { looksAfterRoutes } from '../../shared/config/controllers.ts';
import { reconcileLine } from '../log.ts';
import type { FunctionWorld } from './connected.ts';

/** Reports of many keys about the same Node become one look at the node set per this time. */
const NODE_SET_MS = 30_000;
/** Nodes that are changed within this time are looked at together, when all of them are written. */
const CHANGED_MS = 2_000;

/** One run of one Service's key; what it left unfinished is queued to come back. Throws when that cannot be queued. */
export async function runWork(work: QueuedWork, to: FunctionWorld, budget: Budget): Promise<Report> {
  const report = await reconcile(work.request, to.world, budget);
  to.log.info(
    'reconciled',
    reconcileLine(report, (plan) => summarizeSteps(plan.steps)),
  );
  if (work.request.dryRun) return report;
  await requeue(work, report, to);
  if (report.membersMoved) await followNodes(to);
  if ((report.nodesWithoutAddress ?? []).length > 0) {
    await queueMembers(to, 'nodes-without-address', NODE_SET_MS);
  }
  return report;
}

/** Nobody tells us of our own writes to Nodes: what hangs on them is looked at after the last one that this instance knows of. */
async function followNodes(to: FunctionWorld): Promise<void> {
  const keys: readonly Key[] = looksAfterRoutes(to.world.config) ? ['nodeset', 'routes'] : ['nodeset'];
  for (const key of keys) await sendLater({ key, trigger: 'requeue' }, CHANGED_MS, to);
}

/** Reports of the same that come within `everyMs` have the same cause, and so become one message. */
async function queueMembers(to: FunctionWorld, what: string, everyMs: number): Promise<void> {
  const cause = `${what}/${Math.floor(to.world.clock.now() / everyMs)}`;
  await to.triggers.sendTriggers([{ request: { key: 'nodeset', trigger: 'requeue', cause }, attempt: 0 }]);
}

async function requeue(work: QueuedWork, report: Report, to: FunctionWorld): Promise<void> {
  const { request, attempt } = work;
  const { outcome, drainedInMs } = report;
  const delayMs = requeueDelayMs(outcome, attempt, Math.random);
  const requeue = { ...request, trigger: 'requeue' } as const;
  if (delayMs !== undefined) {
    const waitingFor = outcome.status === 'progressing' ? outcome.waitingFor : undefined;
    const again = {
      request: requeue,
      attempt: attempt + 1,
      ...(waitingFor !== undefined && { waitingFor }),
    };
    await to.background.sendDelayed([{ ...again, delayMs }]);
  } else if (drainedInMs !== undefined) await sendLater(requeue, drainedInMs, to);
}

/** When the next of these messages arrives, as far as this instance has sent it, in milliseconds since 1970. */
const arrivals = new WeakMap<FunctionWorld, Map<Key, number>>();

/**
 * Only if none of the same comes earlier: whoever looks while a member drains would send one, and each would bring the next.
 */
async function sendLater(request: ReconcileRequest, delayMs: number, to: FunctionWorld): Promise<void> {
  const now = to.world.clock.now();
  const known = arrivals.get(to) ?? new Map<Key, number>();
  const next = known.get(request.key) ?? now;
  const at = now + Math.min(delayMs, LONGEST_DELAY_MS);
  if (next > now && next <= at) return;
  await to.background.sendDelayed([{ request, attempt: 0, delayMs }]);
  arrivals.set(to, known.set(request.key, at));
}
