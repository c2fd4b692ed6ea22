import { createHash, randomUUID } from 'node:crypto';
import { fieldsOf, parseJson } from '../model/json.ts';
import { parseKey, type ReconcileRequest, type Trigger } from '../model/request.ts';
import { PRIORITY } from './scheduling.ts';

/** The body of a message in SQS. */
export interface QueuedWork {
  readonly request: ReconcileRequest;
  /** How often the key was requeued in a row. */
  readonly attempt: number;
  /**
   * Id of the busy load balancer that the key waits for. One list call checks those of a whole batch before
   * any run.
   */
  readonly waitingFor?: string;
}

/** Characters in a group id of SQS. A Service's key can be longer. */
const MAX_GROUP = 128;

/** The group of a message: one for each key, so that SQS delivers its messages one after the other. */
export function groupId(work: QueuedWork): string {
  const { key } = work.request;
  return key.length <= MAX_GROUP ? key : sha256(key);
}

/**
 * The deduplication id of a message, unique over the whole queue (docs/sources/tools.md, "SQS FIFO queues"):
 * the same event for the same key is dropped when it is sent again, anything else gets through.
 */
export function deduplicationId(work: QueuedWork): string {
  const { key, cause } = work.request;
  return cause === undefined ? randomUUID() : sha256(`${cause} ${key}`);
}

/** The work in a message body; undefined for a body that is none, which can never succeed. */
export function parseQueuedWork(body: string): QueuedWork | undefined {
  const value = fieldsOf(parseJson(body));
  const request = fieldsOf(value['request']);
  const key = typeof request['key'] === 'string' ? parseKey(request['key']) : undefined;
  const trigger = request['trigger'];
  if (key === undefined || !isTrigger(trigger)) return undefined;
  const { cause } = request;
  const { attempt, waitingFor } = value;
  return {
    request: { key, trigger, ...(typeof cause === 'string' && { cause }) },
    attempt: typeof attempt === 'number' && attempt > 0 ? attempt : 0,
    ...(typeof waitingFor === 'string' && { waitingFor }),
  };
}

function isTrigger(value: unknown): value is Trigger {
  return typeof value === 'string' && Object.hasOwn(PRIORITY, value);
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
