import type { Key } from '../../shared/model/request.ts';

/** One timer for each key with members that drain. It ends when the first of them has drained; a new time replaces it. */
export class DrainingTimers {
  readonly #ready: (key: Key) => void;
  readonly #timers = new Map<Key, NodeJS.Timeout>();

  constructor(ready: (key: Key) => void) {
    this.#ready = ready;
  }

  /** `inMs` undefined: no member of the key drains any more. */
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
