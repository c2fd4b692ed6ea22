import { ERRORS, type ReconcileError } from '../model/errors.ts';
import type { Outcome } from '../model/outcome.ts';

/** The first delay before another try, in milliseconds. The queue doubles it. */
export const RETRY_MS = 1_000;

export function outcomeOfError(error: ReconcileError): Outcome {
  const retryAfterMs = error.context.retryAfterMs ?? RETRY_MS;
  if (ERRORS[error.code].disposition === 'wait') {
    return { status: 'progressing', reason: error.message, retryAfterMs };
  }
  if (ERRORS[error.code].disposition === 'blocked') {
    return { status: 'blocked', reason: `${error.message} (${ERRORS[error.code].advice})` };
  }
  return { status: 'failed', code: error.code, message: error.message, retryAfterMs };
}
