/** The values by which a row is found: of an attribute that never changes, or of one that may. */
export interface Indexes<T> {
  readonly fixed?: Readonly<Record<string, (row: T) => string>>;
  /** By attribute: the index values of its value. The attribute is only set as a whole, never changed in place. */
  readonly live?: Readonly<Record<string, (value: unknown) => readonly string[]>>;
}

type Buckets<T> = Map<string, Set<T>>;

/** The index value of a text is the text itself; null has none. */
export const itself = (value: unknown): readonly string[] => (typeof value === 'string' ? [value] : []);

/** To keep so many rows in order when one goes costs next to nothing. */
const MOST_IN_ORDER = 1_000;

/**
 * The rows of one table in the order in which they were added: an array to readers and to tests that prepare a
 * world. By id and by its indexes it finds rows fast, whatever its size. Texts are looked up without regard to
 * case. Of more than a thousand rows the last one takes the place of one that goes, since a pool's members would
 * otherwise cost a pass over half a million rows each; lists have an order of their own.
 */
export class Rows<T extends { readonly id: string }> extends Array<T> {
  #indexes: Indexes<T> = {};
  #byId = new Map<string, T>();
  readonly #places = new Map<T, number>();
  readonly #buckets = new Map<string, Buckets<T>>();

  static override get [Symbol.species](): ArrayConstructor {
    return Array;
  }

  static by<T extends { readonly id: string }>(indexes: Indexes<T> = {}): Rows<T> {
    const rows = new Rows<T>();
    rows.#indexes = indexes;
    for (const name of [...Object.keys(indexes.fixed ?? {}), ...Object.keys(indexes.live ?? {})])
      rows.#buckets.set(name, new Map());
    return rows;
  }

  byId(id: unknown): T | undefined {
    this.#check();
    return typeof id === 'string' ? this.#byId.get(id) : undefined;
  }

  /** The rows with this index value, in the order in which they got it. */
  of(index: string, value: string): T[] {
    return [...this.#under(index, value)];
  }

  count(index: string, value: string): number {
    return this.#under(index, value).size;
  }

  /** The rows that a filter by these values may pass; undefined if there is no such index. */
  candidates(index: string, values: readonly string[]): T[] | undefined {
    if (index === 'id') return values.flatMap((value) => this.byId(value.toLowerCase()) ?? []);
    if (!this.#buckets.has(index)) return undefined;
    return [...new Set(values.flatMap((value) => this.of(index, value)))];
  }

  /** Takes one row out; says whether it was there. */
  remove(row: T): boolean {
    this.#check();
    if (!this.#places.has(row)) return false;
    const place = this.#placeOf(row);
    this.#forget(row);
    if (this.length > MOST_IN_ORDER) {
      const last = super.pop();
      if (last !== undefined && last !== row) this.#put(last, place);
    } else {
      super.splice(place, 1);
      for (const [at, one] of super.slice(place).entries()) this.#places.set(one, place + at);
    }
    return true;
  }

  #put(row: T, place: number): void {
    this[place] = row;
    this.#places.set(row, place);
  }

  override push(...rows: T[]): number {
    this.#check();
    for (const row of rows) {
      super.push(row);
      this.#learn(row, this.length - 1);
    }
    return this.length;
  }

  override splice(start: number, count = this.length, ...rows: T[]): T[] {
    const gone = super.splice(start, count, ...rows);
    this.#rebuild();
    return gone;
  }

  /** Builds the indexes if the number of rows changed past them: an array can also be emptied by its length. */
  #check(): void {
    if (this.length !== this.#places.size) this.#rebuild();
  }

  #rebuild(): void {
    this.#byId.clear();
    this.#places.clear();
    for (const bucket of this.#buckets.values()) bucket.clear();
    for (const [place, row] of this.entries()) this.#learn(row, place);
  }

  /** Whoever turns the array round moves rows past their places. */
  #placeOf(row: T): number {
    const place = this.#places.get(row) ?? -1;
    return this[place] === row ? place : this.indexOf(row);
  }

  #under(index: string, value: string): ReadonlySet<T> {
    this.#check();
    const bucket = this.#buckets.get(index);
    if (!bucket) throw new TypeError(`there is no index ${index}`);
    return bucket.get(value.toLowerCase()) ?? new Set();
  }

  #learn(row: T, place: number): void {
    this.#places.set(row, place);
    this.#byId.set(row.id, row);
    for (const [name, key] of Object.entries(this.#indexes.fixed ?? {})) this.#index(name, [key(row)], row);
    for (const [name, keys] of Object.entries(this.#indexes.live ?? {})) this.#follow(name, keys, row);
  }

  #forget(row: T): void {
    this.#places.delete(row);
    if (this.#byId.get(row.id) === row) this.#byId.delete(row.id);
    for (const [name, key] of Object.entries(this.#indexes.fixed ?? {})) this.#take(name, [key(row)], row);
    for (const [name, keys] of Object.entries(this.#indexes.live ?? {}))
      this.#take(name, keys((row as Record<string, unknown>)[name]), row);
  }

  /** Makes the attribute a getter and a setter, so that setting it moves the row in the index. */
  #follow(name: string, keys: (value: unknown) => readonly string[], row: T): void {
    let value = (row as Record<string, unknown>)[name];
    this.#index(name, keys(value), row);
    Object.defineProperty(row, name, {
      configurable: true,
      enumerable: true,
      get: () => value,
      set: (next: unknown) => {
        const isThere = this.#places.has(row);
        if (isThere) this.#take(name, keys(value), row);
        value = next;
        if (isThere) this.#index(name, keys(value), row);
      },
    });
  }

  #index(index: string, keys: readonly string[], row: T): void {
    const bucket = this.#buckets.get(index);
    for (const key of keys) {
      const folded = key.toLowerCase();
      const set = bucket?.get(folded);
      if (set) set.add(row);
      else bucket?.set(folded, new Set([row]));
    }
  }

  #take(index: string, keys: readonly string[], row: T): void {
    const bucket = this.#buckets.get(index);
    for (const key of keys) {
      const set = bucket?.get(key.toLowerCase());
      set?.delete(row);
      if (set?.size === 0) bucket?.delete(key.toLowerCase());
    }
  }
}
