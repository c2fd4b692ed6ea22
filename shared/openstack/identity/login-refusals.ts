import { isDeepStrictEqual } from 'node:util';
import type { Credentials } from '../../config/config.ts';
import { asReconcileError, type ReconcileError } from '../../model/errors.ts';

/** Delays after failed logins in a row, in milliseconds: the first one, and the longest one. */
interface Delays {
  readonly first: number;
  readonly longest: number;
}

/** Whoever refuses a login counts it, and some lock the account after five of them. */
const OF_REFUSAL: Delays = { first: 60_000, longest: 5 * 60_000 };
const OF_NO_ANSWER: Delays = { first: 1_000, longest: 30_000 };

/** How often the files are read for other credentials while a login is refused. */
const READ_EVERY_MS = 10_000;

interface Failure {
  readonly error: ReconcileError;
  readonly inARow: number;
  readonly untilMs: number;
}

/**
 * Keeps the runs of a process from logging in again and again. A failed login is the answer for everybody until the next
 * try is due: after 1, 2, ... 5 minutes where the credentials were refused, after 1, 2, ... 30 s where nobody answered.
 * Credentials that came into their file meanwhile are tried at once.
 */
export class LoginRefusals {
  readonly #now: () => number;
  readonly #readAgain: () => Promise<Credentials | undefined>;
  #credentials: Credentials;
  #failure: Failure | undefined;
  #readAtMs = -Infinity;

  constructor(
    credentials: Credentials,
    now: () => number,
    readAgain: () => Promise<Credentials | undefined> = () => Promise.resolve(undefined),
  ) {
    this.#credentials = credentials;
    this.#now = now;
    this.#readAgain = readAgain;
  }

  /** Logs in by `login`, unless the last failure still counts. */
  async guard<T>(login: (credentials: Credentials) => Promise<T>): Promise<T> {
    const last = this.#failure;
    const isOver = last === undefined || this.#now() >= last.untilMs;
    if (!isOver && !(isRefusal(last.error) && (await this.#hasChanged()))) throw last.error;
    try {
      const done = await login(this.#credentials);
      this.#failure = undefined;
      return done;
    } catch (error) {
      const failed = this.#note(asReconcileError(error));
      if (!isRefusal(failed) || !(await this.#hasChanged())) throw failed;
      return this.guard(login);
    }
  }

  #note(error: ReconcileError): ReconcileError {
    const { first, longest } = isRefusal(error) ? OF_REFUSAL : OF_NO_ANSWER;
    const before = this.#failure;
    const inARow = before?.error.code === error.code ? before.inARow + 1 : 1;
    const delayMs = Math.min(longest, first * 2 ** Math.min(inARow - 1, 10));
    this.#failure = { error, inARow, untilMs: this.#now() + delayMs };
    return error;
  }

  /** Reads the files, if that was not done lately. True: they have other credentials, which count now. */
  async #hasChanged(): Promise<boolean> {
    if (this.#now() - this.#readAtMs < READ_EVERY_MS) return false;
    this.#readAtMs = this.#now();
    const found = await this.#readAgain();
    if (found === undefined || isDeepStrictEqual(found, this.#credentials)) return false;
    this.#credentials = found;
    this.#failure = undefined;
    return true;
  }
}

/** Whether only an operator can mend it. */
function isRefusal({ disposition }: ReconcileError): boolean {
  return disposition === 'operator';
}
