import { raw, Router, type Request, type RequestHandler } from 'express';
import { HttpError } from './http-error.ts';
import { whyTooMuch } from './json-size.ts';
import { oneLargeBody } from './large-bodies.ts';

/**
 * A batch of 400 events at level RequestResponse can be this long (docs/sources/kubernetes.md, "Audit webhook"); the
 * apiserver cuts there too.
 */
const LONGEST_BATCH = 10 * 2 ** 20;

/** 415 unless the body has one of these media types. Parameters such as charset do not count: JSON is UTF-8. */
export function requireMediaType(...types: readonly string[]): RequestHandler {
  return (request, _response, next) => {
    const type = mediaType(request);
    if (!types.includes(type)) {
      throw new HttpError(415, `the body must be ${types.join(' or ')}, not ${type || 'without a type'}`);
    }
    next();
  };
}

export function mediaType(request: Request): string {
  return (request.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

/** Reads the body to a Buffer and unpacks gzip. 413 if the result has more bytes than `limit`. */
export function readBody(limit = LONGEST_BATCH): RequestHandler {
  return Router().use(oneLargeBody(), raw({ limit, type: () => true }));
}

/** The body as JSON, after `readBody`. 422 if it is no JSON, or more than a parser should be given. */
export function jsonBody(request: Request): unknown {
  const body: unknown = request.body;
  if (!Buffer.isBuffer(body) || body.length === 0) throw new HttpError(422, 'the body is empty');
  const tooMuch = whyTooMuch(body);
  if (tooMuch !== undefined) throw new HttpError(422, tooMuch);
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    // The parser's own message quotes the body, which may be the manifest of a Secret.
    throw new HttpError(422, 'the body is not JSON in UTF-8');
  }
}
