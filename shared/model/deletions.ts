import type { Key } from './request.ts';

/**
 * A deletion that levelset began, of a Node or of a load balancer whose Service has vanished. All processes share one
 * record of these, for the deletion budget (decisions 27 and 151).
 */
export interface Deletion {
  /** The UID of the Node, or the id of the load balancer. */
  readonly id: string;
  /** The Service that has vanished: others may be on the same load balancer. */
  readonly service?: Key;
  /** When it was begun, in milliseconds since 1970; absent while what a Service left stays. */
  readonly at?: number;
  /** When a sweep first found what the Service left, in milliseconds since 1970. */
  readonly foundAt?: number;
}

export interface RecordedDeletions {
  readonly deletions: readonly Deletion[];
  /** Version of the record as it was read; undefined if there was none. */
  readonly version: string | undefined;
}

/** The ConfigMap of levelset's namespace that is the record. */
export const DELETIONS = 'levelset-deletions';

const HOUR_MS = 3_600_000;

/** The deletions of the last hour. */
export function recent(deletions: readonly Deletion[], now: number): readonly Deletion[] {
  return deletions.filter(({ at = -Infinity }) => now - at < HOUR_MS);
}
