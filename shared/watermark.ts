import type { Applied } from './apply/apply.ts';
import type { Look } from './look.ts';
import { isSure } from './observe/recollection.ts';
import type { UnitState } from './model/state.ts';

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
    updated_at: typeof lb['updated_at'] === 'string' ? lb['updated_at'] : null,
    ...(pending > 0 ? { pending } : {}),
  };
}

/** What to remember of a create that OpenStack refused, or undefined when that is not what happened. */
export function refusal(look: Look, applied: Applied): UnitState | undefined {
  const { error } = applied;
  if (look.observed.loadBalancer || error?.code !== 'REJECTED') return undefined;
  return { hash: look.hash, updated_at: null, rejected: error.message };
}
