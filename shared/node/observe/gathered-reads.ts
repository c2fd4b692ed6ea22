import type { Gathering } from '../../memory/memory.ts';
import type { Clock } from '../../ports.ts';

/** So long a read waits for others that begin at the same time. */
const GATHER_MS = 20;
/** So many are made one by one. */
const FEW = 2;
/** What a list shows is there for so long; that something is not there is never taken from one. */
const KEEP_MS = 5_000;

export interface Reads<T> {
  /** Undefined: it is not there. */
  one(id: string): Promise<T | undefined>;
  /** What there is of these, and perhaps more. */
  many(ids: readonly string[]): Promise<ReadonlyMap<string, T>>;
}

export interface GatheredReads<T> extends Reads<T> {
  readonly clock: Clock;
  readonly gathering: Gathering<T>;
}

/**
 * Reads of many runs at once become one list; what the list does not show is read by itself. Reads that come one after another
 * count as at once while a list would be kept: a list is then of all of them. `now`: not from a list that was made before.
 */
export async function readGathered<T>(
  id: string,
  when: 'now' | 'lately',
  reads: GatheredReads<T>,
): Promise<T | undefined> {
  const { gathering, clock } = reads;
  if (when === 'lately') gathering.asked.set(id, clock.now());
  const isFresh = when === 'lately' && gathering.kept && gathering.kept.until > clock.now();
  const kept = isFresh ? gathering.kept?.found.get(id) : undefined;
  if (kept !== undefined) return kept;
  gathering.waiting.push(id);
  gathering.next ??= gather(reads);
  return (await gathering.next).get(id) ?? reads.one(id);
}

async function gather<T>(reads: GatheredReads<T>): Promise<ReadonlyMap<string, T>> {
  const { gathering, clock } = reads;
  await new Promise((resolve) => setTimeout(resolve, GATHER_MS));
  const { asked, waiting } = gathering;
  const since = clock.now() - KEEP_MS;
  for (const [id, at] of asked) if (at <= since) asked.delete(id);
  const before = waiting.some((id) => asked.has(id)) ? asked.keys() : [];
  const ids = [...new Set([...waiting, ...before])];
  gathering.waiting = [];
  gathering.next = undefined;
  if (ids.length <= FEW) return new Map();
  const found = await reads.many(ids);
  gathering.kept = { until: clock.now() + KEEP_MS, found };
  return found;
}
