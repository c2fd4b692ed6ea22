import { errorText, ERRORS, ReconcileError } from '../../shared/model/errors.ts';

/** What a person reads of an error, never a stack. */
export function inWords(error: unknown): string {
  if (error instanceof ReconcileError) {
    const { advice } = ERRORS[error.code];
    return error.code === 'CONFIG_INVALID' ? error.message : `${error.message} (${advice})`;
  }
  return errorText(error);
}
