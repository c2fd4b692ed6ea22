import { isClusterName } from '../../../shared/model/request.ts';
import type { InvocationTime } from '../../budget.ts';
import { log } from '../function-log.ts';
import { keyQueue, sendSlowly } from '../key-queue.ts';
import { sourceOfFunction } from './source-of-function.ts';

/** Sends the sweep of each cluster to the worker, by their names. Throws when the names cannot be read, or a message is refused. */
export async function scheduleSweeps(
  env: NodeJS.ProcessEnv,
  time: InvocationTime,
  spareMs: number,
): Promise<void> {
  const found = await sourceOfFunction(env).names(() => time.runs.remainingMs());
  const names = found.filter(isClusterName).sort();
  for (const name of found.filter((one) => !isClusterName(one)))
    log.warn('an entry is not served: give it a label of DNS for a name, such as prod-a', { entry: name });
  const requests = names.map((cluster) => ({ key: 'all', cluster, trigger: 'sweep' }) as const);
  const { length: unsent } = await sendSlowly(requests, keyQueue(env), time, spareMs);
  if (unsent > 0) throw new Error(`the time ended before ${unsent} of ${names.length} sweeps were sent`);
  log.info('the sweeps of all clusters are queued', { clusters: names.length });
}
