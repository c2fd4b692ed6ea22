import type { Key } from '../model/request.ts';
import { turnOf, type Free } from './ready-keys.ts';

/** One place in so many is kept for namespaces that have no run. */
const KEPT = 5;

/** `service`, `node`, or `routes`. */
export function kindOf(key: Key): string {
  return key.split('/')[0] ?? '';
}

/**
 * The places for runs. Each kind of key has `most` of its own, so Services that hang hold up no Node. A fifth
 * of the places of Services is kept: a namespace takes one of those only while it has no run at all. So one
 * namespace that hangs leaves room for the others.
 */
export class Places {
  readonly #most: number;
  readonly #running = new Map<Key, { readonly kind: string; readonly turn: string }>();

  constructor(most: number) {
    this.#most = most;
  }

  get running(): number {
    return this.#running.size;
  }

  isRunning(key: Key): boolean {
    return this.#running.has(key);
  }

  take(key: Key): void {
    this.#running.set(key, { kind: kindOf(key), turn: turnOf(key) });
  }

  leave(key: Key): void {
    this.#running.delete(key);
  }

  freeFor(kind: string): Free {
    return {
      key: (key) => !this.#running.has(key),
      turn: (turn) => {
        const alike = [...this.#running.values()].filter((running) => running.kind === kind);
        const hasRun = turn !== '' && alike.some((running) => running.turn === turn);
        return alike.length < this.#most - (hasRun ? Math.floor(this.#most / KEPT) : 0);
      },
    };
  }
}
