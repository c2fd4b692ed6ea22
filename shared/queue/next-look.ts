import type { Operation } from '../memory/durations.ts';
import { isOutsideOctavia } from '../model/load-balancer/octavia.ts';
import type { Report } from '../model/outcome.ts';
import { LONGEST_REQUEUE_MS } from './scheduling.ts';

/** One list call serves all that wait. */
export const LEAST_GAP_MS = 1_000;
/** The next look comes after this share of the time so far. */
const SHARE = 1 / 40;
/** The same before the work can be done, where each look costs a message. */
const SHARE_EARLY = 1 / 4;
/** Nothing is done before this share of the time that it took lately. */
const EARLY = 0.9;

/**
 * Milliseconds until the next look at a load balancer that Octavia has been at work on for `elapsedMs`: a second, or a
 * fortieth of the time so far, up to 30 s. With the duration that is expected, looks before it are fewer.
 */
export function nextLookMs(elapsedMs: number, expectedMs = 0): number {
  const earliestMs = expectedMs * EARLY;
  const isEarly = elapsedMs < earliestMs;
  const gapMs = Math.max(LEAST_GAP_MS, elapsedMs * (isEarly ? SHARE_EARLY : SHARE));
  const untilEarliestMs = Math.max(LEAST_GAP_MS, earliestMs - elapsedMs);
  return Math.round(Math.min(LONGEST_REQUEUE_MS, gapMs, isEarly ? untilEarliestMs : Infinity));
}

/** What a run left Octavia busy with, by its last write. Undefined if it wrote nothing there and found Octavia busy. */
export function operationOf({ applied }: Pick<Report, 'applied'>): Operation | undefined {
  const last = applied.findLast((step) => !isOutsideOctavia(step.kind));
  if (!last) return undefined;
  return last.kind === 'loadbalancer' ? last.verb : 'update';
}
