import type { Look } from '../look.ts';
import { ERRORS } from '../../model/errors.ts';
import type { Service } from '../../model/kubernetes.ts';
import type { Outcome } from '../../model/outcome.ts';
import { clip } from '../../model/text/printable.ts';
import { BLOCKED_REASON, readyCondition } from './condition.ts';
import type { Told } from './condition.ts';
import { notesOf } from './notes.ts';

/** Of a condition (metav1.Condition). */
const LONGEST_MESSAGE = 32_768;

export interface News {
  readonly told: Told;
  readonly type: 'Normal' | 'Warning';
}

/** What the condition, and the Event when it changes, say of one outcome. `True`: it serves, as far as is known. */
export function tell(
  service: Service,
  outcome: Outcome,
  look?: Look,
  addresses: readonly string[] = [],
): News {
  const news = newsOf(service, outcome, look, addresses);
  return { ...news, told: { ...news.told, message: clip(news.told.message, LONGEST_MESSAGE) } };
}

function newsOf(
  service: Service,
  outcome: Outcome,
  look: Look | undefined,
  addresses: readonly string[],
): News {
  const old = readyCondition(service);
  const leaving = look ? !look.unit.wanted : service.metadata.deletionTimestamp !== undefined;
  switch (outcome.status) {
    case 'settled':
      return served(look, addresses);
    case 'progressing': {
      // while it serves, a change in progress is no news
      if (old?.status === 'True' && !leaving) return { told: old, type: 'Normal' };
      const reason = leaving ? 'DeletingLoadBalancer' : 'EnsuringLoadBalancer';
      return { told: { status: 'False', reason, message: outcome.reason }, type: 'Normal' };
    }
    case 'blocked':
      return warning({
        status: 'False',
        reason: BLOCKED_REASON,
        message: whyNot(outcome.reason, look),
      });
    case 'failed': {
      const { reason, advice } = ERRORS[outcome.code];
      const broken = leaving || outcome.code === 'LOAD_BALANCER_ERROR';
      const status = broken ? 'False' : (old?.status ?? 'False');
      return warning({ status, reason, message: whyNot(`${outcome.message} (${advice})`, look) });
    }
  }
}

/** What stopped it, and all else that is wrong: who corrects one thing should not have to wait for the next. */
function whyNot(reason: string, look: Look | undefined): string {
  const notes = look ? notesOf(look) : [];
  return [reason, ...notes.filter((note) => !reason.startsWith(note))].join('\n');
}

function warning(told: Told): News {
  return { told, type: 'Warning' };
}

function served(look: Look | undefined, addresses: readonly string[]): News {
  const where = addresses.length === 0 ? 'has no address' : `serves at ${addresses.join(' and ')}`;
  const notes = look ? notesOf(look) : [];
  const message = [`load balancer ${look?.observed.loadBalancer?.id ?? ''} ${where}`, ...notes].join('\n');
  const reason = look?.desired.keepMembers ? 'UnAvailableLoadBalancer' : 'EnsuredLoadBalancer';
  const status = addresses.length === 0 ? 'False' : 'True';
  return { told: { status, reason, message }, type: notes.length > 0 ? 'Warning' : 'Normal' };
}
