import type { Cloud, Clock } from '../ports.ts';

/** Subnets, external networks and limits hardly ever change; they are asked for once in this many milliseconds. */
const KEEP_MS = 60_000;

interface Entry {
  readonly until: number;
  readonly value: Promise<unknown>;
}

const memories = new WeakMap<Cloud, Map<string, Entry>>();

/** After a write of ours that makes it wrong. */
export function forgetAnswer(cloud: Cloud, key: string): void {
  memories.get(cloud)?.delete(key);
}

/** The answer of `read`, shared by all runs of a process for a minute. A failure is not kept. */
export function remember<T>(cloud: Cloud, clock: Clock, key: string, read: () => Promise<T>): Promise<T> {
  const memory = memories.get(cloud) ?? new Map<string, Entry>();
  memories.set(cloud, memory);
  const known = memory.get(key);
  if (known && known.until > clock.now()) return known.value as Promise<T>;
  const value = read();
  memory.set(key, { until: clock.now() + KEEP_MS, value });
  value.catch(() => memory.delete(key));
  return value;
}
