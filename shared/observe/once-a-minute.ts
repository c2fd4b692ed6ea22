import type { World } from '../ports.ts';

const MINUTE_MS = 60_000;

/**
 * The answer to a read of something that hardly ever changes, such as a subnet, an external network or a limit. All runs
 * of a process share it for a minute. The key names what is read.
 */
export function onceAMinute<T>(
  { memory, clock }: Pick<World, 'memory' | 'clock'>,
  key: string,
  ask: () => Promise<T>,
): Promise<T> {
  return memory.answers.read(key, { keepMs: MINUTE_MS, clock }, ask);
}
