import { lockOf, type Applied } from '../../apply/apply.ts';
import { ReconcileError } from '../../model/errors.ts';
import { howToFree } from '../../model/load-balancer/octavia.ts';
import { REPLACEMENT } from '../../model/plan.ts';
import type { Outcome } from '../../model/outcome.ts';
import { noteOf, planNotes } from '../../report/plan-notes.ts';
import { outcomeOfError, RETRY_MS } from '../../report/outcome-of-error.ts';
import type { Evaluation } from '../evaluate.ts';

/** How long Octavia takes at least, in milliseconds. */
const CREATE_MS = 2000;
const CHANGE_MS = 700;

export function outcomeOfService(evaluation: Evaluation, applied: Applied): Outcome {
  const { plan, observed, locked, replacing, leaving } = evaluation;
  const { steps, error } = applied;
  const locking = steps.filter((step) => lockOf(step) !== undefined);
  // what waits for its owner does not come back by itself, and after a refusal the run went on, as the next one does
  if (error && !(error.disposition === 'blocked' && locking.length > 0)) return outcomeOfError(error);
  const broken = error || replacing !== undefined ? undefined : inError(evaluation, applied);
  if (broken) return outcomeOfError(broken);
  const lb = applied.known.get('lb') ?? observed.loadBalancer;
  const { released } = evaluation.object;
  if (released && released.approval === undefined)
    return again(`${released.because}; levelset changes nothing of it`);
  const isReleased = released !== undefined && plan.awaitingApproval.length > 0;
  const isHeldBack = leaving !== undefined && plan.refused.length > 0;
  if (isReleased || isHeldBack) return { status: 'blocked', reason: planNotes(plan).join('\n') };
  const stuck = locked && lb ? howToFree('loadbalancer', lb, observed.horizon.anHourAgo) : undefined;
  if (stuck !== undefined) {
    const message = `load balancer ${lb?.id ?? ''} ${stuck}`;
    return { status: 'failed', code: 'LOAD_BALANCER_STUCK', message, retryAfterMs: RETRY_MS };
  }
  if (locked) return waiting(lb?.id, CHANGE_MS);
  const problem = plan.problems.find(({ blocking, code }) => blocking ?? code);
  const follows = locking.length > 0 || applied.stopped;
  if (problem && !(problem.blocking && follows)) {
    const reason = noteOf(problem);
    if (!problem.code) return { status: 'blocked', reason };
    return { status: 'failed', code: problem.code, message: reason, retryAfterMs: RETRY_MS };
  }
  const another = (locking.length > 0 ? applied.known.get(REPLACEMENT)?.id : undefined) ?? replacing;
  if (another !== undefined) return waiting(another, CREATE_MS);
  if (locking.length > 0) {
    const creating = locking.some((step) => step.verb !== 'update' && step.kind === 'loadbalancer');
    return waiting(lb?.id, creating ? CREATE_MS : CHANGE_MS);
  }
  if (applied.stopped) return again('this run is out of time; the next run continues');
  if (steps.some(({ verb }) => verb === 'delete'))
    return again('levelset checks that the deleted resources are gone');
  // what was created outside Octavia needs another run: Neutron takes no tags on POST, so that run writes them
  if (steps.some(({ verb }) => verb === 'create'))
    return again('levelset checks that the created resources are there');
  return evaluation.unheld ? outcomeOfError(evaluation.unheld) : { status: 'settled' };
}

function again(reason: string): Outcome {
  return { status: 'progressing', reason, retryAfterMs: 0 };
}

/** The same words in every run that waits, so that the condition is written once. */
function waiting(id: string | undefined, retryAfterMs: number): Outcome {
  const reason = `waiting for Octavia to finish its work on load balancer ${id ?? ''}`;
  return { status: 'progressing', reason, retryAfterMs, ...(id === undefined ? {} : { waitingFor: id }) };
}

/** What is wrong with a load balancer that is wanted and that this run does not make anew. */
function inError({ object, observed }: Evaluation, { steps }: Applied): ReconcileError | undefined {
  const { loadBalancer: lb } = observed;
  if (!lb || !object.wanted || steps.some(({ kind }) => kind === 'loadbalancer')) return undefined;
  if (lb['provisioning_status'] !== 'ERROR') return undefined;
  return new ReconcileError('LOAD_BALANCER_ERROR', `load balancer ${lb.id} is in ERROR`);
}
