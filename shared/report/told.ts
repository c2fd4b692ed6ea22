import type { Look } from '../look.ts';
import { ERRORS } from '../model/errors.ts';
import type { Service } from '../model/kubernetes.ts';
import type { Pending } from '../model/plan.ts';
import { approveWith } from '../plan/render.ts';
import type { Outcome } from '../model/outcome.ts';
import { readyCondition } from './condition.ts';
import type { Told } from './condition.ts';

export interface News {
  readonly told: Told;
  readonly type: 'Normal' | 'Warning';
}

/** What the condition, and the Event when it changes, say of one outcome. `True`: it serves, as far as is known. */
export function tell(service: Service, outcome: Outcome, look?: Look, address?: string): News {
  const old = readyCondition(service);
  const leaving = look ? !look.unit.wanted : service.metadata.deletionTimestamp !== undefined;
  switch (outcome.status) {
    case 'settled':
      return served(look, address);
    case 'progressing': {
      // while it serves, a change in progress is no news
      if (old?.status === 'True' && !leaving) return { told: old, type: 'Normal' };
      const reason = leaving ? 'DeletingLoadBalancer' : 'EnsuringLoadBalancer';
      return { told: { status: 'False', reason, message: outcome.reason }, type: 'Normal' };
    }
    case 'blocked':
      return warning({ status: 'False', reason: 'SyncLoadBalancerFailed', message: outcome.reason });
    case 'failed': {
      const { reason, advice } = ERRORS[outcome.code];
      const broken = leaving || outcome.code === 'LOAD_BALANCER_ERROR';
      const status = broken ? 'False' : (old?.status ?? 'False');
      return warning({ status, reason, message: `${outcome.message} (${advice})` });
    }
  }
}

function warning(told: Told): News {
  return { told, type: 'Warning' };
}

function served(look: Look | undefined, address: string | undefined): News {
  const where = address === undefined ? 'has no address' : `serves at ${address}`;
  const notes = look ? notesOf(look) : [];
  const message = [`load balancer ${look?.observed.loadBalancer?.id ?? ''} ${where}`, ...notes].join('; ');
  const reason = look?.desired.keepMembers ? 'UnAvailableLoadBalancer' : 'EnsuredLoadBalancer';
  const status = address === undefined ? 'False' : 'True';
  return { told: { status, reason, message }, type: notes.length > 0 ? 'Warning' : 'Normal' };
}

/** What of the wishes is not met although the rest is. */
function notesOf(look: Look): readonly string[] {
  return [
    ...(look.desired.keepMembers ? ['there are no available nodes'] : []),
    ...look.plan.problems.map(({ field, value, message }) => `${field} ${JSON.stringify(value)} ${message}`),
    ...waitingNotes(look.plan.pending),
    ...look.plan.refused.map(({ address, changes, reason }) => {
      const what = changes.map(({ attribute, from, to }) => `${attribute} ${String(from)} -> ${String(to)}`);
      return `${address} is left as it is (${what.join(', ')}): ${reason}`;
    }),
  ];
}

/** So many are told one by one; a condition has its limits. */
const TOLD = 5;

/** What waits for a person, and how to say yes. */
function waitingNotes(pending: readonly Pending[]): readonly string[] {
  if (pending.length === 0) return [];
  const more = pending.length > TOLD ? [`and ${pending.length - TOLD} more, see levelset plan`] : [];
  const notes = pending.slice(0, TOLD).map(({ address, changes, reason, approval }) => {
    const what = changes.map(
      ({ attribute, from, to }) =>
        `${attribute} ${JSON.stringify(from ?? null)} -> ${JSON.stringify(to ?? null)}`,
    );
    return `${address} waits for ${approval} (${what.join(', ')}): ${reason}`;
  });
  return [...notes, ...more, `approve with the annotation ${approveWith(pending)}`];
}
