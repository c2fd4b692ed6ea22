import { isDeepStrictEqual } from 'node:util';
import type { Credentials } from '../../config/config.ts';
import { asReconcileError, type ReconcileError } from '../../model/errors.ts';
import { Silence, type Delays } from '../../silence.ts';

/** Whoever refuses a login counts it, and some lock the account after five of them. */
const OF_REFUSAL: Delays = { firstMs: 60_000, longestMs: 5 * 60_000 };
const OF_NO_ANSWER: Delays = { firstMs: 1_000, longestMs: 30_000 };

/** How often the files are read for other credentials while a login is refused. */
const READ_EVERY_MS = 10_000;

/**
 * Keeps the runs of a process from logging in again and again. A failed login is the answer for everybody until the next
 * try is due: after 1, 2, ... 5 minutes where the credentials were refused, after 1, 2, ... 30 s where nobody answered.
 * Credentials that came into their file meanwhile are tried at once.
 */
export class LoginRefusals {
  readonly #now: () => number;
  readonly #silence: Silence;
  readonly #readAgain: () => Promise<Credentials | undefined>;
  #credentials: Credentials;
  #failure: ReconcileError | undefined;
  #readAtMs = -Infinity;

  constructor(
    credentials: Credentials,
    now: () => number,
    readAgain: () => Promise<Credentials | undefined> = () => Promise.resolve(undefined),
  ) {
    this.#credentials = credentials;
    this.#now = now;
    this.#silence = new Silence(now);
    this.#readAgain = readAgain;
  }

  /** Logs in by `login`, unless the last failure still counts. */
  async guard<T>(login: (credentials: Credentials) => Promise<T>): Promise<T> {
    const last = this.#failure;
    if (last && !this.#silence.isOver && !(isRefusal(last) && (await this.#hasChanged()))) throw last;
    try {
      const done = await login(this.#credentials);
      this.#forget();
      return done;
    } catch (error) {
      const failed = asReconcileError(error);
      if (this.#failure?.code !== failed.code) this.#forget();
      this.#failure = failed;
      this.#silence.begin(isRefusal(failed) ? OF_REFUSAL : OF_NO_ANSWER);
      if (!isRefusal(failed) || !(await this.#hasChanged())) throw failed;
      return this.guard(login);
    }
  }

  #forget(): void {
    this.#failure = undefined;
    this.#silence.end();
  }

  /** Reads the files, if that was not done lately. True: they have other credentials, which count now. */
  async #hasChanged(): Promise<boolean> {
    if (this.#now() - this.#readAtMs < READ_EVERY_MS) return false;
    this.#readAtMs = this.#now();
    const found = await this.#readAgain();
    if (found === undefined || isDeepStrictEqual(found, this.#credentials)) return false;
    this.#credentials = found;
    this.#forget();
    return true;
  }
}

/** Whether only an operator can mend it. */
function isRefusal({ disposition }: ReconcileError): boolean {
  return disposition === 'operator';
}
