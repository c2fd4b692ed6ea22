import type { Outcome } from '../model/outcome.ts';

export const FIRST_REQUEUE_MS = 1_000;
export const LONGEST_REQUEUE_MS = 30_000;

/**
 * When a key comes back after `attempt` runs that did not end it (0 for the first): exponential with full jitter
 * between the run's own `retryAfterMs` and 30 s; at once after a first run that only ended early. Undefined when it need not come back: it is settled, or blocked until
 * the object changes. `random` yields [0, 1).
 */
export function requeueDelayMs(outcome: Outcome, attempt: number, random: () => number): number | undefined {
  if (outcome.status === 'settled' || outcome.status === 'blocked') return undefined;
  const own = Math.max(0, outcome.retryAfterMs);
  if (outcome.status === 'progressing' && own === 0 && attempt === 0) return 0;
  const ceiling = Math.min(LONGEST_REQUEUE_MS, Math.max(own, FIRST_REQUEUE_MS) * 2 ** Math.min(attempt, 10));
  return Math.max(own, Math.round(random() * ceiling));
}
