import { BoundedMap } from '../memory/bounded-map.ts';

/** The longest wait for a Retry-After to end: waiting in the queue is cheaper than waiting in a function. */
export const LONGEST_WAIT_MS = 5_000;
/** While an endpoint wants to be left alone for longer, one request looks so often whether it still does. */
const LOOK_MS = 10_000;
/** More paths than a quota or a broken object keeps from being answered. */
const REFUSED_ALONE = 500;

export interface Answer {
  readonly status: number;
  readonly retryAfterMs?: number;
}

/** A request on its way. */
interface Asking {
  /** Requests are numbered as they begin. */
  readonly number: number;
  /** Method and path. */
  readonly where: string;
}

interface Hold<A> {
  readonly sinceMs: number;
  readonly forMs: number;
  readonly answer: A;
  readonly where: string;
  /** The number of the newest request when it came. */
  readonly newest: number;
}

/**
 * Whether an endpoint wants to be left alone, as an answer with Retry-After said. It holds for all requests. Of a long one, one
 * request in ten seconds looks whether it still holds, and what a person asked for looks at once. A method and path that is refused again, while others were
 * answered since, holds back nobody else. Times are in milliseconds of a clock that never goes back.
 */
export class RetryAfter<A extends Answer> {
  #hold: Hold<A> | undefined;
  #lookedMs = -Infinity;
  #isLooking = false;
  /** Methods and paths of what was refused while others were answered. */
  readonly #refusedAlone = new BoundedMap<string, true>(REFUSED_ALONE);

  /** How much longer the endpoint wants to be left alone. */
  leftMs(nowMs: number): number {
    return this.#hold ? Math.max(0, this.#hold.sinceMs + this.#hold.forMs - nowMs) : 0;
  }

  /** What a request may do whose run has so much time left. An answer: it is for this request, too. */
  next(runLeftMs: number, isByPerson: boolean, nowMs: number): 'go' | 'wait' | A {
    const leftMs = this.leftMs(nowMs);
    if (!this.#hold || leftMs === 0) return 'go';
    if (this.#isLooking && nowMs - this.#lookedMs < LONGEST_WAIT_MS) return 'wait';
    if (leftMs <= Math.min(LONGEST_WAIT_MS, runLeftMs)) return 'wait';
    if (isByPerson) return 'go';
    const lookMs = Math.max(this.#hold.sinceMs, this.#lookedMs) + LOOK_MS - nowMs;
    return lookMs > 0 ? { ...this.#hold.answer, retryAfterMs: Math.min(leftMs, lookMs) } : 'go';
  }

  /** A request begins. Returns whether it is a look. */
  begin(nowMs: number): boolean {
    const isLook = this.leftMs(nowMs) > 0;
    if (isLook) {
      this.#isLooking = true;
      this.#lookedMs = nowMs;
    }
    return isLook;
  }

  /** A look has ended. */
  looked(): void {
    this.#isLooking = false;
  }

  /** An answer asks to be left alone. That of a look is the latest word. */
  asked({ where, number }: Asking, answer: A, nowMs: number, newest: number): void {
    const { retryAfterMs: forMs = 0 } = answer;
    const isLatest = number > (this.#hold?.newest ?? 0);
    if (forMs === 0 || this.#refusedAlone.has(where) || (!isLatest && forMs < this.leftMs(nowMs))) return;
    this.#hold = { sinceMs: nowMs, forMs, answer, where, newest };
  }

  /** What began after the endpoint asked to be left alone is answered: that was not about all requests, or is over. */
  answered({ where, number }: Asking): void {
    this.#refusedAlone.delete(where);
    if (!this.#hold || number <= this.#hold.newest) return;
    if (where !== this.#hold.where) this.#refusedAlone.set(this.#hold.where, true);
    this.#hold = undefined;
  }
}
