import type { ReconcileRequest } from '../../shared/model/request.ts';
import { SqsQueue } from '../../shared/queue/sqs-queue.ts';
import { awsAccess, required } from './aws-access.ts';

/** The FIFO queue of what people changed. */
export function triggerQueue(env: NodeJS.ProcessEnv): SqsQueue {
  return new SqsQueue({ ...awsAccess(env), url: required(env, 'LEVELSET_TRIGGER_QUEUE_URL') });
}

/** The standard queue of requeued keys and of what a sweep found. Changes that people make never wait behind those. */
export function backgroundQueue(env: NodeJS.ProcessEnv): SqsQueue {
  return new SqsQueue({ ...awsAccess(env), url: required(env, 'LEVELSET_BACKGROUND_QUEUE_URL') });
}

/** The queue that a message came from, by its ARN. */
export function queueOf(arn: string, env: NodeJS.ProcessEnv): SqsQueue {
  return isTriggers(arn, env) ? triggerQueue(env) : backgroundQueue(env);
}

/** The dead letter queue of the queue with this ARN. */
export function deadLettersOf(arn: string, env: NodeJS.ProcessEnv): SqsQueue {
  const variable = isTriggers(arn, env)
    ? 'LEVELSET_TRIGGER_DEAD_LETTERS_URL'
    : 'LEVELSET_BACKGROUND_DEAD_LETTERS_URL';
  return new SqsQueue({ ...awsAccess(env), url: required(env, variable) });
}

/** Whether an ARN is that of the trigger queue. Its last part is the queue's name, as that of the URL is. */
function isTriggers(arn: string, env: NodeJS.ProcessEnv): boolean {
  return required(env, 'LEVELSET_TRIGGER_QUEUE_URL').split('/').at(-1) === arn.split(':').at(-1);
}

/** Queues what people changed or asked for. */
export function enqueueTo(triggers: SqsQueue): (requests: readonly ReconcileRequest[]) => Promise<void> {
  return (requests) => triggers.sendTriggers(requests.map((request) => ({ request, attempt: 0 })));
}
