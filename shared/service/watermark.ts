import type { Applied } from '../apply/apply.ts';
import type { Look } from './look.ts';
import { isSure } from './observe/remembered/recollection.ts';
import { isAnother } from '../model/load-balancer/replacement.ts';
import type { UnitState } from '../model/state.ts';

/**
 * What to remember of a unit that was found as desired, or undefined while a change could still hide behind the same
 * `updated_at` (design.md, "The sweep is cheap").
 */
export function watermark(look: Look, now: number): UnitState | undefined {
  const lb = look.observed.loadBalancer;
  if (!lb || look.observed.expectedSinceMs !== undefined || !isSure(lb, now)) return undefined;
  const { length: pending } = look.plan.pending;
  return {
    hash: look.hash,
    updated_at: textOf(lb['updated_at']),
    ...(pending > 0 ? { pending } : {}),
  };
}

/** What to remember of a create that OpenStack refused, or undefined when that is not what happened. */
export function refusal(look: Look, applied: Applied): UnitState | undefined {
  const { error } = applied;
  const another = look.plan.steps.some(isAnother) && !applied.steps.some(isAnother);
  if ((look.observed.loadBalancer && !another) || error?.code !== 'REJECTED') return undefined;
  const updatedAt = textOf(look.observed.loadBalancer?.['updated_at']);
  return { hash: look.hash, updated_at: updatedAt, rejected: error.message };
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
