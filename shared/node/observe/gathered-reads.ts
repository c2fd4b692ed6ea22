import type { Clock } from '../../ports.ts';

/** So long a read waits for others that begin at the same time. */
const GATHER_MS = 20;
/** So many are made one by one. */
const FEW = 2;
/** What a list shows is there for so long; that something is not there is never taken from one. */
const KEEP_MS = 5_000;

export interface Reads<T> {
  /** Undefined: it is not there. */
  one(id: string): Promise<T | undefined>;
  /** What there is of these, and perhaps more. */
  many(ids: readonly string[]): Promise<ReadonlyMap<string, T>>;
}

/**
 * Reads of many runs at once become one list; what the list does not show is read by itself. Those that come one after another
 * count as at once while a list would be kept: a list is then of all of them.
 */
export class GatheredReads<T> {
  readonly #reads: Reads<T>;
  readonly #clock: Clock;
  #waiting: string[] = [];
  /** When these were asked for last, where a list that was made before would do. */
  readonly #asked = new Map<string, number>();
  #gathered: Promise<ReadonlyMap<string, T>> | undefined;
  #kept: { readonly until: number; readonly found: ReadonlyMap<string, T> } | undefined;

  constructor(reads: Reads<T>, clock: Clock) {
    this.#reads = reads;
    this.#clock = clock;
  }

  /** `now`: not from a list that was made before. */
  async read(id: string, when: 'now' | 'lately'): Promise<T | undefined> {
    if (when === 'lately') this.#asked.set(id, this.#clock.now());
    const isFresh = when === 'lately' && this.#kept && this.#kept.until > this.#clock.now();
    const kept = isFresh ? this.#kept?.found.get(id) : undefined;
    if (kept !== undefined) return kept;
    this.#waiting.push(id);
    this.#gathered ??= this.#gather();
    return (await this.#gathered).get(id) ?? this.#reads.one(id);
  }

  async #gather(): Promise<ReadonlyMap<string, T>> {
    await new Promise((resolve) => setTimeout(resolve, GATHER_MS));
    const since = this.#clock.now() - KEEP_MS;
    for (const [id, at] of this.#asked) if (at <= since) this.#asked.delete(id);
    const before = this.#waiting.some((id) => this.#asked.has(id)) ? this.#asked.keys() : [];
    const ids = [...new Set([...this.#waiting, ...before])];
    this.#waiting = [];
    this.#gathered = undefined;
    if (ids.length <= FEW) return new Map();
    const found = await this.#reads.many(ids);
    this.#kept = { until: this.#clock.now() + KEEP_MS, found };
    return found;
  }
}
