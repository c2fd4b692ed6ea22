import type { Context } from 'aws-lambda';
import type { Budget } from '../../shared/ports.ts';

/** For the last status patch, the lease and the requeue, after the pipeline has stopped by itself. */
const MARGIN_MS = 5_000;

/** What Lambda leaves to this invocation, less a margin. Without an invocation there is no time at all. */
export function invocationBudget(context?: Pick<Context, 'getRemainingTimeInMillis'>): Budget {
  return { remainingMs: () => Math.max(0, (context?.getRemainingTimeInMillis() ?? 0) - MARGIN_MS) };
}
