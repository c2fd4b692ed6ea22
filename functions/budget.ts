import type { Context } from 'aws-lambda';
import { CLOSING_MS } from '../shared/deadline.ts';
import type { Budget, Clock } from '../shared/ports.ts';

/** How long keys wait and runs take. Who sets the time of day makes neither longer. */
export const MONOTONIC: Clock = { now: () => performance.now() };

/** What a run has left once its process is to stop: time to read, too little for a write to OpenStack to begin. */
const LAST_READS_MS = 4_000;

/** The time of one run: `timeoutMs`, and at most 4 s once `stop` is aborted. */
export function timeBudget(timeoutMs: number, clock: Clock, stop?: AbortSignal): Budget {
  let end = clock.now() + timeoutMs;
  let isStopping = false;
  return {
    remainingMs: () => {
      if (stop?.aborted && !isStopping) {
        isStopping = true;
        end = Math.min(end, clock.now() + LAST_READS_MS);
      }
      return Math.max(0, end - clock.now());
    },
  };
}

/** With less time the worker begins no run. */
export const LEAST_RUN_MS = 8_000;
/** How long Lambda may take to notice that a function has answered. */
const SPARE_MS = 1_000;
const SENDING_MS = 3_000;

/** The time of one invocation of a function. Each stage keeps what those after it need. */
export interface InvocationTime {
  /** For runs and sweeps. The report comes on top (`CLOSING_MS`). */
  readonly runs: Budget;
  readonly sending: Budget;
  /** Ends the time of runs for good: what thaws in a later invocation begins no request. */
  close(): void;
}

/** The time that Lambda leaves, by both clocks, of which either may stand while the environment is frozen. Without an invocation: none. */
export function invocationTime(context?: Pick<Context, 'getRemainingTimeInMillis'>): InvocationTime {
  const end = performance.now() + (context?.getRemainingTimeInMillis() ?? 0);
  let isClosed = false;
  const leftMs = (): number => Math.min(context?.getRemainingTimeInMillis() ?? 0, end - performance.now());
  const less = (keptMs: number): Budget => ({ remainingMs: () => Math.max(0, leftMs() - keptMs) });
  const runs = less(CLOSING_MS + SENDING_MS + SPARE_MS);
  return {
    runs: { remainingMs: () => (isClosed ? 0 : runs.remainingMs()) },
    sending: less(SPARE_MS),
    close: () => {
      isClosed = true;
    },
  };
}
