import { ERRORS, ReconcileError } from '../../shared/model/errors.ts';
import type { Log } from '../../shared/ports.ts';
import { jsonAnswer, type SentAnswer, type ReceivedRequest } from './exchange.ts';

interface More {
  readonly headers?: Readonly<Record<string, string>>;
  /** Fields of the answer beside `error`, for programs. */
  readonly details?: Readonly<Record<string, unknown>>;
  /** For the log only. */
  readonly cause?: unknown;
}

/** The refusal of a request. `message` is one line for the caller. */
export class HttpError extends Error {
  override readonly name = 'HttpError';
  readonly status: number;
  readonly more: More;

  constructor(status: number, message: string, more: More = {}) {
    super(message, more.cause === undefined ? undefined : { cause: more.cause });
    this.status = status;
    this.more = more;
  }
}

/** 404 for a path that no endpoint has. */
export function noSuchPath({ path }: Pick<ReceivedRequest, 'path'>): HttpError {
  return new HttpError(404, `no such path: ${path}`);
}

/** The answer to an error: JSON `{ error, ... }`. The details of an unexpected one go to the log alone. */
export function errorAnswer(
  error: unknown,
  { method, path, from }: Pick<ReceivedRequest, 'method' | 'path' | 'from'>,
  log: Log,
): SentAnswer {
  const refusal = toHttpError(error);
  const { headers, details } = refusal.more;
  const fields = { method, path, status: refusal.status };
  if (refusal.status >= 500) log.error(refusal.message, { ...fields, error });
  else log.info(`refused: ${refusal.message}`, { ...fields, from });
  return jsonAnswer(refusal.status, { error: refusal.message, ...details }, headers);
}

export function toHttpError(error: unknown): HttpError {
  if (error instanceof HttpError) return error;
  if (error instanceof ReconcileError) {
    const { status, advice } = ERRORS[error.code];
    return new HttpError(status, error.message, { details: { code: error.code, advice } });
  }
  return new HttpError(500, 'an unexpected error; the log has the details');
}
