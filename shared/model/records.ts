import type { Key } from './request.ts';

/** Where in OpenStack the load balancers of a cluster are. */
export interface ProjectAndRegion {
  readonly project_id: string;
  /** Of Octavia's endpoint. Absent: the catalog names none, or none was recorded. */
  readonly region?: string;
}

export const PLACE = 'levelset-place';

/** A repair of a load balancer in ERROR that levelset began. All processes share one record of these. */
export interface Repair {
  readonly how: 'failover' | 'refused' | 'rebuild';
  readonly id: string;
  readonly service: Key;
  readonly at: number;
}

export interface RecordedRepairs {
  readonly repairs: readonly Repair[];
  readonly version: string | undefined;
}

const DAY_MS = 24 * 3_600_000;

export function ofLastDay(repairs: readonly Repair[], now: number): readonly Repair[] {
  return repairs.filter(({ at }) => now - at < DAY_MS);
}

/**
 * A deletion of a Node, or of a load balancer whose Service has vanished, in the record that all processes share
 * (decisions 27 and 151).
 */
export interface Deletion {
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
  readonly version: string | undefined;
}

/** The ConfigMap of levelset's namespace that is the record. */
export const DELETIONS = 'levelset-deletions';

const HOUR_MS = 3_600_000;

export function recent(deletions: readonly Deletion[], now: number): readonly Deletion[] {
  return deletions.filter(({ at = -Infinity }) => now - at < HOUR_MS);
}
