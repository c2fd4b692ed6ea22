import type { ReconcileRequest } from '../../shared/model/request.ts';
import { SqsQueue } from '../../shared/queue/sqs-queue.ts';
import { awsAccess, required } from './parameters.ts';

/** The FIFO queue of what people changed. */
export function triggerQueue(env: NodeJS.ProcessEnv): SqsQueue {
  return new SqsQueue({ ...awsAccess(env), url: required(env, 'LEVELSET_TRIGGER_QUEUE_URL') });
}

/** The standard queue of requeued keys and of what a sweep found. Changes that people make never wait behind those. */
export function backgroundQueue(env: NodeJS.ProcessEnv): SqsQueue {
  return new SqsQueue({ ...awsAccess(env), url: required(env, 'LEVELSET_BACKGROUND_QUEUE_URL') });
}

/** Queues what people changed or asked for. */
export function enqueueTo(triggers: SqsQueue): (requests: readonly ReconcileRequest[]) => Promise<void> {
  return (requests) => triggers.sendTriggers(requests.map((request) => ({ request, attempt: 0 })));
}
