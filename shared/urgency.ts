/**
 * How soon what goes on here gets a place among the requests to an endpoint of OpenStack: what a person asked
 * for first, then what an event or a watch did, then what comes back by itself, then what a sweep reads and finds. Outside of a run it is as
 * for an event.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Trigger } from './model/request.ts';

/** Less is sooner. */
const RANK = {
  resync: 0,
  command: 0,
  audit: 1,
  events: 1,
  watch: 1,
  requeue: 2,
  sweep: 3,
} as const satisfies Record<Trigger, number>;

export class Urgency {
  readonly #within: Urgency | undefined;
  #rank: number;

  constructor(rank: number, within?: Urgency) {
    this.#rank = rank;
    this.#within = within;
  }

  get rank(): number {
    return Math.min(this.#rank, this.#within?.rank ?? Infinity);
  }

  get isSweep(): boolean {
    return this.rank === RANK.sweep;
  }

  /** What goes on here waits for it too, so that it is as urgent as this from now on (priority inheritance). */
  raise(): void {
    this.#rank = Math.min(this.#rank, urgency().rank);
  }

  /** Gives `run`, and all that it starts, this urgency. */
  run<T>(run: () => T): T {
    return urgencies.run(this, run);
  }
}

const urgencies = new AsyncLocalStorage<Urgency>();
const OF_EVENT = new Urgency(RANK.events);

/** The urgency of what goes on here. */
export function urgency(): Urgency {
  return urgencies.getStore() ?? OF_EVENT;
}

export function urgencyOf(trigger: Trigger): Urgency {
  return new Urgency(RANK[trigger]);
}

/** For what others may come to wait for: as urgent as what goes on here, until somebody raises it. */
export function sharedUrgency(): Urgency {
  const begunBy = urgency();
  return new Urgency(begunBy.rank, begunBy === OF_EVENT ? undefined : begunBy);
}
