import type { Trigger, Key, ReconcileRequest } from '../model/request.ts';
import { ERRORS } from '../model/errors.ts';
import type { Outcome } from '../model/outcome.ts';

/** The order of ready keys: people's changes, then requeued keys, then what a sweep found. */
export const PRIORITY = {
  audit: 0,
  events: 0,
  resync: 0,
  command: 0,
  requeue: 1,
  sweep: 2,
} as const satisfies Record<Trigger, number>;

export const PRIORITIES = 3;

export interface Queued {
  readonly request: ReconcileRequest;
  /** When the key was first added, in milliseconds since 1970. */
  readonly sinceMs: number;
}

/** Keys that may run now: each once, by priority and then in their order. */
export class ReadyKeys {
  readonly #lanes = Array.from({ length: PRIORITIES }, () => new Map<Key, Queued>());

  get size(): number {
    return this.#lanes.reduce((sum, lane) => sum + lane.size, 0);
  }

  has(key: Key): boolean {
    return this.#lanes.some((lane) => lane.has(key));
  }

  /** Adds a key. A key that is there already keeps its age, and moves only to a higher priority. */
  put(queued: Queued): void {
    const { key, trigger } = queued.request;
    const before = this.#lanes.findIndex((lane) => lane.has(key));
    const known = this.#lanes[before]?.get(key);
    if (before > PRIORITY[trigger]) this.#lanes[before]?.delete(key);
    else if (known) return;
    this.#lanes[PRIORITY[trigger]]?.set(key, { ...queued, sinceMs: known?.sinceMs ?? queued.sinceMs });
  }

  /** Removes and returns the first key that `free` allows. */
  take(free: (key: Key) => boolean): Queued | undefined {
    for (const lane of this.#lanes) {
      for (const [key, queued] of lane) {
        if (!free(key)) continue;
        lane.delete(key);
        return queued;
      }
    }
    return undefined;
  }

  oldestSinceMs(): number | undefined {
    const all = this.#lanes.flatMap((lane) => [...lane.values()].map((queued) => queued.sinceMs));
    return all.length === 0 ? undefined : all.reduce((first, since) => Math.min(first, since));
  }

  clear(): void {
    for (const lane of this.#lanes) lane.clear();
  }
}

export const FIRST_REQUEUE_MS = 1_000;
export const LONGEST_REQUEUE_MS = 30_000;
/** The longest delay of a key that waits for an operator, and of one whose run asks for a delay of its own. */
export const LONGEST_WAIT_MS = 5 * 60_000;

/**
 * Milliseconds until a key is requeued after `attempt` unfinished runs, 0 for the first: exponential with
 * full jitter between the run's own `retryAfterMs`, of which five minutes count, and 30 s, or five minutes for a
 * failure that only an operator can mend. At once after a first run that is progressing and asks for no delay.
 * Undefined if the key is settled, or blocked until its object changes. `random` yields [0, 1).
 */
export function requeueDelayMs(outcome: Outcome, attempt: number, random: () => number): number | undefined {
  if (outcome.status === 'settled' || outcome.status === 'blocked') return undefined;
  const own = Math.min(LONGEST_WAIT_MS, Math.max(0, outcome.retryAfterMs));
  if (outcome.status === 'progressing' && own === 0 && attempt === 0) return 0;
  const isOperators = outcome.status === 'failed' && ERRORS[outcome.code].disposition === 'operator';
  const longest = isOperators ? LONGEST_WAIT_MS : LONGEST_REQUEUE_MS;
  const ceiling = Math.min(longest, Math.max(own, FIRST_REQUEUE_MS) * 2 ** Math.min(attempt, 10));
  return Math.max(own, Math.round(random() * ceiling));
}
