import type { Context, SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { forgetNodes } from '../../shared/memory/listed-nodes.ts';
import { isUnit, scopeOf } from '../../shared/model/request.ts';
import type { Budget } from '../../shared/ports.ts';
import { invocationBudget } from '../budget.ts';
import { functionWorld, type FunctionWorld } from './connected.ts';
import { groupRecords, type Group } from './groups.ts';
import { runWork, sendPendingBack } from './run-work.ts';
import { runSweep } from './sweep.ts';

/**
 * The worker of both queues: one run for each key, keys in parallel. A message fails only if it cannot be
 * read, if its sweep failed, or if its key could not be requeued. SQS then delivers it again, and everything
 * after it in its FIFO group.
 */
export async function handler(event: SQSEvent, context: Context): Promise<SQSBatchResponse> {
  const world = await functionWorld();
  const { groups, unreadable } = groupRecords(event.Records);
  if (unreadable.length > 0) world.log.error('messages cannot be read', { messages: unreadable });
  // the messages may follow from a change of a Node since the last invocation
  forgetNodes(world.world);
  const due = await sendPendingBack(groups, world);
  const budget = invocationBudget(context);
  const failed = await Promise.all(due.map((group) => runGroup(group, world, budget)));
  return {
    batchItemFailures: [...unreadable, ...failed.flat()].map((itemIdentifier) => ({ itemIdentifier })),
  };
}

/** Returns the messages that SQS must deliver again. */
async function runGroup(group: Group, world: FunctionWorld, budget: Budget): Promise<readonly string[]> {
  const { work, messageIds } = group;
  const { key } = work.request;
  try {
    if (isUnit(key)) await runWork(work, world, budget);
    else await runSweep({ scope: scopeOf(key), attempt: work.attempt }, world, budget);
    return [];
  } catch (error) {
    world.log.error('SQS must deliver a message again', { object: key, error: String(error) });
    return messageIds;
  }
}
