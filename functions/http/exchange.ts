import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { ERRORS, ReconcileError } from '../../shared/model/errors.ts';
import type { Log } from '../../shared/ports.ts';

/** A request, whatever brought it: a server of `node:http`, or an HTTP API of AWS. */
export interface ReceivedRequest {
  readonly method: string;
  /** As it was sent, without the query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly from: string | undefined;
  /** As it was sent, maybe packed. */
  readonly body: Readable;
}

export interface SentAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** From a request to its answer, which may be a refusal; it never throws. Undefined: the path is another endpoint's. */
export type ServedEndpoint = (request: ReceivedRequest) => Promise<SentAnswer> | undefined;

export function jsonAnswer(
  status: number,
  value: unknown,
  headers: Readonly<Record<string, string>> = {},
): SentAnswer {
  const type = { 'Content-Type': 'application/json; charset=utf-8' };
  return { status, headers: { ...headers, ...type }, body: JSON.stringify(value) };
}

interface More {
  readonly headers?: Readonly<Record<string, string>>;
  /** Fields of the answer beside `error`, for programs. */
  readonly details?: Readonly<Record<string, unknown>>;
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
