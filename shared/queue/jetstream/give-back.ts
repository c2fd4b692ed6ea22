import { queueKeyOf } from '../../model/request.ts';
import type { Log } from '../../ports.ts';
import type { QueuedWork } from '../queued-work.ts';
import type { Session } from './session.ts';

/** A key comes back so soon when too many runs of its cluster go on here, or that does not answer. */
const AGAIN_MS = 5_000;
/**
 * A key comes back so soon whose cluster is not served here, and so often, two minutes in all: its entry may be newer than what this
 * process has read.
 */
const NOT_SERVED = { firstMs: 1_000, longestMs: 30_000, most: 8 };

/**
 * Has a key come back that cannot run here now, since a message that waits would hold its partition. A key whose cluster nobody
 * serves is done in the end: the first sweep of whoever serves it finds what was to be done.
 */
export async function giveBack(
  session: Pick<Session, 'schedule'>,
  work: QueuedWork,
  why: 'not served' | 'too many' | 'no answer',
  log: Pick<Log, 'warn'>,
): Promise<void> {
  const { returned = 0, request } = work;
  if (why !== 'not served') await session.schedule(work, AGAIN_MS);
  else if (returned < NOT_SERVED.most) {
    const delayMs = Math.min(NOT_SERVED.longestMs, NOT_SERVED.firstMs * 2 ** returned);
    await session.schedule({ ...work, returned: returned + 1 }, delayMs);
  } else log.warn('a key is done without a run: nobody serves its cluster', { object: queueKeyOf(request) });
}
