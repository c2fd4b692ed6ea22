import { lockOf, type Applied } from '../../apply/apply.ts';
import { ReconcileError, adviceOn, ERRORS } from '../../model/errors.ts';
import { howToFree } from '../../model/load-balancer/octavia.ts';
import { REPLACEMENT, isBlocked } from '../../model/plan.ts';
import { type Outcome, outcomeOfError, RETRY_MS } from '../../model/outcome.ts';
import {
  noteOf,
  planNotes,
  clipMessage,
  conditionWith,
  readyCondition,
  BLOCKED_REASON,
  type ConditionMessage,
} from '../../report/condition.ts';
import type { Comparison } from '../compare-service.ts';
import type { Condition, Service } from '../../model/kubernetes.ts';
import { READY_CONDITION } from '../../model/ownership.ts';
import { RELEASED_REASON, TAKEN_OVER_REASON } from '../../model/service-object.ts';

/** How long Octavia takes at least, in milliseconds. */
const CREATE_MS = 2000;
const CHANGE_MS = 700;

export function outcomeOfService(comparison: Comparison, applied: Applied): Outcome {
  const { plan, observed, locked, replacing, leaving } = comparison;
  const { steps, error } = applied;
  const locking = steps.filter((step) => lockOf(step) !== undefined);
  // what waits for its owner does not come back by itself, and after a refusal the run went on, as the next one does
  if (error && !(error.disposition === 'blocked' && locking.length > 0)) return outcomeOfError(error);
  const broken = error || replacing !== undefined ? undefined : inError(comparison, applied);
  if (broken) return outcomeOfError(broken);
  const lb = applied.known.get('lb') ?? observed.loadBalancer;
  const { released } = comparison.object;
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
  return comparison.unheld ? outcomeOfError(comparison.unheld) : { status: 'settled' };
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
function inError({ object, observed }: Comparison, { steps }: Applied): ReconcileError | undefined {
  const { loadBalancer: lb } = observed;
  if (!lb || !object.wanted || steps.some(({ kind }) => kind === 'loadbalancer')) return undefined;
  if (lb['provisioning_status'] !== 'ERROR') return undefined;
  return new ReconcileError('LOAD_BALANCER_ERROR', `load balancer ${lb.id} is in ERROR`);
}

interface ConditionAndType {
  readonly message: ConditionMessage;
  readonly type: 'Normal' | 'Warning';
}

/** The condition for an outcome, and the type of its Event. `True` means that the load balancer serves. */
export function conditionOf(
  service: Service,
  outcome: Outcome,
  comparison?: Comparison,
  addresses: readonly string[] = [],
): ConditionAndType {
  const { message, type } = wholeCondition(service, outcome, comparison, addresses);
  return { type, message: { ...message, message: clipMessage(message.message) } };
}

function wholeCondition(
  service: Service,
  outcome: Outcome,
  comparison: Comparison | undefined,
  addresses: readonly string[],
): ConditionAndType {
  const old = readyCondition(service.status?.conditions);
  const leaving = comparison ? !comparison.object.wanted : service.metadata.deletionTimestamp !== undefined;
  const released = comparison?.object.released;
  if (released && outcome.status !== 'settled') {
    const reason = released.takenOver ? TAKEN_OVER_REASON : RELEASED_REASON;
    const message = outcome.status === 'failed' ? outcome.message : outcome.reason;
    return warning({ status: 'Unknown', reason, message });
  }
  switch (outcome.status) {
    case 'settled':
      return settled(comparison, addresses);
    case 'progressing': {
      // a load balancer that serves stays `True` during a change, and what is blocked stays so while its members follow the Nodes
      const stays = old?.status === 'True' || (comparison && isBlocked(comparison.plan));
      if (old && stays && !leaving) return { message: old, type: 'Normal' };
      if (!leaving && comparison && isMadeAnew(comparison)) return warning(NOT_BUILT);
      // said once, until one is built
      if (!leaving && old?.message === NOT_BUILT.message) return { message: old, type: 'Normal' };
      const reason = leaving ? 'DeletingLoadBalancer' : 'EnsuringLoadBalancer';
      return { message: { status: 'False', reason, message: outcome.reason }, type: 'Normal' };
    }
    case 'blocked': {
      const message = whyNot(outcome.reason, comparison);
      return warning({ status: 'False', reason: BLOCKED_REASON, message });
    }
    case 'failed': {
      const { reason } = ERRORS[outcome.code];
      const advice = adviceOn(outcome.code, comparison?.observed.loadBalancer?.id);
      const broken = leaving || outcome.code === 'LOAD_BALANCER_ERROR';
      const status = broken || old?.status !== 'True' ? 'False' : 'True';
      return warning({ status, reason, message: whyNot(`${outcome.message} (${advice})`, comparison) });
    }
  }
}

/** The condition of a Service whose load balancers all ended in ERROR before anybody had their address (decision 310). */
const NOT_BUILT: ConditionMessage = {
  status: 'False',
  reason: ERRORS.LOAD_BALANCER_ERROR.reason,
  message:
    'Octavia could not build the load balancer: it ended in ERROR, as where the cloud has no room for an amphora; levelset deletes it and makes another one until one is built; whoever runs the cloud finds the reason in the log of Octavia',
};

function isMadeAnew({ plan, observed }: Comparison): boolean {
  const isFailed = observed.loadBalancer?.['provisioning_status'] === 'ERROR';
  return isFailed && plan.steps.some(({ verb, address }) => verb === 'delete' && address === 'lb');
}

/** The cause that stopped the run, and all other Problems, so that a person can correct all of them at once. */
function whyNot(reason: string, comparison: Comparison | undefined): string {
  const notes = comparison ? notesOf(comparison) : [];
  return [reason, ...notes.filter((note) => !reason.startsWith(note))].join('\n');
}

function warning(message: ConditionMessage): ConditionAndType {
  return { message, type: 'Warning' };
}

function settled(comparison: Comparison | undefined, addresses: readonly string[]): ConditionAndType {
  const where = addresses.length === 0 ? 'has no address' : `serves at ${addresses.join(' and ')}`;
  const notes = comparison ? notesOf(comparison) : [];
  const served = `load balancer ${comparison?.observed.loadBalancer?.id ?? ''} ${where}`;
  const message = [served, ...notes].join('\n');
  const reason = comparison?.desired.keepMembers ? 'UnAvailableLoadBalancer' : 'EnsuredLoadBalancer';
  const status = addresses.length === 0 ? 'False' : 'True';
  return { message: { status, reason, message }, type: notes.length > 0 ? 'Warning' : 'Normal' };
}

export function withCondition(
  { status }: Service,
  message: ConditionMessage,
  now: string,
): readonly Condition[] {
  const others = (status?.conditions ?? []).filter(({ type }) => type !== READY_CONDITION);
  return [...others, conditionWith(message, readyCondition(status?.conditions), now)];
}

/** One line for each part of the intent that is not met, and for each change that waits for approval. */
function notesOf({ plan, desired, observed }: Comparison): readonly string[] {
  const follow =
    isBlocked(plan) && observed.loadBalancer ? ['the members follow the nodes all the same'] : [];
  return [...(desired.keepMembers ? ['there are no available nodes'] : []), ...planNotes(plan), ...follow];
}
