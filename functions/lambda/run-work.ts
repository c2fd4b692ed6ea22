import type { Report } from '../../shared/model/outcome.ts';
import { summarizeSteps } from '../../shared/plan/render.ts';
import type { Budget } from '../../shared/ports.ts';
import { comebackDelayMs } from '../../shared/queue/comeback.ts';
import type { QueuedWork } from '../../shared/queue/queued-work.ts';
import { reconcile } from '../../shared/reconcile.ts';
import { reconcileLine } from '../log.ts';
import type { FunctionWorld } from './connected.ts';

/** Reports of many keys about the same Node become one look at the node set per this time. */
const NODE_SET_MS = 30_000;
/** The same of Nodes that were changed; the message waits in its group, so that all of them are written by then. */
const MEMBERS_MS = 2_000;

/** One run of one Service's key; what it left unfinished is queued to come back. Throws when that cannot be queued. */
export async function runWork(work: QueuedWork, to: FunctionWorld, budget: Budget): Promise<Report> {
  const report = await reconcile(work.request, to.world, budget);
  to.log.info(
    'reconciled',
    reconcileLine(report, (plan) => summarizeSteps(plan.steps)),
  );
  if (work.request.dryRun) return report;
  await comeBack(work, report, to);
  if (report.membersMoved) await lookAtMembers(to, 'members-moved', MEMBERS_MS);
  if ((report.nodesWithoutAddress ?? []).length > 0) {
    await lookAtMembers(to, 'nodes-without-address', NODE_SET_MS);
  }
  return report;
}

/** Reports of the same that come within `everyMs` have the same cause, and so become one message. */
async function lookAtMembers(to: FunctionWorld, what: string, everyMs: number): Promise<void> {
  const cause = `${what}/${Math.floor(to.world.clock.now() / everyMs)}`;
  await to.triggers.sendTriggers([{ request: { key: 'nodeset', trigger: 'comeback', cause }, attempt: 0 }]);
}

async function comeBack({ request, attempt }: QueuedWork, report: Report, to: FunctionWorld): Promise<void> {
  const { outcome } = report;
  const againMs = comebackDelayMs(outcome, attempt, Math.random);
  const delayMs = againMs ?? report.drainedInMs;
  if (delayMs === undefined) return;
  const waitingFor = outcome.status === 'progressing' ? outcome.waitingFor : undefined;
  await to.background.sendDelayed([
    {
      request: { ...request, trigger: 'comeback' },
      // what only drains went well: nothing to back off from
      attempt: againMs === undefined ? 0 : attempt + 1,
      ...(waitingFor !== undefined && { waitingFor }),
      delayMs,
    },
  ]);
}
