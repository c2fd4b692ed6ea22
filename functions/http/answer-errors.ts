import type { ErrorRequestHandler, RequestHandler } from 'express';
import { ERRORS, ReconcileError } from '../../shared/model/errors.ts';
import type { Log } from '../../shared/ports.ts';
import { HttpError } from './http-error.ts';

/** For a path that nothing answers. */
export const notFound: RequestHandler = (request) => {
  throw new HttpError(404, `no such path: ${request.path}`);
};

/** Answers every error as JSON `{ error, ... }`; what was not meant for the caller goes to the log alone. */
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

function toHttpError(error: unknown): HttpError {
  if (error instanceof HttpError) return error;
  if (error instanceof ReconcileError) {
    const { status, advice } = ERRORS[error.code];
    return new HttpError(status, error.message, { details: { code: error.code, advice } });
  }
  return FROM_EXPRESS[statusOf(error)] ?? new HttpError(500, 'something went wrong here; the log says what');
}

/** What express and its body reader throw, told apart by status: their own texts name internals. */
const FROM_EXPRESS: Readonly<Record<number, HttpError>> = {
  400: new HttpError(400, 'the request could not be read'),
  413: new HttpError(413, 'the body is longer than 10 MB'),
  415: new HttpError(415, 'the body has a Content-Encoding or charset that is not known here'),
};

function statusOf(error: unknown): number {
  return error instanceof Error && 'status' in error ? Number(error.status) : 500;
}
