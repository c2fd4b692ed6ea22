import type { Trigger } from '../model/request.ts';

/** What runs first when several keys are ready: people's changes, then what was begun, then what a sweep found. */
export const PRIORITY = {
  audit: 0,
  events: 0,
  resync: 0,
  command: 0,
  requeue: 1,
  sweep: 2,
} as const satisfies Record<Trigger, number>;

export const PRIORITIES = 3;
