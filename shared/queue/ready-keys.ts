import type { Key, ReconcileRequest } from '../model/request.ts';
import { PRIORITIES, PRIORITY } from './priority.ts';

export interface Queued {
  readonly request: ReconcileRequest;
  /** When the key was first added, for the age of the queue. */
  readonly sinceMs: number;
}

/** Keys that may run now: each once, by priority and then in the order they came. */
export class ReadyKeys {
  readonly #lanes = Array.from({ length: PRIORITIES }, () => new Map<Key, Queued>());

  get size(): number {
    return this.#lanes.reduce((sum, lane) => sum + lane.size, 0);
  }

  has(key: Key): boolean {
    return this.#lanes.some((lane) => lane.has(key));
  }

  /** A key that is here already moves only to a higher priority, and keeps its age. */
  put(queued: Queued): void {
    const { key, trigger } = queued.request;
    const before = this.#lanes.findIndex((lane) => lane.has(key));
    const known = this.#lanes[before]?.get(key);
    if (before > PRIORITY[trigger]) this.#lanes[before]?.delete(key);
    else if (known) return;
    this.#lanes[PRIORITY[trigger]]?.set(key, { ...queued, sinceMs: known?.sinceMs ?? queued.sinceMs });
  }

  /** The first key that `free` allows, taken out. */
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
