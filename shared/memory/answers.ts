import { BoundedMap } from './bounded-map.ts';

/** The least that a kept answer needs of a clock: milliseconds, since whenever. */
interface Time {
  now(): number;
}

export interface Lifetime {
  /**
   * For how many milliseconds the answer counts after it came. 0: only for those who ask while it is on its
   * way.
   */
  readonly keepMs: number;
  readonly clock: Time;
}

interface Entry {
  readonly value: Promise<unknown>;
  /** Infinity while the answer is on its way. */
  until: number;
}

/**
 * Answers to reads, by key. Whoever asks while a read is on its way gets its answer, and so does whoever asks
 * within its lifetime. A failure reaches all who wait for it and is never kept. The oldest answer goes when
 * there are more than `most`.
 */
export class Answers {
  readonly #entries: BoundedMap<string, Entry>;

  constructor(most: number) {
    this.#entries = new BoundedMap(most);
  }

  /** The key has to say what is read: two reads of one key have answers of one type. */
  read<T>(key: string, { keepMs, clock }: Lifetime, ask: () => Promise<T>): Promise<T> {
    const known = this.#entries.get(key);
    if (known && known.until > clock.now()) return known.value as Promise<T>;
    const value = ask();
    const entry: Entry = { value, until: Infinity };
    this.#entries.set(key, entry);
    value.then(
      () => (entry.until = clock.now() + keepMs),
      () => {
        if (this.#entries.get(key) === entry) this.#entries.delete(key);
      },
    );
    return value;
  }

  /** The next who asks reads afresh. */
  forget(key: string): void {
    this.#entries.delete(key);
  }
}

const FOREVER: Lifetime = { keepMs: Infinity, clock: { now: () => 0 } };

/** The first answer, or the first failure, for everybody who asks later. Nobody is asked until somebody wants it. */
export function lazily<T>(ask: () => Promise<T>): () => Promise<T> {
  let answer: Promise<T> | undefined;
  return () => (answer ??= ask());
}

/** The first answer, for everybody who asks later; after a failure the next who asks reads again. */
export function once<T>(ask: () => Promise<T>): () => Promise<T> {
  const answers = new Answers(1);
  return () => answers.read('', FOREVER, ask);
}
