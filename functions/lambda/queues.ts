import { SqsQueue } from '../../shared/queue/sqs-queue.ts';
import { awsAccess, required } from './aws-access.ts';

/** The FIFO queue for what people changed. */
export function triggerQueue(env: NodeJS.ProcessEnv): SqsQueue {
  return new SqsQueue({ ...awsAccess(env), url: required(env, 'LEVELSET_TRIGGER_QUEUE_URL') });
}

/** The standard queue for what comes back later and for what a sweep found: people's changes never wait behind it. */
export function backgroundQueue(env: NodeJS.ProcessEnv): SqsQueue {
  return new SqsQueue({ ...awsAccess(env), url: required(env, 'LEVELSET_BACKGROUND_QUEUE_URL') });
}
