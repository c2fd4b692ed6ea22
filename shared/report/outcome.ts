import { lockOf } from '../apply/apply.ts';
import type { Applied } from '../apply/apply.ts';
import type { Look } from '../service/look.ts';
import { ERRORS } from '../model/errors.ts';
import type { ReconcileError } from '../model/errors.ts';
import type { Outcome } from '../model/outcome.ts';
import { noteOf } from './notes.ts';
import { REPLACEMENT } from '../model/replacement.ts';

/** First guesses of how long Octavia will be at it, in milliseconds; the poller learns better ones. */
const CREATE_MS = 2_000;
const CHANGE_MS = 700;
/** The queue backs off from here when nothing else is known. */
const RETRY_MS = 1_000;

/** What one run came to. Pure. */
export function outcomeOf(look: Look, applied: Applied): Outcome {
  const { plan, observed, pending } = look;
  if (applied.error) return outcomeOfError(applied.error);
  const lb = applied.known.get('lb') ?? observed.loadBalancer;
  const wait = lb ? { waitingFor: lb.id } : {};
  if (pending) return { status: 'progressing', reason: waiting(lb?.id), retryAfterMs: CHANGE_MS, ...wait };
  const problem = plan.problems.find(({ blocking, code }) => blocking ?? code);
  if (problem) {
    const reason = noteOf(problem);
    if (!problem.code) return { status: 'blocked', reason };
    return { status: 'failed', code: problem.code, message: reason, retryAfterMs: RETRY_MS };
  }
  const locking = applied.steps.filter((step) => lockOf(step) !== undefined);
  if (locking.length > 0) {
    const made = applied.known.get(REPLACEMENT)?.id ?? look.replacing;
    if (made !== undefined)
      return { status: 'progressing', reason: waiting(made), retryAfterMs: CREATE_MS, waitingFor: made };
    const creating = locking.some((step) => step.verb !== 'update' && step.kind === 'loadbalancer');
    const retryAfterMs = creating ? CREATE_MS : CHANGE_MS;
    return { status: 'progressing', reason: waiting(lb?.id), retryAfterMs, ...wait };
  }
  if (look.replacing !== undefined) {
    const { replacing } = look;
    return {
      status: 'progressing',
      reason: waiting(replacing),
      retryAfterMs: CREATE_MS,
      waitingFor: replacing,
    };
  }
  if (applied.stopped)
    return { status: 'progressing', reason: 'the time of this run is up', retryAfterMs: 0 };
  if (applied.steps.some((step) => step.verb === 'delete')) {
    return { status: 'progressing', reason: 'what was deleted is looked for once more', retryAfterMs: 0 };
  }
  // Neutron takes no tags on POST: a new floating IP gets them from the next run
  if (applied.steps.some((step) => step.verb === 'create')) {
    return { status: 'progressing', reason: 'what was created is looked at once more', retryAfterMs: 0 };
  }
  return { status: 'settled' };
}

/** The same words in every run that waits, so that the condition is written once. */
function waiting(id = ''): string {
  return `waiting for Octavia to finish its work on load balancer ${id}`;
}

export function outcomeOfError(error: ReconcileError): Outcome {
  const retryAfterMs = error.context.retryAfterMs ?? RETRY_MS;
  if (ERRORS[error.code].disposition === 'wait') {
    return { status: 'progressing', reason: error.message, retryAfterMs };
  }
  if (ERRORS[error.code].disposition === 'blocked') {
    return { status: 'blocked', reason: `${error.message} (${ERRORS[error.code].advice})` };
  }
  return { status: 'failed', code: error.code, message: error.message, retryAfterMs };
}
