import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { BoundedMap } from '../../shared/memory/bounded-map.ts';
import { errorText } from '../../shared/model/errors.ts';
import type { Log } from '../../shared/ports.ts';
import type { VerifySender } from '../http/require-sender.ts';
import { REFUSED_AFTER_MS } from './callers-behind-names.ts';

/** Tokens of one cluster: those of a source's replicas, each new within the hour. */
const MOST_KEPT = 1_000;

/**
 * Who may send events to a cluster. As with callers, a token that was never verified is refused after the same time and in the same words
 * whether there is such a cluster or not, and whether its keys can be read or not. Why is for the log.
 */
export class SendersBehindNames {
  readonly #log: Log;
  readonly #refusedAfterMs: number;
  /** The hashes of tokens that were verified once, by who verifies them. */
  readonly #known = new WeakMap<VerifySender, BoundedMap<string, true>>();

  constructor(log: Log, refusedAfterMs = REFUSED_AFTER_MS) {
    this.#log = log;
    this.#refusedAfterMs = refusedAfterMs;
  }

  /** Throws while the keys of the cluster cannot be read, for a token that was verified once. */
  of(cluster: string, verify: VerifySender | undefined): VerifySender {
    return async (token) => {
      const refused = sleep(this.#refusedAfterMs, '', { ref: false });
      if (!verify) return refused;
      const known = this.#known.get(verify) ?? new BoundedMap<string, true>(MOST_KEPT);
      this.#known.set(verify, known);
      const name = createHash('sha256').update(token).digest('base64');
      const wrong = await verify(token).catch((error: unknown) => {
        if (known.has(name)) throw error;
        return errorText(error);
      });
      if (wrong === undefined) {
        known.set(name, true);
        return undefined;
      }
      this.#log.info(`no valid OIDC token: ${wrong}`, { cluster });
      return refused;
    };
  }
}
