import { parseKey, type Key } from '../model/request.ts';

/** Where to look, and the event that said so first. */
export interface CausedKey {
  readonly key: Key;
  readonly cause: string;
}

/** What became of the events of one delivery; accepted, skipped and ignored add up to their number. */
export interface TriggerCounts {
  /** Named a key. */
  readonly accepted: number;
  /** Could not be read. */
  readonly skipped: number;
  /** Read, and no reason to look anywhere. */
  readonly ignored: number;
}

export interface Triggered extends TriggerCounts {
  /** Each key once, in the order of its first event. */
  readonly keys: readonly CausedKey[];
}

/** What one event says: a key's text, 'ignored', or 'skipped' when it cannot be read. */
export type Reading = { readonly key: string; readonly cause: string } | 'ignored' | 'skipped';

/** Folds readings into keys and counts. A name that cannot be a Kubernetes name makes its event a skipped one. */
export function collectKeys(readings: Iterable<Reading>): Triggered {
  const causes = new Map<Key, string>();
  const counts = { accepted: 0, skipped: 0, ignored: 0 };
  for (const reading of readings) {
    const key = typeof reading === 'string' ? undefined : parseKey(reading.key);
    if (typeof reading === 'string') counts[reading] += 1;
    else if (key === undefined) counts.skipped += 1;
    else {
      counts.accepted += 1;
      if (!causes.has(key)) causes.set(key, reading.cause);
    }
  }
  return { keys: [...causes].map(([key, cause]) => ({ key, cause })), ...counts };
}
