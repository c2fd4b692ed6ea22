import type { Evaluation } from '../evaluate.ts';
import { adviceOn, ERRORS } from '../../model/errors.ts';
import type { Condition, Service } from '../../model/kubernetes.ts';
import type { Outcome } from '../../model/outcome.ts';
import { READY_CONDITION } from '../../model/ownership.ts';
import { isBlocked } from '../../model/plan.ts';
import { RELEASED_REASON, TAKEN_OVER_REASON } from '../../model/service-object.ts';
import {
  clipMessage,
  conditionWith,
  readyCondition,
  BLOCKED_REASON,
  type ConditionMessage,
} from '../../report/condition.ts';
import { planNotes } from '../../report/plan-notes.ts';

interface ConditionAndType {
  readonly message: ConditionMessage;
  readonly type: 'Normal' | 'Warning';
}

/** The condition for an outcome, and the type of its Event. `True` means that the load balancer serves. */
export function conditionOf(
  service: Service,
  outcome: Outcome,
  evaluation?: Evaluation,
  addresses: readonly string[] = [],
): ConditionAndType {
  const { message, type } = wholeCondition(service, outcome, evaluation, addresses);
  return { type, message: { ...message, message: clipMessage(message.message) } };
}

function wholeCondition(
  service: Service,
  outcome: Outcome,
  evaluation: Evaluation | undefined,
  addresses: readonly string[],
): ConditionAndType {
  const old = readyCondition(service.status?.conditions);
  const leaving = evaluation ? !evaluation.object.wanted : service.metadata.deletionTimestamp !== undefined;
  const released = evaluation?.object.released;
  if (released && outcome.status !== 'settled') {
    const reason = released.takenOver ? TAKEN_OVER_REASON : RELEASED_REASON;
    const message = outcome.status === 'failed' ? outcome.message : outcome.reason;
    return warning({ status: 'Unknown', reason, message });
  }
  switch (outcome.status) {
    case 'settled':
      return settled(evaluation, addresses);
    case 'progressing': {
      // a load balancer that serves stays `True` during a change, and what is blocked stays so while its members follow the Nodes
      const stays = old?.status === 'True' || (evaluation && isBlocked(evaluation.plan));
      if (old && stays && !leaving) return { message: old, type: 'Normal' };
      if (!leaving && evaluation && isMadeAnew(evaluation)) return warning(NOT_BUILT);
      // said once, until one is built
      if (!leaving && old?.message === NOT_BUILT.message) return { message: old, type: 'Normal' };
      const reason = leaving ? 'DeletingLoadBalancer' : 'EnsuringLoadBalancer';
      return { message: { status: 'False', reason, message: outcome.reason }, type: 'Normal' };
    }
    case 'blocked': {
      const message = whyNot(outcome.reason, evaluation);
      return warning({ status: 'False', reason: BLOCKED_REASON, message });
    }
    case 'failed': {
      const { reason } = ERRORS[outcome.code];
      const advice = adviceOn(outcome.code, evaluation?.observed.loadBalancer?.id);
      const broken = leaving || outcome.code === 'LOAD_BALANCER_ERROR';
      const status = broken || old?.status !== 'True' ? 'False' : 'True';
      return warning({ status, reason, message: whyNot(`${outcome.message} (${advice})`, evaluation) });
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

function isMadeAnew({ plan, observed }: Evaluation): boolean {
  const isFailed = observed.loadBalancer?.['provisioning_status'] === 'ERROR';
  return isFailed && plan.steps.some(({ verb, address }) => verb === 'delete' && address === 'lb');
}

/** The cause that stopped the run, and all other Problems, so that a person can correct all of them at once. */
function whyNot(reason: string, evaluation: Evaluation | undefined): string {
  const notes = evaluation ? notesOf(evaluation) : [];
  return [reason, ...notes.filter((note) => !reason.startsWith(note))].join('\n');
}

function warning(message: ConditionMessage): ConditionAndType {
  return { message, type: 'Warning' };
}

function settled(evaluation: Evaluation | undefined, addresses: readonly string[]): ConditionAndType {
  const where = addresses.length === 0 ? 'has no address' : `serves at ${addresses.join(' and ')}`;
  const notes = evaluation ? notesOf(evaluation) : [];
  const served = `load balancer ${evaluation?.observed.loadBalancer?.id ?? ''} ${where}`;
  const message = [served, ...notes].join('\n');
  const reason = evaluation?.desired.keepMembers ? 'UnAvailableLoadBalancer' : 'EnsuredLoadBalancer';
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
function notesOf({ plan, desired, observed }: Evaluation): readonly string[] {
  const follow =
    isBlocked(plan) && observed.loadBalancer ? ['the members follow the nodes all the same'] : [];
  return [...(desired.keepMembers ? ['there are no available nodes'] : []), ...planNotes(plan), ...follow];
}
