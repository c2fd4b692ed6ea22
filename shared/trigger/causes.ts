import { parseKey, type Key } from '../model/request.ts';

/** Where to look, and the event that said so first. */
export interface CausedKey {
  readonly key: Key;
  readonly cause: string;
}

/** What became of the events of one delivery; accepted, skipped and ignored add up to their number. */
export interface TriggerCounts {
  /** Named a key, or several. */
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

/** What one event says: the texts of keys, 'ignored', or 'skipped' when it cannot be read. */
export type Reading = { readonly keys: readonly string[]; readonly cause: string } | 'ignored' | 'skipped';

/** What hangs on all Nodes together: who is a member of which load balancer, and the routes to the pods. */
export const OF_ALL_NODES = ['nodeset', 'routes'];

/** Folds readings into keys and counts. A name that cannot be a Kubernetes name makes its event a skipped one. */
export function collectKeys(readings: Iterable<Reading>): Triggered {
  const causes = new Map<Key, string>();
  const counts = { accepted: 0, skipped: 0, ignored: 0 };
  for (const reading of readings) {
    if (typeof reading === 'string') {
      counts[reading] += 1;
      continue;
    }
    const keys = reading.keys.map(parseKey).filter((key) => key !== undefined);
    const isRead = keys.length === reading.keys.length;
    counts[isRead ? 'accepted' : 'skipped'] += 1;
    for (const key of isRead ? keys : []) if (!causes.has(key)) causes.set(key, reading.cause);
  }
  return { keys: [...causes].map(([key, cause]) => ({ key, cause })), ...counts };
}
