import type { Key } from '../model/request.ts';
import { turnOf, type Free } from './ready-keys.ts';
import type { Begun, OctaviaLoad } from './octavia-load.ts';

/** One place in so many is kept for namespaces that have no run. */
const KEPT = 5;

/** `service`, `node`, or `routes`. */
export function kindOf(key: Key): string {
  return key.split('/')[0] ?? '';
}

/** A run that lasts longer hangs: others need not wait for it. */
const HANGS_MS = 10_000;

interface Running {
  readonly kind: string;
  readonly turn: string;
  readonly sinceMs: number;
  /** What it may be for Octavia; undefined for what an earlier run of the key has begun. */
  readonly begins: keyof Begun | undefined;
}

/**
 * The places for runs. Each kind of key has `most` of its own, so Services that hang hold up no Node. A fifth
 * of the places of Services is kept: a namespace takes one of those only while it has no run at all. So one
 * namespace that hangs leaves room for the others.
 */
export class Places {
  readonly #most: number;
  readonly #load: Pick<OctaviaLoad, 'hasRoom'> | undefined;
  readonly #running = new Map<Key, Running>();

  constructor(most: number, load?: Pick<OctaviaLoad, 'hasRoom'>) {
    this.#most = most;
    this.#load = load;
  }

  get running(): number {
    return this.#running.size;
  }

  isRunning(key: Key): boolean {
    return this.#running.has(key);
  }

  take(key: Key, begins: keyof Begun | undefined, sinceMs: number): void {
    this.#running.set(key, { kind: kindOf(key), turn: turnOf(key), sinceMs, begins });
  }

  leave(key: Key): void {
    this.#running.delete(key);
  }

  freeFor(kind: string, nowMs: number): Free {
    return {
      mayBegin: kind !== 'service' || !this.#load || this.#load.hasRoom(this.#begun(nowMs)),
      key: (key) => !this.#running.has(key),
      turn: (turn) => {
        const alike = [...this.#running.values()].filter((running) => running.kind === kind);
        const hasRun = turn !== '' && alike.some((running) => running.turn === turn);
        return alike.length < this.#most - (hasRun ? Math.floor(this.#most / KEPT) : 0);
      },
    };
  }

  #begun(nowMs: number): Begun {
    const runs = [...this.#running.values()].filter(
      ({ kind, sinceMs }) => kind === 'service' && nowMs - sinceMs <= HANGS_MS,
    );
    const count = (begins: keyof Begun): number => runs.filter((run) => run.begins === begins).length;
    return { makes: count('makes'), looks: count('looks') };
  }
}
