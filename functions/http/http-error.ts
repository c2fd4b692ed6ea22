import type { ErrorRequestHandler, RequestHandler } from 'express';
import { ERRORS, ReconcileError } from '../../shared/model/errors.ts';
import type { Log } from '../../shared/ports.ts';

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

/** 404 for every other path. */
export const notFound: RequestHandler = (request) => {
  throw new HttpError(404, `no such path: ${request.path}`);
};

/** Answers every error as JSON `{ error, ... }`. The details of an unexpected one go to the log alone. */
export function answerErrors(log: Log): ErrorRequestHandler {
  return (error: unknown, request, response, next) => {
    if (response.headersSent) {
      next(error);
      return;
    }
    const refusal = toHttpError(error);
    const fields = { method: request.method, path: request.path, status: refusal.status };
    if (refusal.status >= 500) log.error(refusal.message, { ...fields, error });
    else log.info(`refused: ${refusal.message}`, { ...fields, from: request.ip });
    response
      .status(refusal.status)
      .set(refusal.more.headers ?? {})
      .json({ error: refusal.message, ...refusal.more.details });
  };
}

export function toHttpError(error: unknown): HttpError {
  if (error instanceof HttpError) return error;
  if (error instanceof ReconcileError) {
    const { status, advice } = ERRORS[error.code];
    return new HttpError(status, error.message, { details: { code: error.code, advice } });
  }
  const status = statusOf(error);
  if (status === 413) return new HttpError(413, `the body is longer than ${limitOf(error)}`);
  return FROM_EXPRESS[status] ?? new HttpError(500, 'an unexpected error; the log has the details');
}

/** The errors of express and its body reader by status. Their own texts name internals. */
const FROM_EXPRESS: Readonly<Record<number, HttpError>> = {
  400: new HttpError(400, 'the request could not be read'),
  415: new HttpError(415, 'the Content-Encoding or charset of the body is not supported'),
};

/** The limit that the body reader was given, in MB or kB. */
function limitOf(error: unknown): string {
  const bytes = error instanceof Error && 'limit' in error ? Number(error.limit) : 0;
  return bytes >= 2 ** 20 ? `${bytes / 2 ** 20} MB` : `${bytes / 2 ** 10} kB`;
}

function statusOf(error: unknown): number {
  return error instanceof Error && 'status' in error ? Number(error.status) : 500;
}
