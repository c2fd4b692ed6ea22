import type { InTurns } from '../model/turns.ts';

/** So many milliseconds of one work at a stretch. Network and timers get the event loop in between. */
const TURN_MS = 10;

/** Long works of one process in turns, one turn at a time, so that many of them together hold nobody up either. */
export class EventLoop {
  readonly #waiting: (() => void)[] = [];

  async share<T>(work: InTurns<T>): Promise<T> {
    if (this.#waiting.length > 0) await this.#nextTurn();
    for (;;) {
      const ends = performance.now() + TURN_MS;
      do {
        const { done, value } = work.next();
        if (done) return value;
      } while (performance.now() < ends);
      await this.#nextTurn();
    }
  }

  #nextTurn(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      if (this.#waiting.length === 1) setImmediate(this.#wake);
    });
  }

  readonly #wake = (): void => {
    this.#waiting.shift()?.();
    if (this.#waiting.length > 0) setImmediate(this.#wake);
  };
}
