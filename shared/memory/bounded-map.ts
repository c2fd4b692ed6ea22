/** A map of at most `most` entries. When there are more, the entry that was set longest ago goes. */
export class BoundedMap<K, V> extends Map<K, V> {
  readonly #most: number;

  constructor(most: number) {
    super();
    this.#most = most;
  }

  override set(key: K, value: V): this {
    this.delete(key);
    super.set(key, value);
    const [oldest = key] = this.keys();
    if (this.size > this.#most) this.delete(oldest);
    return this;
  }
}
