import { patienceMs, valueWithin } from '../../deadline.ts';
import type { Gathering } from '../../memory/memory.ts';
import type { World } from '../../ports.ts';

/** The time for which a read waits for others, in milliseconds. */
const GATHER_MS = 20;
/** Up to this number of reads, each is a call of its own. */
const FEW = 2;
/** The time for which a list counts for what is in it. What it lacks is read by itself. */
const KEEP_MS = 5_000;

interface Reads<T> {
  /** One object. Undefined: it does not exist. */
  one(id: string): Promise<T | undefined>;
  /** These objects, if they exist, and perhaps more. */
  many(ids: readonly string[]): Promise<ReadonlyMap<string, T>>;
}

interface GatheredReads<T> extends Reads<T> {
  readonly world: Pick<World, 'run' | 'clock'>;
  readonly gathering: Gathering<T>;
}

/**
 * Gathers the reads of many runs into one list. An object that the list does not have, or not soon, is read by itself; so are all where the list
 * ended with the time of the run that began it. Reads that
 * follow each other within the time for which a list counts become one list, too. `now` takes nothing from an earlier
 * list.
 */
export async function readGathered<T>(
  id: string,
  when: 'now' | 'lately',
  reads: GatheredReads<T>,
): Promise<T | undefined> {
  const { gathering, world } = reads;
  const { clock, run } = world;
  if (when === 'lately') gathering.asked.set(id, clock.now());
  const isFresh = when === 'lately' && gathering.kept && gathering.kept.until > clock.now();
  const kept = isFresh ? gathering.kept?.found.get(id) : undefined;
  if (kept !== undefined) return kept;
  gathering.waiting.push(id);
  const leftMs = (): number => run?.remainingMs() ?? Infinity;
  gathering.next ??= gather(reads).catch((error: unknown) => {
    if (leftMs() > 0) throw error;
    return new Map();
  });
  const found = await valueWithin(patienceMs(leftMs()), gathering.next);
  return found?.get(id) ?? reads.one(id);
}

async function gather<T>(reads: GatheredReads<T>): Promise<ReadonlyMap<string, T>> {
  const { gathering, world } = reads;
  const { clock } = world;
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
