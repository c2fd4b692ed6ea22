import type { RequestHandler, Request } from 'express';

/** A body that says that it is shorter is not waited for. */
const LARGE_BYTES = 1_000_000;
/** The time to send a large body, while others wait. */
const SEND_MS = 10_000;

/** Large bodies pass one at a time, from the first byte to the answer: each may take a hundred MB of memory meanwhile. */
export function oneLargeBody(sendMs = SEND_MS): RequestHandler {
  let last = Promise.resolve();
  return async (request, response, next) => {
    if (!isLarge(request)) {
      next();
      return;
    }
    const before = last;
    last = before.then(
      () =>
        new Promise<void>((resolve) => {
          if (response.destroyed || response.closed) resolve();
          else response.once('close', resolve).once('finish', resolve);
        }),
    );
    await before;
    const late = setTimeout(() => {
      request.destroy();
    }, sendMs);
    const sent = (): void => {
      clearTimeout(late);
    };
    request.once('end', sent).once('close', sent);
    next();
  };
}

/** What is packed, or says nothing about its length, may be large. */
function isLarge({ headers }: Request): boolean {
  const {
    'content-encoding': encoding = 'identity',
    'content-length': length,
    'transfer-encoding': chunked,
  } = headers;
  return encoding !== 'identity' || chunked !== undefined || Number(length ?? 0) > LARGE_BYTES;
}
