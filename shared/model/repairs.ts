import type { Key } from './request.ts';

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
