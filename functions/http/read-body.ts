import { finished, type Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { type ReceivedRequest, HttpError } from './exchange.ts';

/** The status of a request whose sender hung up, or was too slow: the log has it, and nobody gets it (as in nginx). */
export const HUNG_UP = 499;

type BodyRequest = Pick<ReceivedRequest, 'headers' | 'body'>;

/** The most bytes of bodies that a process holds at a time, counted as they unpack, and that it holds of one sender. */
const MOST_HELD = 64 * 2 ** 20;
const MOST_OF_ONE = 21 * 2 ** 20;

interface BodyLimits {
  /** The most bytes, counted as they come and as they unpack. */
  readonly limit: number;
  /** Whose body it is: one that sends much takes no room from others. */
  readonly sender?: string;
}

/** Shared by all requests of the process: the memory is, too. */
const held = new Map<string, number>();

/** Reads and unpacks a body for `use`. Throws HttpError 413, 415, 400, 503 while too many come at once, and what `use` throws. */
export async function readBody<T>(
  request: BodyRequest,
  { limit, sender = '' }: BodyLimits,
  use: (body: Buffer) => T,
): Promise<T> {
  const open = howToUnpack(request, limit);
  let size = 0;
  const hold = (bytes: number): void => {
    size += bytes;
    const its = (held.get(sender) ?? 0) + bytes;
    held.set(sender, its);
    if (size > limit) throw tooLong(limit);
    const all = [...held.values()].reduce((sum, one) => sum + one, 0);
    if (its > MOST_OF_ONE || all > MOST_HELD) throw tooMany();
  };
  try {
    return use(await collect(request.body, open, hold));
  } finally {
    const left = (held.get(sender) ?? 0) - size;
    if (left > 0) held.set(sender, left);
    else held.delete(sender);
  }
}

type Unpack = (body: Readable) => Readable;

const UNPACK: Readonly<Record<string, Unpack | undefined>> = {
  identity: (body) => body,
  gzip: (body) => body.pipe(createGunzip()),
  'x-gzip': (body) => body.pipe(createGunzip()),
  deflate: (body) => body.pipe(createInflate()),
  br: (body) => body.pipe(createBrotliDecompress()),
};

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

/** All bytes of a body. The rest of a refused one flows on unread, so that the sender hears the answer. */
function collect(body: Readable, unpack: Unpack, hold: (bytes: number) => void): Promise<Buffer> {
  const source = unpack(body);
  const parts: Buffer[] = [];
  return new Promise<Buffer>((resolve, reject) => {
    const refuse = (error: unknown): void => {
      source.off('data', take);
      body.unpipe();
      body.resume();
      if (source !== body) source.destroy();
      reject(error instanceof Error ? error : new Error(String(error)));
    };
    const take = (part: Buffer): void => {
      try {
        hold(part.length);
        parts.push(part);
      } catch (error) {
        refuse(error);
      }
    };
    source.on('data', take);
    finished(body, { writable: false }, (error) => {
      if (error) refuse(new HttpError(HUNG_UP, 'the body ended before it was whole'));
    });
    finished(source, { writable: false }, (error) => {
      if (!error) resolve(Buffer.concat(parts));
      else if (source !== body)
        refuse(new HttpError(400, 'the body is not packed as its Content-Encoding says'));
    });
  });
}

function encodingOf(headers: BodyRequest['headers']): string {
  return (headers['content-encoding'] ?? 'identity').trim().toLowerCase();
}

function tooLong(limit: number): HttpError {
  const length = limit >= 2 ** 20 ? `${limit / 2 ** 20} MB` : `${limit / 2 ** 10} kB`;
  return new HttpError(413, `the body is longer than ${length}`);
}

function tooMany(): HttpError {
  const message = 'too many bodies come at once: send it again';
  return new HttpError(503, message, { headers: { 'Retry-After': '2' } });
}
