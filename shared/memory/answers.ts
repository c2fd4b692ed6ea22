import { inTime, isSettledWithin, patienceMs, NO_RUN, type RunContext } from '../deadline.ts';
import { BoundedMap } from './bounded-map.ts';

interface Time {
  now(): number;
}

export interface Lifetime {
  /** So long after it came an answer counts, in milliseconds. 0: only while it is on its way. */
  readonly keepMs: number;
  readonly clock: Time;
}

interface Entry {
  readonly value: Promise<unknown>;
  readonly run: RunContext;
  /** When the answer came. Undefined while it is on its way. */
  at?: number;
}

/**
 * Answers to reads, by key: whoever asks while one is on its way, or within its lifetime, gets it. A failure reaches
 * all who wait, and is never kept. A read that hangs, or ended with the time of its run, is begun anew for the
 * others.
 */
export class Answers {
  readonly #entries: BoundedMap<string, Entry>;
  readonly #run: RunContext;

  constructor(most: number, run = NO_RUN, entries = new BoundedMap<string, Entry>(most)) {
    this.#run = run;
    this.#entries = entries;
  }

  during(run: RunContext): Answers {
    return new Answers(0, run, this.#entries);
  }

  /** The key has to say what is read: two reads of one key have answers of one type. */
  read<T>(key: string, lifetime: Lifetime, ask: () => Promise<T>): Promise<T> {
    const known = this.#entries.get(key);
    const isYoung = known?.at !== undefined && known.at + lifetime.keepMs > lifetime.clock.now();
    if (isYoung) return known.value as Promise<T>;
    const isOnItsWay = known !== undefined && known.at === undefined;
    const value = isOnItsWay ? this.#join(known, key, lifetime, ask) : this.#ask(key, lifetime, ask);
    return inTime(value, `wait for an answer (${key})`, this.#run.remainingMs());
  }

  forget(key: string): void {
    this.#entries.delete(key);
  }

  #ask<T>(key: string, { clock }: Lifetime, ask: () => Promise<T>): Promise<T> {
    const value = ask();
    const entry: Entry = { value, run: this.#run };
    this.#entries.set(key, entry);
    value.then(
      () => (entry.at = clock.now()),
      () => {
        this.#drop(key, entry);
      },
    );
    return value;
  }

  async #join<T>(entry: Entry, key: string, lifetime: Lifetime, ask: () => Promise<T>): Promise<T> {
    const first = entry.value as Promise<T>;
    if (await isSettledWithin(first, patienceMs(this.#run.remainingMs())))
      return first.catch((error: unknown) => {
        if (entry.run.remainingMs() > 0) throw error;
        return this.read(key, lifetime, ask);
      });
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
export function once<T>(ask: () => Promise<T>): (run?: RunContext) => Promise<T> {
  const answers = new Answers(1);
  return (run = NO_RUN) => answers.during(run).read('', FOREVER, ask);
}
