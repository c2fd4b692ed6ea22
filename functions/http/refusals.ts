import type { ErrorRequestHandler } from 'express';
import { toHttpError } from './http-error.ts';

/** Why events are refused. Each is mended in another place. */
export type RefusalReason = 'token' | 'path' | 'body' | 'queue';

/** Tells of every request that is refused, and passes it on. */
export function observeRefusals(observe: (reason: RefusalReason) => void): ErrorRequestHandler {
  return (error: unknown, _request, _response, next) => {
    observe(reasonOf(toHttpError(error).status));
    next(error);
  };
}

function reasonOf(status: number): RefusalReason {
  if (status === 401) return 'token';
  if (status === 404 || status === 405) return 'path';
  return status >= 500 ? 'queue' : 'body';
}
