import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { withDeadline } from '../../shared/deadline.ts';
import { forgetNodes } from '../../shared/memory/listed-nodes.ts';
import { isUnit, scopeOf } from '../../shared/model/request.ts';
import { invocationTime, type InvocationTime } from '../budget.ts';
import { functionWorld, type FunctionWorld } from './connected.ts';
import { log } from './function-log.ts';
import { metrics } from './function-metrics.ts';
import { giveBack } from './give-back.ts';
import { groupRecords, type Group, type Poison } from './groups.ts';
import { asFunction } from './invocation.ts';
import { deadLettersOf } from './queues.ts';
import { runWork, sendPendingBack } from './run-work.ts';
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
    const world = await withDeadline(time.runs, functionWorld);
    // the messages may follow from a change of a Node since the last invocation
    forgetNodes(world.world);
    const served = groups.filter((group) => isServed(group, world));
    const due = await withDeadline(time.sending, () => sendPendingBack(served, world));
    const failed = await Promise.all(due.map((group) => runGroup(group, world, time)));
    return failed.flat();
  } catch (error) {
    log.error('nothing can be run: the function has no connections', { error: String(error) });
    return groups.flatMap(({ records }) => records);
  }
}

/** Whether a message is about the cluster of the World. Another deployment, or this one as it was set up before, may have sent it. */
function isServed({ work }: Group, { world }: FunctionWorld): boolean {
  const { key, cluster } = work.request;
  if (cluster === world.cluster) return true;
  log.warn('a message is about a cluster that is not served: nothing was done', { object: key, cluster });
  return false;
}

/** Returns the messages that SQS must deliver again. */
async function runGroup(
  { work, records }: Group,
  world: FunctionWorld,
  time: InvocationTime,
): Promise<readonly SQSRecord[]> {
  const { key } = work.request;
  try {
    if (isUnit(key)) await runWork(work, world, time);
    else await runSweep({ scope: scopeOf(key), attempt: work.attempt }, world, time);
    return [];
  } catch (error) {
    log.error('the key could not be worked on, or not be queued again', {
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
