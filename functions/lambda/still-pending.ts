import { requeueDelayMs } from '../../shared/queue/scheduling.ts';
import { pendingLoadBalancers } from '../../shared/queue/pending-poller.ts';
import type { FunctionWorld } from './connected.ts';
import type { Group } from './groups.ts';

/**
 * Of a batch of requeued keys, those whose load balancer Octavia still works on are sent back to wait, all judged by one
 * list call; the rest is returned. Of one that cannot be judged, or sent back, the run itself will tell.
 */
export async function sendPendingBack(
  groups: readonly Group[],
  to: FunctionWorld,
): Promise<readonly Group[]> {
  const waits = ({ work }: Group): boolean => work.waitingFor !== undefined;
  if (!groups.some(waits)) return groups;
  try {
    const pending = await pendingLoadBalancers(to.world.cloud, await to.cluster());
    const busy = groups.filter((group) => waits(group) && pending.has(group.work.waitingFor ?? ''));
    await to.background.sendDelayed(
      busy.map(({ work }) => ({ ...work, attempt: work.attempt + 1, delayMs: delayMs(work.attempt) })),
    );
    return groups.filter((group) => !busy.includes(group));
  } catch (error) {
    to.log.warn('cannot list the load balancers that are waited for', { error: String(error) });
    return groups;
  }
}

function delayMs(attempt: number): number {
  const outcome = { status: 'progressing', reason: '', retryAfterMs: 1_000 } as const;
  return requeueDelayMs(outcome, attempt, Math.random) ?? 0;
}
