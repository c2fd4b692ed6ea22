import { inTime, isSettledWithin, patienceMs, withoutDeadline } from '../deadline.ts';
import { sharedUrgency, type Urgency } from '../urgency.ts';
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
  /** That of the most urgent who waits for it. */
  readonly urgency: Urgency;
  /** Undefined while the answer is on its way. */
  until?: number;
}

/**
 * Answers to reads, by key. Whoever asks while a read is on its way gets its answer, and so does whoever asks
 * within its lifetime. A failure reaches all who wait for it and is never kept. The oldest answer goes when
 * there are more than `most`.
 *
 * A read belongs to no run: it does not end with the time of the run that began it, and each run waits for it as
 * long as it has time. A read that hangs holds up the run that began it. The others lose their patience with it,
 * ask once more together, and take the answer that comes first. It is as urgent as the most urgent who waits for it.
 */
export class Answers {
  readonly #entries: BoundedMap<string, Entry>;

  constructor(most: number) {
    this.#entries = new BoundedMap(most);
  }

  /** The key has to say what is read: two reads of one key have answers of one type. */
  read<T>(key: string, lifetime: Lifetime, ask: () => Promise<T>): Promise<T> {
    const known = this.#entries.get(key);
    if (known?.until !== undefined && known.until > lifetime.clock.now()) return known.value as Promise<T>;
    const isOnItsWay = known !== undefined && known.until === undefined;
    const value = isOnItsWay
      ? this.#join(known, key, lifetime, ask)
      : withoutDeadline(() => this.#ask(key, lifetime, ask));
    return inTime(value, `wait for an answer (${key})`);
  }

  /** The next who asks reads afresh. */
  forget(key: string): void {
    this.#entries.delete(key);
  }

  #ask<T>(key: string, { keepMs, clock }: Lifetime, ask: () => Promise<T>): Promise<T> {
    const urgency = sharedUrgency();
    const value = urgency.run(ask);
    const entry: Entry = { value, urgency };
    this.#entries.set(key, entry);
    value.then(
      () => (entry.until = clock.now() + keepMs),
      () => {
        this.#drop(key, entry);
      },
    );
    return value;
  }

  async #join<T>(entry: Entry, key: string, lifetime: Lifetime, ask: () => Promise<T>): Promise<T> {
    entry.urgency.raise();
    const first = entry.value as Promise<T>;
    if (await isSettledWithin(first, patienceMs())) return first;
    this.#drop(key, entry);
    const second = this.read(key, lifetime, ask);
    return Promise.any([first, second]).catch(() => second);
  }

  #drop(key: string, entry: Entry): void {
    if (this.#entries.get(key) === entry) this.#entries.delete(key);
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
