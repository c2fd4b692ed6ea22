import { finished, type Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { type ReceivedRequest, HttpError } from './exchange.ts';
import type { Admission } from './admit.ts';
import { whyTooMuch } from '../../shared/model/json.ts';

/** The status of a request whose sender hung up, or was too slow: the log has it, and nobody gets it (as in nginx). */
export const HUNG_UP = 499;

type BodyRequest = Pick<ReceivedRequest, 'headers' | 'body'>;

/** A body that says that it is shorter, or that may not be longer, is not waited for. */
const LARGE_BYTES = 1_000_000;
/** The most bytes of small bodies that a process holds at a time. What would be more waits as large ones do. */
const MOST_SMALL_BYTES = 32_000_000;
/** The time to send a large body, while others wait. */
const SEND_MS = 10_000;

interface BodyLimits {
  /** The most bytes, counted as they come and as they unpack. */
  readonly limit: number;
  /** Whose body it is: where several wait, each sender has its turn. */
  readonly sender?: string;
  readonly sendMs?: number;
}

/** Reads and unpacks a body for `use`; large ones one at a time, as each may take 100 MB. Throws HttpError 413, 415, 400, and what `use` throws. */
export async function readBody<T>(
  request: BodyRequest,
  { limit, sender = '', sendMs = SEND_MS }: BodyLimits,
  use: (body: Buffer) => T,
): Promise<T> {
  const open = howToUnpack(request, limit);
  const length = Math.min(limit, Number(request.headers['content-length'] ?? limit));
  if (!isLarge(request, limit) && smallBytes + length <= MOST_SMALL_BYTES) {
    smallBytes += length;
    try {
      return use(await collect(request.body, open, limit));
    } finally {
      smallBytes -= length;
    }
  }
  await large.begin(sender);
  const late = setTimeout(() => request.body.destroy(), sendMs);
  try {
    return use(await collect(request.body, open, limit));
  } finally {
    clearTimeout(late);
    large.end();
  }
}

class OneAtATime {
  readonly #waiting = new Map<string, (() => void)[]>();
  #isBusy = false;

  async begin(sender: string): Promise<void> {
    if (!this.#isBusy) this.#isBusy = true;
    else
      await new Promise<void>((resolve) => {
        this.#waiting.set(sender, [...(this.#waiting.get(sender) ?? []), resolve]);
      });
  }

  end(): void {
    const [next] = this.#waiting;
    this.#isBusy = next !== undefined;
    if (!next) return;
    const [sender, [begin, ...others]] = next;
    this.#waiting.delete(sender);
    if (others.length > 0) this.#waiting.set(sender, others);
    begin?.();
  }
}

/** Shared by all requests of the process: the memory is, too. */
const large = new OneAtATime();
let smallBytes = 0;

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
      if (error) refuse(new HttpError(HUNG_UP, 'the connection ended before the whole body had come'));
    });
    finished(source, { writable: false }, (error) => {
      if (!error) resolve(Buffer.concat(parts, size));
      else if (source !== body)
        refuse(new HttpError(400, 'the body does not have the Content-Encoding that its header names'));
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
