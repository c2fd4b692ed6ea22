import { ERRORS } from '../model/errors.ts';
import type { Outcome, Report } from '../model/outcome.ts';
import { type ReconcileRequest, type Trigger, asServiceKey, type Key } from '../model/request.ts';

/**
 * The order of all work. soon: a person asked for it, or its last run made progress. event: somebody changed the object.
 * background: a sweep found it, or its last run failed.
 */
const PRIORITIES = ['soon', 'event', 'background'] as const;

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
    const asksForElse = this.#desired !== undefined && desired !== this.#desired;
    this.#desired = desired;
    const progressed = this.#written.size > before || asksForElse;
    if (outcome.status === 'failed') this.#priority = 'background';
    else if (progressed) this.#priority = 'soon';
    const idleRuns = progressed ? 0 : this.#idleRuns;
    this.#idleRuns = progressed ? 0 : this.#idleRuns + 1;
    return idleRuns;
  }
}

export interface Wanted {
  readonly key: Key;
  readonly priority: Priority;
  /** When it was first wanted, in milliseconds. */
  readonly sinceMs: number;
}

/** For so long a key is overtaken by what is more urgent, at most. */
export const AGED_MS = 10_000;
const LATER_MS: Readonly<Record<Priority, number>> = { soon: 0, event: AGED_MS / 2, background: AGED_MS };

/** The keys that take turns with others: the Services of one namespace; all Nodes and the routes. */
export function flowOf(key: Key): string {
  return asServiceKey(key)?.namespace ?? '';
}

/**
 * Keys that may run now. Which priority goes next follows from the age of its oldest key, less what the priority is worth. Of one
 * priority namespaces take turns, and within a namespace keys go in their order.
 */
export class Ready<W extends Wanted> {
  readonly #classes = PRIORITIES.map((priority) => new Class<W>(LATER_MS[priority]));

  put(wanted: W): void {
    this.#classOf(wanted).put(wanted);
  }

  /** Call it before the priority of a key changes. */
  delete(wanted: W): void {
    this.#classOf(wanted).delete(wanted);
  }

  /** Removes and returns the next key. */
  take(): W | undefined {
    const ranks = this.#classes.map(({ rank }) => rank);
    const next = this.#classes[ranks.indexOf(Math.min(...ranks))];
    return next?.take();
  }

  #classOf({ priority }: W): Class<W> {
    const found = this.#classes[PRIORITIES.indexOf(priority)];
    if (!found) throw new Error(`there is no priority ${priority}`);
    return found;
  }
}

/** The keys of one priority. */
class Class<W extends Wanted> {
  readonly #laterMs: number;
  /** By age. */
  readonly #all = new Set<W>();
  readonly #flows = new Map<string, Set<W>>();

  constructor(laterMs: number) {
    this.#laterMs = laterMs;
  }

  /** When its oldest key came, and so much later; Infinity without one. */
  get rank(): number {
    const [oldest] = this.#all;
    return oldest ? oldest.sinceMs + this.#laterMs : Infinity;
  }

  put(wanted: W): void {
    const flow = flowOf(wanted.key);
    this.#all.add(wanted);
    this.#flows.set(flow, (this.#flows.get(flow) ?? new Set<W>()).add(wanted));
  }

  delete(wanted: W): void {
    const flow = flowOf(wanted.key);
    this.#all.delete(wanted);
    this.#flows.get(flow)?.delete(wanted);
    if (this.#flows.get(flow)?.size === 0) this.#flows.delete(flow);
  }

  /** The first key of the flow that is next, which comes last after that. */
  take(): W | undefined {
    const [[flow, keys] = []] = this.#flows;
    const [next] = keys ?? [];
    if (flow === undefined || !keys || !next) return undefined;
    this.delete(next);
    if (!this.#flows.delete(flow)) return next;
    this.#flows.set(flow, keys);
    return next;
  }
}

/** From the last change to the look at all that came together. */
const WINDOW_QUIET_MS = 2_000;
/** From the first one. */
const WINDOW_LONGEST_MS = 15_000;

/** Changes that come one after another, such as those of Nodes, are one look, soon after the last of them and in time after the first. */
export class Window {
  readonly #look: () => unknown;
  #timer: NodeJS.Timeout | undefined;
  #endsMs = 0;

  constructor(look: () => unknown) {
    this.#look = look;
  }

  get isOpen(): boolean {
    return this.#timer !== undefined;
  }

  touch(): void {
    const now = performance.now();
    if (!this.#timer) this.#endsMs = now + WINDOW_LONGEST_MS;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(
      () => {
        this.#timer = undefined;
        this.#look();
      },
      Math.min(WINDOW_QUIET_MS, this.#endsMs - now),
    ).unref();
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
