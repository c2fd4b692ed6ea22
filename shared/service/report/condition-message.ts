import type { Evaluation } from '../evaluate.ts';
import { ERRORS } from '../../model/errors.ts';
import type { Service } from '../../model/kubernetes.ts';
import type { Outcome } from '../../model/outcome.ts';
import { clip } from '../../model/text/text.ts';
import { BLOCKED_REASON, readyCondition } from './condition.ts';
import type { ConditionMessage } from './condition.ts';
import { notesOf } from './notes.ts';

/** Of a condition (metav1.Condition). */
const LONGEST_MESSAGE = 32_768;

export interface ConditionNews {
  readonly message: ConditionMessage;
  readonly type: 'Normal' | 'Warning';
}

/** What the condition, and the Event when it changes, say of one outcome. `True`: it serves, as far as is known. */
export function conditionOf(
  service: Service,
  outcome: Outcome,
  evaluation?: Evaluation,
  addresses: readonly string[] = [],
): ConditionNews {
  const news = newsOf(service, outcome, evaluation, addresses);
  return { ...news, message: { ...news.message, message: clip(news.message.message, LONGEST_MESSAGE) } };
}

function newsOf(
  service: Service,
  outcome: Outcome,
  evaluation: Evaluation | undefined,
  addresses: readonly string[],
): ConditionNews {
  const old = readyCondition(service);
  const leaving = evaluation ? !evaluation.unit.wanted : service.metadata.deletionTimestamp !== undefined;
  switch (outcome.status) {
    case 'settled':
      return served(evaluation, addresses);
    case 'progressing': {
      // while it serves, a change in progress is no news
      if (old?.status === 'True' && !leaving) return { message: old, type: 'Normal' };
      const reason = leaving ? 'DeletingLoadBalancer' : 'EnsuringLoadBalancer';
      return { message: { status: 'False', reason, message: outcome.reason }, type: 'Normal' };
    }
    case 'blocked':
      return warning({
        status: 'False',
        reason: BLOCKED_REASON,
        message: whyNot(outcome.reason, evaluation),
      });
    case 'failed': {
      const { reason, advice } = ERRORS[outcome.code];
      const broken = leaving || outcome.code === 'LOAD_BALANCER_ERROR';
      const status = broken ? 'False' : (old?.status ?? 'False');
      return warning({ status, reason, message: whyNot(`${outcome.message} (${advice})`, evaluation) });
    }
  }
}

/** What stopped it, and all else that is wrong: who corrects one thing should not have to wait for the next. */
function whyNot(reason: string, evaluation: Evaluation | undefined): string {
  const notes = evaluation ? notesOf(evaluation) : [];
  return [reason, ...notes.filter((note) => !reason.startsWith(note))].join('\n');
}

function warning(message: ConditionMessage): ConditionNews {
  return { message, type: 'Warning' };
}

function served(evaluation: Evaluation | undefined, addresses: readonly string[]): ConditionNews {
  const where = addresses.length === 0 ? 'has no address' : `serves at ${addresses.join(' and ')}`;
  const notes = evaluation ? notesOf(evaluation) : [];
  const message = [`load balancer ${evaluation?.observed.loadBalancer?.id ?? ''} ${where}`, ...notes].join(
    '\n',
  );
  const reason = evaluation?.desired.keepMembers ? 'UnAvailableLoadBalancer' : 'EnsuredLoadBalancer';
  const status = addresses.length === 0 ? 'False' : 'True';
  return { message: { status, reason, message }, type: notes.length > 0 ? 'Warning' : 'Normal' };
}
