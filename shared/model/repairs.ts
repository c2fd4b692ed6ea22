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
  /** A person approved it. */
  readonly approved?: true;
  /** The id of the VIP port that was not seen, once Octavia has taken this failover. */
  readonly port?: string;
}

export interface RecordedRepairs {
  readonly repairs: readonly Repair[];
  /** Version of the record as it was read; undefined if there was none. */
  readonly version: string | undefined;
}

const DAY_MS = 24 * 3_600_000;

/**
 * The repairs of the last day, and of each load balancer that is there two older ones: the last that a person approved, by which an
 * approval is good for one time, and the last that left the VIP port as it was. `vipPorts` has the load balancers' VIP ports by their ids.
 */
export function lastingRepairs(
  repairs: readonly Repair[],
  now: number,
  vipPorts: ReadonlyMap<string, unknown>,
): readonly Repair[] {
  const last = (which: (one: Repair) => boolean): readonly Repair[] => [
    ...new Map(repairs.filter(which).map((one) => [one.id, one])).values(),
  ];
  const lasting = new Set([
    ...ofLastDay(repairs, now),
    ...last(({ approved, id }) => approved === true && vipPorts.has(id)),
    ...last(({ port, id }) => port !== undefined && vipPorts.get(id) === port),
  ]);
  return repairs.filter((one) => lasting.has(one));
}

/** The repairs of the last day. */
export function ofLastDay(repairs: readonly Repair[], now: number): readonly Repair[] {
  return repairs.filter(({ at }) => now - at < DAY_MS);
}
