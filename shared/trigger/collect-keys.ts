import { type Key, parseKey, type Triggered } from '../model/request.ts';

/** What one event yields: the texts of keys, `ignored`, or `skipped` if it cannot be read. */
export type KindReading =
  | { readonly keys: readonly string[]; readonly cause: string }
  | 'ignored'
  | 'skipped';

/** The keys and counts of readings. An event with a name that Kubernetes does not allow is skipped. */
export function collectKeys(readings: Iterable<KindReading>): Triggered {
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
