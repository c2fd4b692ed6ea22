import { isDeepStrictEqual } from 'node:util';
import { Backoff, type Delays } from '../../shared/connection-backoff.ts';
import { log } from './function-log.ts';
import { NoSuchParameter, withParameters } from './parameters.ts';

/** A secret that was replaced counts for so long, unless somebody refuses it. */
export const LIFE_MS = 5 * 60_000;
/** How often the secrets are read because somebody refused one of them, or showed a wrong one. */
export const AFTER_REFUSAL_MS = 5_000;
export const OF_FAILURE: Delays = { firstMs: 5_000, longestMs: 60_000 };

/**
 * The environment with its secrets, the same object while none has changed. Ages go by the time of day: when frozen, other clocks may stand.
 * While Parameter Store cannot be read the values stay; a missing parameter does not, since it may have been taken away for a reason.
 */
class Environment {
  readonly #backoff = new Backoff(() => Date.now());
  #kept: { readonly env: NodeJS.ProcessEnv; readonly readAtMs: number } | undefined;
  #reading: Promise<NodeJS.ProcessEnv> | undefined;
  #isDoubted = false;

  /** Throws when nothing was ever read, or when a parameter is missing. */
  read(): Promise<NodeJS.ProcessEnv> {
    return this.#notOlderThan(this.#isDoubted ? AFTER_REFUSAL_MS : LIFE_MS);
  }

  /** The same after somebody refused one of the secrets: it may have been replaced meanwhile. */
  readAgain(): Promise<NodeJS.ProcessEnv> {
    return this.#notOlderThan(AFTER_REFUSAL_MS);
  }

  doubt(): void {
    this.#isDoubted = true;
  }

  async #notOlderThan(ageMs: number): Promise<NodeJS.ProcessEnv> {
    const kept = this.#kept;
    const isFresh = kept && Math.abs(Date.now() - kept.readAtMs) < ageMs;
    if (kept && (isFresh || !this.#backoff.isOver)) return kept.env;
    this.#reading ??= this.#read().finally(() => (this.#reading = undefined));
    return this.#reading;
  }

  async #read(): Promise<NodeJS.ProcessEnv> {
    try {
      const found = await withParameters(process.env);
      this.#backoff.end();
      this.#isDoubted = false;
      const env = isDeepStrictEqual(found, this.#kept?.env) ? (this.#kept?.env ?? found) : found;
      this.#kept = { env, readAtMs: Date.now() };
      return env;
    } catch (error) {
      if (error instanceof NoSuchParameter) this.#kept = undefined;
      if (!this.#kept) throw error;
      const delayMs = this.#backoff.begin(OF_FAILURE);
      log.warn('Parameter Store cannot be read: the values that were read before stay', {
        read_s_ago: Math.round((Date.now() - this.#kept.readAtMs) / 1_000),
        next_try_in_s: Math.round(delayMs / 1_000),
        error: String(error),
      });
      return this.#kept.env;
    }
  }
}

export const environment = new Environment();

/** Makes something of the environment, and anew when a secret has changed. If that fails the old one stays; throws when there is none. */
export function madeFrom<T>(
  what: string,
  make: (env: NodeJS.ProcessEnv) => Promise<T>,
): (env: NodeJS.ProcessEnv) => Promise<T> {
  let last: { readonly env: NodeJS.ProcessEnv; readonly made: Promise<T> } | undefined;
  return async (env) => {
    if (last?.env === env) return last.made;
    const before = last;
    last = { env, made: make(env) };
    try {
      return await last.made;
    } catch (error) {
      last = before;
      environment.doubt();
      if (!before) throw error;
      log.error(`the ${what} cannot be made anew from the changed secrets: the old ones stay`, {
        error: String(error),
      });
      return before.made;
    }
  };
}
