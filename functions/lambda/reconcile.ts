import type { Context, SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { isUnit, scopeOf } from '../../shared/model/request.ts';
import type { Budget } from '../../shared/ports.ts';
import { functionWorld, type FunctionWorld } from './connected.ts';
import { groupRecords, type Group } from './groups.ts';
import { invocationBudget } from './invocation-budget.ts';
import { runSweep } from './run-sweep.ts';
import { runWork } from './run-work.ts';
import { sendPendingBack } from './still-pending.ts';

/**
 * The worker behind both queues: one run per key, keys in parallel. A message fails only when its requeue could not be
 * queued or it cannot be read: SQS brings it, and everything after it in its group, again.
 */
export async function handler(event: SQSEvent, context: Context): Promise<SQSBatchResponse> {
  const world = await functionWorld();
  const { groups, unreadable } = groupRecords(event.Records);
  if (unreadable.length > 0) world.log.error('messages that cannot be read', { messages: unreadable });
  const due = await sendPendingBack(groups, world);
  const budget = invocationBudget(context);
  const failed = await Promise.all(due.map((group) => runGroup(group, world, budget)));
  return {
    batchItemFailures: [...unreadable, ...failed.flat()].map((itemIdentifier) => ({ itemIdentifier })),
  };
}

/** The messages that must come again. */
async function runGroup(group: Group, world: FunctionWorld, budget: Budget): Promise<readonly string[]> {
  const { work, messageIds } = group;
  const { key } = work.request;
  try {
    if (isUnit(key)) await runWork(work, world, budget);
    else await runSweep({ scope: scopeOf(key), attempt: work.attempt }, world);
    return [];
  } catch (error) {
    world.log.error('a message must come again', { object: key, error: String(error) });
    return messageIds;
  }
}
