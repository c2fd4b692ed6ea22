import type { Context } from 'aws-lambda';
import { CLOSING_MS } from '../shared/deadline.ts';
import type { Budget, Clock } from '../shared/ports.ts';

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

/** Time for the report and the lease after a run has ended (`CLOSING_MS`), and for the requeue. */
const MARGIN_MS = CLOSING_MS + 4_000;

/** The time that Lambda leaves to this invocation, less a margin. Without an invocation it is none. */
export function invocationBudget(context?: Pick<Context, 'getRemainingTimeInMillis'>): Budget {
  return { remainingMs: () => Math.max(0, (context?.getRemainingTimeInMillis() ?? 0) - MARGIN_MS) };
}
