import { ERRORS } from '../model/errors.ts';
import type { Outcome, Report } from '../model/outcome.ts';
import type { ReconcileRequest, Trigger } from '../model/request.ts';

/**
 * The order of all work. soon: a person asked for it, or its last run made progress. event: somebody changed the object.
 * background: a sweep found it, or its last run failed.
 */
export const PRIORITIES = ['soon', 'event', 'background'] as const;

export type Priority = (typeof PRIORITIES)[number];

/** The priority of a key's first run. */
export const PRIORITY: Readonly<Record<Trigger, Priority>> = {
  resync: 'soon',
  command: 'soon',
  audit: 'event',
  events: 'event',
  watch: 'event',
  requeue: 'background',
  sweep: 'background',
};

export function isBefore(one: Priority, other: Priority): boolean {
  return PRIORITIES.indexOf(one) < PRIORITIES.indexOf(other);
}

/** The request of a person counts before that of an event, and both before others. */
export function moreUrgent(known: ReconcileRequest | undefined, added: ReconcileRequest): ReconcileRequest {
  return known && !isBefore(PRIORITY[added.trigger], PRIORITY[known.trigger]) ? known : added;
}

const FIRST_REQUEUE_MS = 1_000;
export const LONGEST_REQUEUE_MS = 30_000;
/** The longest delay of a key that waits for an operator, and of one whose run asks for a delay of its own. */
const LONGEST_WAIT_MS = 5 * 60_000;

/**
 * Milliseconds until a key is requeued after `attempt` runs without progress, 0 for the first: exponential, with
 * jitter from the half of it to the whole, between the run's own `retryAfterMs`, of which five minutes count, and
 * 30 s, or five minutes for a failure that only an operator can mend. At once after a run that is progressing and
 * asks for no delay. Undefined if the key is settled, or blocked until its object changes. `random` yields [0, 1).
 */
export function requeueDelayMs(outcome: Outcome, attempt: number, random: () => number): number | undefined {
  const longest = longestRequeueMs(outcome);
  if (longest === undefined) return undefined;
  const own = ownDelayMs(outcome);
  if (outcome.status === 'progressing' && own === 0 && attempt === 0) return 0;
  const ceiling = Math.min(longest, Math.max(own, FIRST_REQUEUE_MS) * 2 ** Math.min(attempt, 10));
  return Math.max(own, Math.round((0.5 + random() / 2) * ceiling));
}

/** The longest that `requeueDelayMs` can be after this outcome, whatever the attempt. */
export function longestRequeueMs(outcome: Outcome): number | undefined {
  if (outcome.status === 'settled' || outcome.status === 'blocked') return undefined;
  const isOperators = outcome.status === 'failed' && ERRORS[outcome.code].disposition === 'operator';
  return Math.max(ownDelayMs(outcome), isOperators ? LONGEST_WAIT_MS : LONGEST_REQUEUE_MS);
}

function ownDelayMs(outcome: Outcome): number {
  return 'retryAfterMs' in outcome ? Math.min(LONGEST_WAIT_MS, Math.max(0, outcome.retryAfterMs)) : 0;
}

/** The runs of one key, from the first one until the key is settled or blocked. */
export class Attempts {
  #priority: Priority;
  /** How many runs in a row made no progress. */
  #idleRuns = 0;
  /** What the runs have written so far. */
  readonly #written = new Set<string>();
  /** What the last run desired. */
  #desired: string | undefined;

  constructor(trigger: Trigger) {
    this.#priority = PRIORITY[trigger];
  }

  /** The priority of the next run. */
  get priority(): Priority {
    return this.#priority;
  }

  /**
   * Notes a run. Returns how many runs in a row before it made no progress, 0 if this one did. Progress is a
   * step that no run of these did before, a write that never takes effect is none; or that something else is desired than by
   * the last run, as while Nodes come and go.
   */
  note({
    outcome,
    applied,
    desired = this.#desired,
  }: Pick<Report, 'outcome' | 'applied' | 'desired'>): number {
    const before = this.#written.size;
    for (const { verb, address } of applied) this.#written.add(`${verb} ${address}`);
    const isAnother = this.#desired !== undefined && desired !== this.#desired;
    this.#desired = desired;
    const progressed = this.#written.size > before || isAnother;
    if (outcome.status === 'failed') this.#priority = 'background';
    else if (progressed) this.#priority = 'soon';
    const idleRuns = progressed ? 0 : this.#idleRuns;
    this.#idleRuns = progressed ? 0 : this.#idleRuns + 1;
    return idleRuns;
  }
}
