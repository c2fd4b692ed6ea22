import { isByPerson, type Key, type ReconcileRequest } from '../model/request.ts';
import type { Clock } from '../ports.ts';

/** From the start of a run of a key to the next one that a hint or a sweep asks for. */
export const REST_MS = 500;
/**
 * Between the ends of two rests. Keys that one batch of events names would run together ever after, and hold up the event loop
 * together. All places for runs have less to do than that.
 */
const APART_MS = 5;

interface Resting {
  request: ReconcileRequest;
  timer: NodeJS.Timeout;
}

/**
 * Keys that rest: a key that is hinted all the time runs twice a second, and what a burst of hints is about is read by two
 * runs. A key that was quiet does not rest, nor does one that a person asks for, or that comes back by itself.
 */
export class Rests {
  readonly #clock: Clock;
  readonly #over: (request: ReconcileRequest) => void;
  /** The starts of the last REST_MS, the oldest first. */
  readonly #startedMs = new Map<Key, number>();
  readonly #resting = new Map<Key, Resting>();
  #nextEndMs = 0;

  /** `over` is called with a request whose rest is over. */
  constructor(clock: Clock, over: (request: ReconcileRequest) => void) {
    this.#clock = clock;
    this.#over = over;
  }

  get size(): number {
    return this.#resting.size;
  }

  has(key: Key): boolean {
    return this.#resting.has(key);
  }

  began(key: Key): void {
    const now = this.#clock.now();
    this.#startedMs.delete(key);
    this.#startedMs.set(key, now);
    for (const [oldest, startedMs] of this.#startedMs) {
      if (now - startedMs < REST_MS) break;
      this.#startedMs.delete(oldest);
    }
  }

  /** Keeps a request until the rest of its key is over. False: it need not rest. */
  keep(request: ReconcileRequest): boolean {
    const { key, trigger } = request;
    if (trigger === 'requeue' || isByPerson(request)) return false;
    const resting = this.#resting.get(key);
    const leftMs = (this.#startedMs.get(key) ?? -Infinity) + REST_MS - this.#clock.now();
    if (!resting && leftMs <= 0) return false;
    if (resting?.request.trigger === 'sweep') resting.request = request;
    if (resting) return true;
    const timer = setTimeout(() => {
      this.#awake(key);
    }, leftMs);
    this.#resting.set(key, { request, timer: timer.unref() });
    return true;
  }

  /** Ends a key's rest, apart from the others. */
  #awake(key: Key): void {
    const resting = this.#resting.get(key);
    if (!resting) return;
    const now = this.#clock.now();
    const endMs = Math.max(now, this.#nextEndMs);
    this.#nextEndMs = endMs + APART_MS;
    const end = (): void => {
      this.#resting.delete(key);
      this.#over(resting.request);
    };
    if (endMs > now) resting.timer = setTimeout(end, endMs - now).unref();
    else end();
  }

  /** Ends a key's rest at once. Returns the request that was kept. */
  take(key: Key): ReconcileRequest | undefined {
    const resting = this.#resting.get(key);
    clearTimeout(resting?.timer);
    this.#resting.delete(key);
    return resting?.request;
  }

  clear(): void {
    for (const key of this.#resting.keys()) this.take(key);
  }
}
