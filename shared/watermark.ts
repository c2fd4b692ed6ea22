import type { Applied } from './apply/apply.ts';
import type { Look } from './look.ts';
import type { UnitState } from './model/state.ts';

/** Octavia's times have whole seconds; this much later than a change, no other can hide in the same second. */
const SETTLED_AFTER_MS = 2_000;

/**
 * What to remember of a unit that was found as desired, or undefined while a change could still hide behind the same
 * `updated_at` (design.md, "The sweep is cheap").
 */
export function watermark(look: Look, now: number): UnitState | undefined {
  const lb = look.observed.loadBalancer;
  if (!lb) return undefined;
  const updated_at = typeof lb['updated_at'] === 'string' ? lb['updated_at'] : null;
  const changed = Date.parse(`${updated_at ?? String(lb['created_at'])}Z`);
  return now - changed < SETTLED_AFTER_MS ? undefined : { hash: look.hash, updated_at };
}

/** What to remember of a create that OpenStack refused, or undefined when that is not what happened. */
export function refusal(look: Look, applied: Applied): UnitState | undefined {
  const { error } = applied;
  if (look.observed.loadBalancer || error?.code !== 'REJECTED') return undefined;
  return { hash: look.hash, updated_at: null, rejected: error.message };
}
