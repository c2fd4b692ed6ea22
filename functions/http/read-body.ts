import { finished, type Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import type { HttpRequest } from './exchange.ts';
import { HttpError } from './http-error.ts';
import { HUNG_UP } from './refusals.ts';

/** Reads and unpacks a body, and gives it to `use`. Throws HttpError 413, 415 and 400, and what `use` throws. */
export type ReadBody = <T>(request: BodyRequest, use: (body: Buffer) => T) => Promise<T>;

type BodyRequest = Pick<HttpRequest, 'headers' | 'body'>;

/** A body that says that it is shorter, or that may not be longer, is not waited for. */
const LARGE_BYTES = 1_000_000;
/** The time to send a large body, while others wait. */
const SEND_MS = 10_000;

/**
 * Reads bodies of at most `limit` bytes, counted as they come and as they unpack. Large ones pass one at a time, from the
 * first byte until `use` has returned: each may take a hundred MB of memory meanwhile.
 */
export function bodyReader(limit: number, sendMs = SEND_MS): ReadBody {
  let last: Promise<unknown> = Promise.resolve();
  return async (request, use) => {
    const open = howToUnpack(request, limit);
    if (!isLarge(request, limit)) return use(await collect(request.body, open, limit));
    const mine = last.then(async () => {
      const late = setTimeout(() => request.body.destroy(), sendMs);
      const body = await collect(request.body, open, limit).finally(() => {
        clearTimeout(late);
      });
      return use(body);
    });
    last = mine.catch(() => undefined);
    return mine;
  };
}

type Unpack = (body: Readable) => Readable;

const UNPACK: Readonly<Record<string, Unpack | undefined>> = {
  identity: (body) => body,
  gzip: (body) => body.pipe(createGunzip()),
  'x-gzip': (body) => body.pipe(createGunzip()),
  deflate: (body) => body.pipe(createInflate()),
  br: (body) => body.pipe(createBrotliDecompress()),
};

/** Refuses what the headers alone tell. */
function howToUnpack({ headers }: BodyRequest, limit: number): Unpack {
  const encoding = encodingOf(headers);
  const unpack = Object.hasOwn(UNPACK, encoding) ? UNPACK[encoding] : undefined;
  if (!unpack) {
    const known = Object.keys(UNPACK).join(', ');
    throw new HttpError(415, `the Content-Encoding ${JSON.stringify(encoding)} is not one of ${known}`);
  }
  if (encoding === 'identity' && Number(headers['content-length'] ?? 0) > limit) throw tooLong(limit);
  return unpack;
}

/** All bytes of a body. What is left of one that is refused flows on unread, so that the sender hears the answer. */
function collect(body: Readable, unpack: Unpack, limit: number): Promise<Buffer> {
  const source = unpack(body);
  const parts: Buffer[] = [];
  let size = 0;
  return new Promise<Buffer>((resolve, reject) => {
    const refuse = (error: unknown): void => {
      source.off('data', take);
      body.unpipe();
      body.resume();
      if (source !== body) source.destroy();
      reject(error instanceof Error ? error : new Error(String(error)));
    };
    const take = (part: Buffer): void => {
      size += part.length;
      if (size > limit) refuse(tooLong(limit));
      else parts.push(part);
    };
    source.on('data', take);
    finished(body, { writable: false }, (error) => {
      if (error) refuse(new HttpError(HUNG_UP, 'the body ended before it was whole'));
    });
    finished(source, { writable: false }, (error) => {
      if (!error) resolve(Buffer.concat(parts, size));
      else if (source !== body)
        refuse(new HttpError(400, 'the body is not packed as its Content-Encoding says'));
    });
  });
}

/** What is packed, or says nothing about its length, may be large, unless the limit is small. */
function isLarge({ headers }: BodyRequest, limit: number): boolean {
  if (limit <= LARGE_BYTES) return false;
  const { 'content-length': length, 'transfer-encoding': chunked } = headers;
  return encodingOf(headers) !== 'identity' || chunked !== undefined || Number(length ?? 0) > LARGE_BYTES;
}

function encodingOf(headers: BodyRequest['headers']): string {
  return (headers['content-encoding'] ?? 'identity').trim().toLowerCase();
}

function tooLong(limit: number): HttpError {
  const length = limit >= 2 ** 20 ? `${limit / 2 ** 20} MB` : `${limit / 2 ** 10} kB`;
  return new HttpError(413, `the body is longer than ${length}`);
}
