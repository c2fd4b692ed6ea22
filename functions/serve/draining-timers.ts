import type { Key } from '../../shared/model/request.ts';

/** Keys that are looked at again when the first of their members has drained; one time for each, the last that was said. */
export class DrainingTimers {
  readonly #ready: (key: Key) => void;
  readonly #timers = new Map<Key, NodeJS.Timeout>();

  constructor(ready: (key: Key) => void) {
    this.#ready = ready;
  }

  /** Undefined: nothing of it drains any more. */
  set(key: Key, inMs: number | undefined): void {
    clearTimeout(this.#timers.get(key));
    this.#timers.delete(key);
    if (inMs === undefined) return;
    const timer = setTimeout(() => {
      this.#timers.delete(key);
      this.#ready(key);
    }, inMs);
    this.#timers.set(key, timer.unref());
  }

  stop(): void {
    for (const timer of this.#timers.values()) clearTimeout(timer);
    this.#timers.clear();
  }
}
