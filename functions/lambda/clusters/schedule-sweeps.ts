import type { SQSRecord } from 'aws-lambda';
import { withDeadline } from '../../../shared/deadline.ts';
import { isClusterName, type ReconcileRequest } from '../../../shared/model/request.ts';
import type { InvocationTime } from '../../budget.ts';
import { shareOf } from '../../clusters/timetable.ts';
import { log } from '../function-log.ts';
import { backgroundQueue } from '../queues.ts';
import { sourceOfFunction } from './source-of-function.ts';

/** That of the schedule in serverless.yml. */
const INTERVAL_MS = 300_000;

/**
 * Sends the sweep of each cluster to the background queue, where it waits for the cluster's moment in the interval. The interval
 * begins with the schedule: by the time of day one that starts a second late would leave out who was due in that second. Throws
 * when the names cannot be read, or a message is refused.
 */
export async function scheduleSweeps(env: NodeJS.ProcessEnv, time: InvocationTime): Promise<void> {
  const found = await withDeadline(time.runs, () => sourceOfFunction(env).names());
  const names = found.filter(isClusterName).sort();
  for (const name of found.filter((one) => !isClusterName(one)))
    log.warn('an entry is not served: give it a label of DNS for a name, such as prod-a', { entry: name });
  const messages = names.map((cluster) => ({
    request: { key: 'all', cluster, trigger: 'sweep' } as const,
    attempt: 0,
    delayMs: shareOf(cluster) * INTERVAL_MS,
  }));
  await withDeadline(time.sending, () => backgroundQueue(env).sendDelayed(messages));
  log.info('the sweeps of all clusters wait for their moments', { clusters: names.length });
}

/** Whether a message is the sweep of a cluster by the schedule. */
export function isScheduled({ key, trigger }: ReconcileRequest): boolean {
  return key === 'all' && trigger === 'sweep';
}

/** Whether its moment was an interval ago, so that the schedule has sent its successor. */
export function isIntervalLate(cluster: string, { attributes }: SQSRecord): boolean {
  const dueMs = Number(attributes.SentTimestamp) + shareOf(cluster) * INTERVAL_MS;
  return Date.now() - dueMs >= INTERVAL_MS;
}
