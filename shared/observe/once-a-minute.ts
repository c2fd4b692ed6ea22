import type { World } from '../ports.ts';

const MINUTE_MS = 60_000;

/** The answer to a read of what hardly ever changes, shared by all runs for a minute. The key names what is read. */
export function onceAMinute<T>(
  { memory, clock }: Pick<World, 'memory' | 'clock'>,
  key: string,
  ask: () => Promise<T>,
): Promise<T> {
  return memory.answers.read(key, { keepMs: MINUTE_MS, clock }, ask);
}
