import type { Report } from '../model/outcome.ts';
import { Chain } from './chain.ts';
import type { QueuedWork } from './queued-work.ts';
import { requeueDelayMs } from './scheduling.ts';

/**
 * What a durable queue keeps for a key after its run: the key comes back after `delayMs` if it is not done, or when its
 * first member has drained. Undefined: nothing is left to do.
 */
export function nextWork(
  work: QueuedWork,
  report: Pick<Report, 'outcome' | 'applied' | 'desired' | 'drainedInMs'>,
  random: () => number,
): (QueuedWork & { readonly delayMs: number }) | undefined {
  const { outcome, drainedInMs } = report;
  const request = { ...work.request, trigger: 'requeue' } as const;
  const chain = new Chain(work.request.trigger, work);
  const delayMs = requeueDelayMs(outcome, chain.note(report), random);
  if (delayMs === undefined)
    return drainedInMs === undefined ? undefined : { request, attempt: 0, delayMs: drainedInMs };
  const waitingFor = outcome.status === 'progressing' ? outcome.waitingFor : undefined;
  return { request, ...chain.state, ...(waitingFor !== undefined && { waitingFor }), delayMs };
}
