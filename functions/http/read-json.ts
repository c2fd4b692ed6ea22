import type { Admission } from './admit.ts';
import { type ReceivedRequest, HttpError } from './exchange.ts';
import { whyTooMuch } from '../../shared/model/text/json-size.ts';

/** 415 unless the body has one of these media types. Parameters such as charset do not count: JSON is UTF-8. */
export function requireMediaType(...types: readonly string[]): Admission {
  return (request) => {
    const type = mediaType(request);
    if (types.includes(type)) return undefined;
    return new HttpError(415, `the body must be ${types.join(' or ')}, not ${type || 'without a type'}`);
  };
}

export function mediaType({ headers }: Pick<ReceivedRequest, 'headers'>): string {
  return (headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

/** A body as JSON. 422 if it is no JSON, or more than a parser should be given. */
export function parseBody(body: Buffer): unknown {
  if (body.length === 0) throw new HttpError(422, 'the body is empty');
  const tooMuch = whyTooMuch(body);
  if (tooMuch !== undefined) throw new HttpError(422, tooMuch);
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    // The parser's own message quotes the body, which may be the manifest of a Secret.
    throw new HttpError(422, 'the body is not JSON in UTF-8');
  }
}
