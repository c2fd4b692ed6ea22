/** How long nobody tries again after failures in a row, in milliseconds: after the first one, and at most. */
export interface Delays {
  readonly firstMs: number;
  readonly longestMs: number;
}

/** The time after a failure for which nobody tries again, by the monotonic clock. It doubles with each failure in a row. */
export class Backoff {
  readonly #now: () => number;
  #failures = 0;
  #untilMs = -Infinity;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  get isOver(): boolean {
    return this.#now() >= this.#untilMs;
  }

  /** One more failure; returns how long it is from now. */
  begin({ firstMs, longestMs }: Delays): number {
    const delayMs = Math.min(longestMs, firstMs * 2 ** Math.min(this.#failures, 10));
    this.#failures += 1;
    this.#untilMs = this.#now() + delayMs;
    return delayMs;
  }

  /** After a success: the next failure is the first one again. */
  end(): void {
    this.#failures = 0;
    this.#untilMs = -Infinity;
  }
}
