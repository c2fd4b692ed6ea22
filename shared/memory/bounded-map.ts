/**
 * When all entries together weigh more than `most`, those that were set longest ago go. An entry weighs 1 unless
 * `weigh` says otherwise.
 */
export class BoundedMap<K, V> extends Map<K, V> {
  readonly #most: number;
  readonly #weigh: (value: V) => number;
  readonly #weights = new Map<K, number>();
  #total = 0;

  constructor(most: number, weigh: (value: V) => number = () => 1) {
    super();
    this.#most = most;
    this.#weigh = weigh;
  }

  override set(key: K, value: V): this {
    this.delete(key);
    super.set(key, value);
    const weight = this.#weigh(value);
    this.#weights.set(key, weight);
    this.#total += weight;
    for (const oldest of this.keys()) {
      if (this.#total <= this.#most || oldest === key) break;
      this.delete(oldest);
    }
    return this;
  }

  override delete(key: K): boolean {
    this.#total -= this.#weights.get(key) ?? 0;
    this.#weights.delete(key);
    return super.delete(key);
  }

  override clear(): void {
    super.clear();
    this.#weights.clear();
    this.#total = 0;
  }
}
