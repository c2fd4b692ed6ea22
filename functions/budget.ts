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

/** How long Lambda may take to notice that a function has answered. */
const SPARE_MS = 1_000;
/** The time to show messages again that could not be worked on. */
const GIVING_BACK_MS = 2_000;
/** The time to send what a run leaves to do. */
const SENDING_MS = 3_000;

/** The time of one invocation of a function. Each stage keeps what those after it need. */
export interface InvocationTime {
  /** For runs and sweeps. The report and the release of the Lease come on top (`CLOSING_MS`). */
  readonly runs: Budget;
  /** For the messages that follow from them. */
  readonly sending: Budget;
  /** For giving messages back to SQS. */
  readonly givingBack: Budget;
}

/** The time that Lambda leaves to this invocation. Without an invocation it is none. */
export function invocationTime(context?: Pick<Context, 'getRemainingTimeInMillis'>): InvocationTime {
  const less = (keptMs: number): Budget => ({
    remainingMs: () => Math.max(0, (context?.getRemainingTimeInMillis() ?? 0) - keptMs),
  });
  return {
    runs: less(CLOSING_MS + SENDING_MS + GIVING_BACK_MS + SPARE_MS),
    sending: less(GIVING_BACK_MS + SPARE_MS),
    givingBack: less(SPARE_MS),
  };
}

/** What one key of several clusters may take: one that hangs then leaves the others their turn. */
const LONGEST_KEY_MS = 25_000;

/** The same for a run beside those of other clusters. */
export function timeOfKey(time: InvocationTime): InvocationTime {
  const end = performance.now() + LONGEST_KEY_MS;
  return {
    ...time,
    runs: { remainingMs: () => Math.max(0, Math.min(time.runs.remainingMs(), end - performance.now())) },
  };
}
