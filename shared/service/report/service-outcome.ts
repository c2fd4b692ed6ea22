import { lockOf } from '../../apply/apply.ts';
import type { Applied } from '../../apply/apply.ts';
import { howToFree } from '../../model/load-balancer/stuck.ts';
import { REPLACEMENT } from '../../model/plan.ts';
import type { Outcome } from '../../model/outcome.ts';
import { noteOf, planNotes } from '../../report/plan-notes.ts';
import { outcomeOfError, RETRY_MS } from '../../report/outcome-of-error.ts';
import type { Evaluation } from '../evaluate.ts';

/** How long Octavia takes at least, in milliseconds. */
const CREATE_MS = 2000;
const CHANGE_MS = 700;

/** The outcome of one run. Pure. */
export function outcomeOfService(evaluation: Evaluation, applied: Applied): Outcome {
  const { plan, observed, locked } = evaluation;
  const locking = applied.steps.filter((step) => lockOf(step) !== undefined);
  // what waits for its owner does not come back by itself, and after a refusal the run went on, as the next one does
  if (applied.error && !(applied.error.disposition === 'blocked' && locking.length > 0))
    return outcomeOfError(applied.error);
  const lb = applied.known.get('lb') ?? observed.loadBalancer;
  const wait = lb ? { waitingFor: lb.id } : {};
  const { letGo } = evaluation.unit;
  if (letGo && letGo.approval === undefined)
    return {
      status: 'progressing',
      reason: `${letGo.because}; levelset changes nothing of it`,
      retryAfterMs: 0,
    };
  const isLetGo = letGo !== undefined && plan.awaitingApproval.length > 0;
  const isHeldBack = evaluation.leaving !== undefined && plan.refused.length > 0;
  if (isLetGo || isHeldBack) return { status: 'blocked', reason: planNotes(plan).join('\n') };
  const stuck = locked && lb ? howToFree('loadbalancer', lb, observed.horizon.anHourAgo) : undefined;
  if (stuck !== undefined)
    return {
      status: 'failed',
      code: 'LOAD_BALANCER_STUCK',
      message: `load balancer ${lb?.id ?? ''} ${stuck}`,
      retryAfterMs: RETRY_MS,
    };
  if (locked) return { status: 'progressing', reason: waiting(lb?.id), retryAfterMs: CHANGE_MS, ...wait };
  const problem = plan.problems.find(({ blocking, code }) => blocking ?? code);
  const follows = locking.length > 0 || applied.stopped;
  if (problem && !(problem.blocking && follows)) {
    const reason = noteOf(problem);
    if (!problem.code) return { status: 'blocked', reason };
    return { status: 'failed', code: problem.code, message: reason, retryAfterMs: RETRY_MS };
  }
  if (locking.length > 0) {
    const made = applied.known.get(REPLACEMENT)?.id ?? evaluation.replacing;
    if (made !== undefined)
      return { status: 'progressing', reason: waiting(made), retryAfterMs: CREATE_MS, waitingFor: made };
    const creating = locking.some((step) => step.verb !== 'update' && step.kind === 'loadbalancer');
    const retryAfterMs = creating ? CREATE_MS : CHANGE_MS;
    return { status: 'progressing', reason: waiting(lb?.id), retryAfterMs, ...wait };
  }
  if (evaluation.replacing !== undefined) {
    const { replacing } = evaluation;
    return {
      status: 'progressing',
      reason: waiting(replacing),
      retryAfterMs: CREATE_MS,
      waitingFor: replacing,
    };
  }
  if (applied.stopped)
    return {
      status: 'progressing',
      reason: 'this run is out of time; the next run continues',
      retryAfterMs: 0,
    };
  if (applied.steps.some((step) => step.verb === 'delete')) {
    return {
      status: 'progressing',
      reason: 'levelset checks that the deleted resources are gone',
      retryAfterMs: 0,
    };
  }
  // what was created outside Octavia needs another run: Neutron takes no tags on POST, so that run writes them
  if (applied.steps.some((step) => step.verb === 'create')) {
    return {
      status: 'progressing',
      reason: 'levelset observes the created resources once more',
      retryAfterMs: 0,
    };
  }
  return evaluation.unheld ? outcomeOfError(evaluation.unheld) : { status: 'settled' };
}

/** The same words in every run that waits, so that the condition is written once. */
function waiting(id = ''): string {
  return `waiting for Octavia to finish its work on load balancer ${id}`;
}
