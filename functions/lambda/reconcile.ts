import type { SQSEvent } from 'aws-lambda';
import { setTimeout as pause } from 'node:timers/promises';
import { forgetCluster } from '../../shared/begin-run.ts';
import { forgetNodes } from '../../shared/observe/reads.ts';
import type { ClusterIdentity } from '../../shared/model/ownership.ts';
import { isObjectKey, type ReconcileRequest } from '../../shared/model/request.ts';
import { BusyLoadBalancers } from '../../shared/queue/busy-load-balancers.ts';
import { CountedSlots } from '../../shared/queue/slots.ts';
import { readMessage, type QueuedWork } from '../../shared/queue/queued-work.ts';
import { invocationTime, MONOTONIC, type InvocationTime } from '../budget.ts';
import { functionClusters } from './clusters/clusters.ts';
import type { NotServed } from './clusters/function-clusters.ts';
import { connectedFunction, type ConnectedFunction } from './connected.ts';
import { log } from './function-log.ts';
import { metrics } from './function-metrics.ts';
import { asFunction } from './invocation.ts';
import { keyQueue, untilBegunMs } from './key-queue.ts';
import { runKey } from './run-key.ts';
import { stayWithKey, type Left } from './stay-with-key.ts';
import { runSweep } from './sweep.ts';

/** For so long SQS shows a message to nobody else: longer than the function's timeout, and what a worker costs that died. */
const VISIBILITY_S = 75;
/** What Octavia has had for longer is left to the sweep. */
const LONGEST_BUSY_MS = 10 * 60_000;
/** That of the schedule in serverless.yml. */
const INTERVAL_MS = 300_000;

/** The worker stays with its key until it is settled, blocked, or failed three times. When it throws, SQS shows the message again. */
export const handler = asFunction(async ({ Records: [record] }: SQSEvent, context): Promise<void> => {
  if (!record) return;
  const time = invocationTime(context);
  const queue = keyQueue(process.env).during(time.sending);
  try {
    await queue.hide(record.receiptHandle, VISIBILITY_S);
    const work = readMessage(record.body);
    if ('unreadable' in work) {
      const { messageId, attributes } = record;
      metrics.observeMessages('unreadable', 1);
      log.error('a message cannot be read: the next sweep finds what it was about', {
        ...{ messageId, groupId: attributes.MessageGroupId, reason: work.unreadable },
      });
      return;
    }
    const again = await workOn(work, Number(record.attributes.SentTimestamp), time);
    time.close();
    // by this id a message sends one other, however often it is sent or received
    if (again) await triedAgain(() => queue.send([again], () => record.messageId));
  } finally {
    time.close();
  }
});

async function workOn(
  { request, busySinceMs = Date.now() }: QueuedWork,
  sentAtMs: number,
  time: InvocationTime,
): Promise<QueuedWork | undefined> {
  const { key, cluster, trigger } = request;
  if (key === 'all' && trigger === 'sweep' && Date.now() - sentAtMs >= INTERVAL_MS) {
    log.warn('a sweep is an interval late: the next one is there, and nothing was done', { cluster });
    return undefined;
  }
  const to = await connectedFor(request);
  const left = typeof to === 'string' ? to : await stay(request, untilBegunMs(request, sentAtMs), to, time);
  if (left === 'busy' && Date.now() - busySinceMs < LONGEST_BUSY_MS)
    return { request: { ...request, trigger: 'requeue' }, busySinceMs };
  if (left === 'group') return { request: { ...request, trigger: 'requeue', inGroup: true } };
  if (left === 'done') return undefined;
  log.warn('the next sweep goes on with a key', { object: key, cluster, left });
  if (left === 'failed') metrics.observeMessages('failed', 1);
  return undefined;
}

async function stay(
  request: ReconcileRequest,
  delayMs: number,
  to: ConnectedFunction,
  time: InvocationTime,
): Promise<Left> {
  const { world, log: ofCluster } = to;
  const { cloud, config } = world;
  forgetNodes(world); // the message may follow from a change of a Node since the last invocation
  forgetCluster(world);
  world.memory.loadBalancers.relyOnNothing(); // another worker may have written since
  const cluster = (): Promise<ClusterIdentity> => to.cluster();
  const busy = new BusyLoadBalancers({ cloud, cluster, clock: MONOTONIC, log: ofCluster });
  try {
    return await stayWithKey(request, delayMs, {
      ...{ busy, slots: new CountedSlots(config.concurrentLoadBalancers, cloud), time: time.runs },
      run: (one, mayCreate) =>
        isObjectKey(one.key) ? runKey(one, to, time, mayCreate) : runSweep(one, to, time),
    });
  } finally {
    busy.stop();
  }
}

async function connectedFor({
  key,
  cluster,
}: ReconcileRequest): Promise<ConnectedFunction | 'done' | 'failed'> {
  let left: 'done' | 'failed' = 'failed';
  try {
    const found = await triedAgain(() => connectionsOf(cluster));
    if (!('notServed' in found)) return found;
    const fields = { object: key, cluster, reason: found.notServed };
    log.warn('a message is about a cluster that is not served: nothing was done', fields);
    left = 'done';
  } catch (error) {
    log.error('the function has no connections, so it leaves this message undone', {
      cluster,
      error: String(error),
    });
  }
  if (key === 'all') metrics.observeSweep('failed');
  return left;
}

async function connectionsOf(cluster: string | undefined): Promise<ConnectedFunction | NotServed> {
  const clusters = await functionClusters();
  if (clusters) return clusters.find(cluster ?? '');
  return cluster === undefined
    ? connectedFunction()
    : { notServed: 'this deployment serves one without a name' };
}

/** After 1 and 2 s, as a run that fails. */
async function triedAgain<T>(attempt: () => Promise<T>): Promise<T> {
  for (let waitMs = 1_000; ; waitMs *= 2)
    try {
      return await attempt();
    } catch (error) {
      if (waitMs > 2_000) throw error;
      await pause(waitMs);
    }
}
