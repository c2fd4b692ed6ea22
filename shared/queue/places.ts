import type { Key } from '../model/request.ts';
import { turnOf, type Free } from './ready-keys.ts';

/** One place in so many is kept: of a cluster for its namespaces that have no run, of a process for its clusters that have none. */
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

/** What one cluster has of the places of a process. */
export interface ClusterPlaces {
  /** Whether a run may begin now, which then has a place. If not, the cluster is offered one in its turn. */
  take(): boolean;
  /** Gives a place back, and offers it to those that wait. */
  leave(): void;
}

interface Sharer {
  running: number;
  /** Begins one run. False: there is none to begin. */
  readonly begin: () => boolean;
}

/**
 * The places of a process, which its clusters share. A fifth is kept: a cluster takes one of those only while it has no run at
 * all. So clusters that hang leave room for the others. For a place that is free those that wait take turns.
 */
export class SharedPlaces {
  readonly #most: number;
  #running = 0;
  /** In the order of their turns. */
  readonly #waiting = new Set<Sharer>();
  #isOffering = false;

  constructor(most: number) {
    this.#most = most;
  }

  /** The places of a cluster more, which calls `begin` when it is offered one: that takes it, and begins one run. */
  of(begin: () => boolean): ClusterPlaces {
    const sharer: Sharer = { running: 0, begin };
    return {
      take: () => this.#take(sharer),
      leave: () => {
        sharer.running -= 1;
        this.#running -= 1;
        this.#offer();
      },
    };
  }

  #take(sharer: Sharer): boolean {
    if (!this.#mayHave(sharer)) {
      this.#waiting.add(sharer);
      return false;
    }
    sharer.running += 1;
    this.#running += 1;
    return true;
  }

  #offer(): void {
    if (this.#isOffering) return; // who has nothing to begin gives its place back meanwhile
    this.#isOffering = true;
    try {
      for (let next = this.#next(); next; next = this.#next()) {
        this.#waiting.delete(next);
        if (next.begin()) this.#waiting.add(next);
      }
    } finally {
      this.#isOffering = false;
    }
  }

  #next(): Sharer | undefined {
    if (this.#running >= this.#most) return undefined;
    for (const sharer of this.#waiting) if (this.#mayHave(sharer)) return sharer;
    return undefined;
  }

  #mayHave({ running }: Sharer): boolean {
    return this.#running < this.#most - (running > 0 ? Math.floor(this.#most / KEPT) : 0);
  }
}
