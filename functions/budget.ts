import type { Context } from 'aws-lambda';
import type { Budget, Clock } from '../shared/ports.ts';

/** The time of one run: `timeoutMs`, and none once `stop` is aborted. */
export function timeBudget(timeoutMs: number, clock: Clock, stop?: AbortSignal): Budget {
  const end = clock.now() + timeoutMs;
  return { remainingMs: () => (stop?.aborted ? 0 : Math.max(0, end - clock.now())) };
}

/** Time for the last status patch, the lease and the requeue after a run has stopped. */
const MARGIN_MS = 5_000;

/** The time that Lambda leaves to this invocation, less a margin. Without an invocation it is none. */
export function invocationBudget(context?: Pick<Context, 'getRemainingTimeInMillis'>): Budget {
  return { remainingMs: () => Math.max(0, (context?.getRemainingTimeInMillis() ?? 0) - MARGIN_MS) };
}
