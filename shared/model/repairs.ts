import type { Key } from './request.ts';

/** A repair of a load balancer in ERROR that levelset began. All processes share one record of these. */
export interface Repair {
  /** `refused`: the cloud refused the failover. */
  readonly how: 'failover' | 'refused' | 'rebuild';
  /** The id of the load balancer that was in ERROR. */
  readonly id: string;
  readonly service: Key;
  /** Milliseconds since 1970. */
  readonly at: number;
}

export interface RecordedRepairs {
  readonly repairs: readonly Repair[];
  /** Version of the record as it was read; undefined if there was none. */
  readonly version: string | undefined;
}

const DAY_MS = 24 * 3_600_000;

/** The repairs of the last day. */
export function ofLastDay(repairs: readonly Repair[], now: number): readonly Repair[] {
  return repairs.filter(({ at }) => now - at < DAY_MS);
}
