import { looksAfterServices } from '../../shared/config/config.ts';
import { CLOSING_MS, inTime } from '../../shared/deadline.ts';
import type { Report } from '../../shared/model/outcome.ts';
import { scopeOf, type ReconcileRequest, type SweepScope } from '../../shared/model/request.ts';
import type { Budget } from '../../shared/ports.ts';
import { sweep, type Sweep } from '../../shared/sweep.ts';
import { invocationTime, LEAST_RUN_MS, type InvocationTime } from '../budget.ts';
import { sweptLine } from '../log.ts';
import { functionClusters } from './clusters/clusters.ts';
import { connectedFunction, type ConnectedFunction } from './connected.ts';
import { log as functionLog } from './function-log.ts';
import { metrics } from './function-metrics.ts';
import { asFunction } from './invocation.ts';
import { keyQueue, sendSlowly } from './key-queue.ts';

/** The worker's run of a key that a sweep answers. What it has no time to send the same key finds once more. Throws if a controller found out nothing. */
export async function runSweep(
  request: ReconcileRequest,
  to: ConnectedFunction,
  time: InvocationTime,
): Promise<Report> {
  const found = await sweepAndSend(scopeOf(request.key), to, time, LEAST_RUN_MS);
  if (found.failed !== undefined) throw new Error(`the sweep failed: ${found.failed}`);
  if (found.unsent > 0) {
    const { cause: _, ...again } = request;
    await keyQueue(to.env)
      .during(time.sending)
      .send([{ request: again }]);
  }
  return {
    ...{ request, outcome: { status: 'settled' }, applied: [] },
    ...{ durationMs: 0, calls: 0, failedRequestIds: [] },
  };
}

/** Sweeps in half of the time, and sends what needs work in the other half. */
async function sweepAndSend(
  scope: SweepScope,
  { world, env, log }: ConnectedFunction,
  time: InvocationTime,
  spareMs: number,
): Promise<Sweep & { readonly unsent: number }> {
  const half = halfOf(time.runs);
  const sweeping = sweep(world, scope, half);
  const found = await inTime(sweeping, 'sweep', half.remainingMs() + CLOSING_MS).catch((error: unknown) => {
    metrics.observeSweep('failed');
    throw error;
  });
  metrics.observeSweep(reasonOf(found, world) === undefined ? 'found' : 'failed');
  if (found.loadBalancersByState) metrics.setLoadBalancers(found.loadBalancersByState);
  for (const warning of found.warnings) log.warn(warning);
  const { requests, nodesWithoutAddress } = found;
  const { length: unsent } = await sendSlowly(requests, keyQueue(env), time, spareMs);
  log.info('swept', { ...sweptLine(found), nodes_without_address: nodesWithoutAddress, unsent });
  return { ...found, unsent };
}

function halfOf(time: Budget): Budget {
  const keptMs = time.remainingMs() / 2;
  return { remainingMs: () => Math.max(0, time.remainingMs() - keptMs) };
}

/** Why a sweep of everything did not end well; undefined if it did. */
function reasonOf(found: Sweep, { config }: ConnectedFunction['world']): string | undefined {
  if (found.failed !== undefined) return found.failed;
  const unread = [
    ...(looksAfterServices(config) && !found.loadBalancersByState ? ['load balancers'] : []),
    ...(found.nodes > 0 && found.nodesCompared === 0 ? ['servers'] : []),
  ];
  if (unread.length === 0) return undefined;
  return `the ${unread.join(' and ')} cannot be read: ${found.warnings.join('; ')}`;
}

/** What the schedule leaves of its 300 s: 2,000 keys and more were sent by then, and the next tick sends the others. */
const SPARE_MS = 40_000;

/** Sweeps everything, or has the worker sweep each cluster of a registry. Throws when a side could not be read, for the alarm about sweeps. */
export const handler = asFunction(async (_event: unknown, context) => {
  const time = invocationTime(context);
  const clusters = await functionClusters();
  if (clusters) {
    const names = await clusters.names(() => time.runs.remainingMs());
    const requests = names.map((cluster) => ({ key: 'all', cluster, trigger: 'sweep' }) as const);
    const { length: unsent } = await sendSlowly(requests, keyQueue(process.env), time, SPARE_MS);
    if (unsent > 0)
      throw new Error(`the function ran out of time: ${unsent} of ${names.length} sweeps were not sent`);
    functionLog.info('the sweeps of all clusters are queued', { clusters: names.length });
    return;
  }
  const to = await connectedFunction();
  const reason = reasonOf(await sweepAndSend({}, to, time, SPARE_MS), to.world);
  if (reason !== undefined) throw new Error(`the sweep failed: ${reason}`);
});
