import { asServiceKey, type Key, type Named, type ReconcileRequest } from '../model/request.ts';
import { PRIORITIES, PRIORITY, type Priority } from './scheduling.ts';

export interface Queued {
  readonly request: ReconcileRequest;
  readonly priority: Priority;
  /** When the key was first added, in milliseconds since 1970. */
  readonly sinceMs: number;
}

/** What may run now. */
export interface Free {
  key(key: Key): boolean;
  turn(turn: string): boolean;
  /** Absent: the keys of any. */
  cluster?(cluster: string): boolean;
}

/** A key that has waited for longer is aged: it need not wait for keys of a higher priority any more. */
export const AGED_MS = 10_000;

/** The keys that take turns with others: the Services of one namespace; all Nodes and the routes. */
export function turnOf(key: Key): string {
  return asServiceKey(key)?.namespace ?? '';
}

/**
 * Keys that may run now, each once. They go by priority; within a priority clusters take turns, within a cluster
 * namespaces do, and within a namespace keys go in their order. Every other key is an aged one, if there is one: of those,
 * too, clusters and namespaces take turns, and the oldest key of a namespace goes first. So a key that waits is overtaken for
 * AGED_MS at most by whatever is more urgent. After that at most every other place, and the turns of other
 * namespaces, go by.
 */
export class ReadyKeys {
  /** All keys, by age. */
  readonly #all = new Turns();
  readonly #byPriority = new Map(PRIORITIES.map((priority) => [priority, new Turns()]));
  #lastWasAged = false;

  get size(): number {
    return this.#all.size;
  }

  /** How many keys of a cluster there are. */
  sizeOf(cluster: string | undefined): number {
    return this.#all.sizeOf(cluster);
  }

  has(named: Named): boolean {
    return this.#all.get(named) !== undefined;
  }

  /**
   * Adds a key. A key that is there already keeps its age and the higher of both priorities. The request of a
   * person counts before that of an event, and both before others.
   */
  put(queued: Queued): void {
    const known = this.#all.get(queued.request);
    const kept = known ? merge(known, queued) : queued;
    if (known && known.priority !== kept.priority)
      this.#byPriority.get(known.priority)?.delete(known.request);
    this.#all.put(kept);
    this.#byPriority.get(kept.priority)?.put(kept);
  }

  /** Removes and returns the next key that `free` allows. */
  take(free: Free, nowMs: number): Queued | undefined {
    const isAged = ({ sinceMs }: Queued): boolean => nowMs - sinceMs > AGED_MS;
    const aged = this.#lastWasAged ? undefined : this.#all.next(free, isAged);
    const next = aged ?? this.#nextByPriority(free);
    if (!next) return undefined;
    this.#lastWasAged = aged !== undefined;
    this.delete(next.request);
    (aged ? this.#all : this.#byPriority.get(next.priority))?.passTurn(next.request);
    return next;
  }

  delete(named: Named): void {
    const known = this.#all.get(named);
    if (!known) return;
    this.#all.delete(named);
    this.#byPriority.get(known.priority)?.delete(named);
  }

  /** Of all keys, or of those of a cluster. */
  oldestSinceMs(cluster?: string): number | undefined {
    return this.#all.oldestSinceMs(cluster);
  }

  /** Removes all keys, or those of a cluster. */
  clear(cluster?: string): void {
    for (const turns of [this.#all, ...this.#byPriority.values()]) turns.clear(cluster);
  }

  #nextByPriority(free: Free): Queued | undefined {
    for (const turns of this.#byPriority.values()) {
      const next = turns.next(free);
      if (next) return next;
    }
    return undefined;
  }
}

function merge(known: Queued, added: Queued): Queued {
  return {
    request: isBefore(PRIORITY[added.request.trigger], PRIORITY[known.request.trigger])
      ? added.request
      : known.request,
    priority: isBefore(added.priority, known.priority) ? added.priority : known.priority,
    sinceMs: known.sinceMs,
  };
}

function isBefore(one: Priority, other: Priority): boolean {
  return PRIORITIES.indexOf(one) < PRIORITIES.indexOf(other);
}

/** Keys by cluster, and there by the turn that they belong to, in the order of the turns. */
class Turns {
  /** The only cluster, which has no name, as an empty one. */
  readonly #clusters = new Map<string, Map<string, Map<Key, Queued>>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get({ cluster = '', key }: Named): Queued | undefined {
    return this.#clusters.get(cluster)?.get(turnOf(key))?.get(key);
  }

  put(queued: Queued): void {
    const { cluster = '', key } = queued.request;
    const turns = this.#clusters.get(cluster) ?? new Map<string, Map<Key, Queued>>();
    const keys = turns.get(turnOf(key)) ?? new Map<Key, Queued>();
    if (!keys.has(key)) this.#size += 1;
    keys.set(key, queued);
    turns.set(turnOf(key), keys);
    this.#clusters.set(cluster, turns);
  }

  delete({ cluster = '', key }: Named): void {
    const turns = this.#clusters.get(cluster);
    const keys = turns?.get(turnOf(key));
    if (!turns || !keys?.delete(key)) return;
    this.#size -= 1;
    if (keys.size === 0) turns.delete(turnOf(key));
    if (turns.size === 0) this.#clusters.delete(cluster);
  }

  /** The cluster of a key comes after all others, and in it the key's turn after all others. */
  passTurn({ cluster = '', key }: Named): void {
    const turns = this.#clusters.get(cluster);
    if (!turns) return;
    toTheEnd(this.#clusters, cluster);
    toTheEnd(turns, turnOf(key));
  }

  /** The first key that `free` allows. `isDue` says of a key whether it, and all before it, may go. */
  next(free: Free, isDue: (queued: Queued) => boolean = () => true): Queued | undefined {
    for (const [turn, keys] of this.#all(free)) {
      if (!free.turn(turn)) continue;
      for (const queued of keys.values()) {
        if (!isDue(queued)) break;
        if (free.key(queued.request.key)) return queued;
      }
    }
    return undefined;
  }

  sizeOf(cluster = ''): number {
    const keys = [...(this.#clusters.get(cluster)?.values() ?? [])];
    return keys.reduce((sum, { size }) => sum + size, 0);
  }

  oldestSinceMs(cluster?: string): number | undefined {
    const turns = cluster === undefined ? this.#all() : (this.#clusters.get(cluster) ?? []);
    const firsts = [...turns].flatMap(([, keys]) => [...keys.values()].slice(0, 1));
    return firsts.length === 0 ? undefined : Math.min(...firsts.map(({ sinceMs }) => sinceMs));
  }

  clear(cluster?: string): void {
    this.#size -= cluster === undefined ? this.#size : this.sizeOf(cluster);
    if (cluster === undefined) this.#clusters.clear();
    else this.#clusters.delete(cluster);
  }

  *#all(free: Pick<Free, 'cluster'> = {}): Iterable<readonly [turn: string, keys: ReadonlyMap<Key, Queued>]> {
    for (const [cluster, turns] of this.#clusters) if (free.cluster?.(cluster) ?? true) yield* turns;
  }
}

function toTheEnd<T>(map: Map<string, T>, name: string): void {
  const value = map.get(name);
  if (value === undefined) return;
  map.delete(name);
  map.set(name, value);
}
