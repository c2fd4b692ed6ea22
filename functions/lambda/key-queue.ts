import { setTimeout as pause } from 'node:timers/promises';
import { type Key, type ReconcileRequest, OF_ALL_NODES } from '../../shared/model/request.ts';
import { SqsQueue } from '../../shared/queue/sqs-queue.ts';
import type { InvocationTime } from '../budget.ts';
import { awsAccess, required } from './parameters.ts';

/** The queue of all work, with a group for each key. */
export function keyQueue(env: NodeJS.ProcessEnv): SqsQueue {
  return new SqsQueue({ ...awsAccess(env), url: required(env, 'LEVELSET_QUEUE_URL') });
}

/** Changes of Nodes within so long are one message, whose work begins when that time is over. */
const TOGETHER_MS = 2_000;
const TOGETHER = 'nodes/';

/** Queues at once what people changed or asked for, and what depends on a Node that levelset wrote. */
export function enqueueTo(queue: SqsQueue): (requests: readonly ReconcileRequest[]) => Promise<void> {
  return (requests) => queue.send(requests.map((request) => ({ request: together(request) })));
}

function together(request: ReconcileRequest): ReconcileRequest {
  if (!isOfAllNodes(request.key) || request.trigger === 'resync') return request;
  return { ...request, cause: `${TOGETHER}${Math.floor(Date.now() / TOGETHER_MS)}` };
}

function isOfAllNodes(key: Key): boolean {
  return OF_ALL_NODES.some((one) => one === key);
}

/** Milliseconds until the work on a message begins that was sent at this time, in milliseconds since 1970. */
export function untilBegunMs({ key, cause }: ReconcileRequest, sentAtMs: number): number {
  const isTogether = isOfAllNodes(key) && cause?.startsWith(TOGETHER) === true;
  return isTogether ? Math.max(0, Math.min(TOGETHER_MS, sentAtMs + TOGETHER_MS - Date.now())) : 0;
}

const AT_ONCE = 10;
const GAP_MS = 1_000;

/** Sends ten a second, and at least ten, so that people's changes never wait behind a sweep's. Returns what is left with less than `spareMs` for runs. */
export async function sendSlowly(
  requests: readonly ReconcileRequest[],
  queue: SqsQueue,
  { runs, sending }: InvocationTime,
  spareMs: number,
): Promise<readonly ReconcileRequest[]> {
  for (let from = 0; from < requests.length; from += AT_ONCE) {
    if (from > 0) {
      await pause(GAP_MS);
      if (runs.remainingMs() < spareMs) return requests.slice(from);
    }
    const next = requests.slice(from, from + AT_ONCE).map((request) => ({ request }));
    await queue.during(sending).send(next);
  }
  return [];
}
