import { asReconcileError, type ReconcileError } from '../../model/errors.ts';
import { Silence, type Delays } from '../../silence.ts';

/** Whoever refuses a login counts it, and some lock the account after five of them. */
const OF_REFUSAL: Delays = { firstMs: 60_000, longestMs: 5 * 60_000 };
const OF_NO_ANSWER: Delays = { firstMs: 1_000, longestMs: 30_000 };

/**
 * A failed login is the answer for everybody until the next try is due: after 1, 2, ... 5 minutes where it was
 * refused, 1, 2, ... 30 s where nobody answered.
 */
export class LoginRefusals {
  readonly #silence: Silence;
  #failure: ReconcileError | undefined;

  constructor(now: () => number) {
    this.#silence = new Silence(now);
  }

  async guard<T>(login: () => Promise<T>): Promise<T> {
    if (this.#failure && !this.#silence.isOver) throw this.#failure;
    try {
      const done = await login();
      this.#forget();
      return done;
    } catch (error) {
      const failed = asReconcileError(error);
      if (this.#failure?.code !== failed.code) this.#forget();
      this.#failure = failed;
      this.#silence.begin(isRefusal(failed) ? OF_REFUSAL : OF_NO_ANSWER);
      throw failed;
    }
  }

  #forget(): void {
    this.#failure = undefined;
    this.#silence.end();
  }
}

/** Whether only an operator can mend it. */
export function isRefusal({ disposition }: ReconcileError): boolean {
  return disposition === 'operator';
}
