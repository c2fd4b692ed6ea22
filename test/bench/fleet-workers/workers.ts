import type { Texts } from '../../../shared/clusters/entry.ts';

/** Processes that share the work of all clusters by a queue. */
export interface Workers {
  /** Where events go to, one after the other. */
  readonly urls: readonly string[];
  readonly pids: readonly number[];
  /** Resolves when all clusters are served, and nothing is left to do. */
  readonly ready: () => Promise<void>;
  /** Runs by worker since the last time, and sweeps. */
  readonly worked: () => Promise<readonly Worked[]>;
  readonly stop: () => Promise<void>;
}

export interface Worked {
  readonly runs: number;
  readonly sweeps: number;
  /** The time of its invocations. */
  readonly busyMs: number;
}

export type Registry = Readonly<Record<string, Texts>>;
