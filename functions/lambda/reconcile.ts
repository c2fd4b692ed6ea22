import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { withDeadline } from '../../shared/deadline.ts';
import { forgetNodes } from '../../shared/memory/listed-nodes.ts';
import { isUnit, scopeOf } from '../../shared/model/request.ts';
import { invocationTime, timeOfKey, type InvocationTime } from '../budget.ts';
import { functionClusters } from './clusters/clusters.ts';
import type { FunctionClusters, NotServed } from './clusters/function-clusters.ts';
import { functionWorld, withQueues, type FunctionWorld } from './connected.ts';
import { log } from './function-log.ts';
import { metrics } from './function-metrics.ts';
import { giveBack } from './give-back.ts';
import { groupRecords, type Group, type Poison } from './groups.ts';
import { asFunction } from './invocation.ts';
import { backgroundQueue, deadLettersOf } from './queues.ts';
import { runWork, sendFor, sendPendingBack } from './run-work.ts';
import { runSweep } from './sweep.ts';

/**
 * The worker of both queues: one run for each key, keys in parallel. What no program of this version can read goes to the
 * dead letter queue at once. A message fails only if nothing can be run, if its sweep failed, or if its key could
 * not be requeued. SQS then delivers it again, within seconds at first.
 */
export const handler = asFunction(async (event: SQSEvent, context): Promise<SQSBatchResponse> => {
  const time = invocationTime(context);
  const { groups, poison } = groupRecords(event.Records);
  const [kept, failed] = await Promise.all([
    withDeadline(time.sending, () => setAside(poison)),
    runAll(groups, time),
  ]);
  const again = [...kept, ...failed];
  metrics.observeMessages('again', again.length);
  metrics.observeMessages('dead', poison.length - kept.length);
  if (again.length > 0) await withDeadline(time.givingBack, () => giveBack(again, log));
  return { batchItemFailures: again.map(({ messageId }) => ({ itemIdentifier: messageId })) };
});

/** Returns the messages that SQS must deliver again. */
async function runAll(groups: readonly Group[], time: InvocationTime): Promise<readonly SQSRecord[]> {
  if (groups.length === 0) return [];
  try {
    const clusters = await withDeadline(time.runs, functionClusters);
    if (clusters) return await runInClusters(groups, clusters, time);
    const world = await withDeadline(time.runs, functionWorld);
    return await runIn(world, groups.filter(isOfTheOnlyCluster), time);
  } catch (error) {
    log.error('nothing can be run: the function has no connections', { error: String(error) });
    return groups.flatMap(({ records }) => records);
  }
}

/** Whether a message names no cluster. Another deployment, or this one as it was set up before, may have sent one that does. */
function isOfTheOnlyCluster({ work }: Group): boolean {
  const { key, cluster } = work.request;
  if (cluster === undefined) return true;
  log.warn('a message is about a cluster that is not served: nothing was done', { object: key, cluster });
  return false;
}

/** Returns the messages that SQS must deliver again. Throws before any run. */
async function runIn(
  world: FunctionWorld,
  groups: readonly Group[],
  time: InvocationTime,
): Promise<readonly SQSRecord[]> {
  // the messages may follow from a change of a Node since the last invocation
  forgetNodes(world.world);
  const due = await withDeadline(time.sending, () => sendPendingBack(groups, world));
  return (await Promise.all(due.map((group) => runGroup(group, world, time)))).flat();
}

/** The same for several clusters, of which none waits for another one. Never throws. */
async function runInClusters(
  groups: readonly Group[],
  clusters: FunctionClusters,
  time: InvocationTime,
): Promise<readonly SQSRecord[]> {
  const { isIntervalLate, isScheduled } = await import('./clusters/schedule-sweeps.ts');
  const due = groups.filter(({ work: { request }, records }) => {
    const { cluster = '' } = request;
    if (!isScheduled(request) || !records.every((record) => isIntervalLate(cluster, record))) return true;
    log.warn('a sweep is an interval late: the next one is there, and nothing was done', { cluster });
    return false;
  });
  const ofEach = [...Map.groupBy(due, ({ work }) => work.request.cluster ?? '')];
  const failed = ofEach.map(async ([cluster, own]) => {
    try {
      const found = await withDeadline(time.runs, () => clusters.find(cluster));
      if (!('notServed' in found)) return await runIn(withQueues(found), own, time);
      await withDeadline(time.sending, () => leave(own, found));
      return [];
    } catch (error) {
      log.error('nothing can be run for a cluster: its messages come again', {
        cluster,
        error: String(error),
      });
      return own.flatMap(({ records }) => records);
    }
  });
  return (await Promise.all(failed)).flat();
}

/**
 * What is queued for a cluster for which nothing is run now: it is sent again where that passes by itself, and done where the
 * registry has to change, since the first sweep then finds it.
 */
async function leave(groups: readonly Group[], { notServed: reason, again }: NotServed): Promise<void> {
  const againInMs = again && again.atMs - Date.now();
  for (const { work } of groups) {
    const { key, cluster } = work.request;
    const fields = { object: key, cluster, reason, again_in_ms: againInMs };
    if (!again) log.warn('a message is about a cluster that is not served: nothing was done', fields);
    else log.warn('a cluster does not answer: nothing was done yet', fields);
    if (key === 'all') metrics.observeSweep('failed');
  }
  if (!again) return;
  const { atMs, world } = again;
  const to = { world, background: backgroundQueue(process.env) };
  const left = groups.filter(({ work }) => work.request.key !== 'all'); // the schedule sends another sweep
  await Promise.all(left.map(({ work }) => sendFor(atMs, work, to)));
}

/** Returns the messages that SQS must deliver again. */
async function runGroup(
  { work, records }: Group,
  world: FunctionWorld,
  time: InvocationTime,
): Promise<readonly SQSRecord[]> {
  const { key } = work.request;
  try {
    if (isUnit(key)) await runWork(work, world, world.world.cluster === undefined ? time : timeOfKey(time));
    else await runSweep({ scope: scopeOf(key), attempt: work.attempt }, world, time);
    return [];
  } catch (error) {
    world.log.error('the key could not be worked on, or not be queued again', {
      object: key,
      error: String(error),
    });
    return records;
  }
}

/** Sends messages to the dead letter queue of their queue. Returns those for which that failed. */
async function setAside(poison: readonly Poison[]): Promise<readonly SQSRecord[]> {
  const sent = poison.map(async ({ record, reason }) => {
    const { body, messageId, attributes, eventSourceARN } = record;
    const fields = { message: messageId, group: attributes.MessageGroupId, reason };
    try {
      const groupId = attributes.MessageGroupId;
      await deadLettersOf(eventSourceARN, process.env).sendDeadLetter({
        ...{ body, messageId, reason },
        ...(groupId !== undefined && { groupId }),
      });
      log.error('a message that cannot be read went to the dead letter queue', fields);
      return [];
    } catch (error) {
      const why = { ...fields, error: String(error) };
      log.error('a message that cannot be read cannot be sent to the dead letter queue', why);
      return [record];
    }
  });
  return (await Promise.all(sent)).flat();
}
