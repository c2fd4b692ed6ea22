import { createHash, randomUUID } from 'node:crypto';
import { fieldsOf, parseJson } from '../model/json.ts';
import { isClusterName, parseKey, queueKeyOf } from '../model/request.ts';
import type { ReconcileRequest, Trigger } from '../model/request.ts';
import { PRIORITY } from './scheduling.ts';

/**
 * The version of what `bodyOf` writes. It grows when an older program would do something wrong with a message: that one then
 * puts the message aside. A field that an older program may ignore, as it does, needs no new version.
 */
const VERSION = 3;
/** Of a body that names none. */
const FIRST = 1;

/** What a message says. */
export interface QueuedWork {
  readonly request: ReconcileRequest;
  /** Since when Octavia has been at work for this key, in milliseconds since 1970; absent in the first message about it. */
  readonly busySinceMs?: number;
}

/** Characters in a group id of SQS. A Service's key can be longer. */
const MAX_GROUP = 128;

/**
 * The group of a message: one for each key of a cluster, so that SQS delivers its messages one after the other, and one for all keys of a
 * cluster that share load balancers.
 */
export function groupId({ request }: QueuedWork): string {
  const { cluster, inGroup } = request;
  const group = cluster === undefined ? 'sharing' : `${cluster}:sharing`;
  const key = inGroup ? group : queueKeyOf(request);
  return key.length <= MAX_GROUP ? key : sha256(key);
}

/**
 * The deduplication id of a message, unique over the whole queue (docs/sources/tools.md, "SQS FIFO queues"):
 * the same event for the same key is dropped when it is sent again, anything else gets through.
 */
export function deduplicationId({ request }: QueuedWork): string {
  const { cause } = request;
  return cause === undefined ? randomUUID() : sha256(`${cause} ${queueKeyOf(request)}`);
}

/** The body of a message. */
export function bodyOf(work: QueuedWork): string {
  return JSON.stringify({ version: VERSION, ...work });
}

/** A body that this program can never work on, and why, in words for an operator. */
interface Unreadable {
  readonly unreadable: string;
}

/** The work in the body of a message. */
export function readMessage(body: string): QueuedWork | Unreadable {
  const { version = FIRST, request, busySinceMs } = fieldsOf(parseJson(body));
  if (typeof version !== 'number') return { unreadable: 'its version is not a number' };
  if (version > VERSION)
    return { unreadable: `it is of version ${version}, this program reads up to ${VERSION}` };
  const { key: text, cluster, trigger, cause, inGroup } = fieldsOf(request);
  const key = typeof text === 'string' ? parseKey(text) : undefined;
  if (key === undefined) return { unreadable: 'this program does not know its object' };
  if (cluster !== undefined && !(typeof cluster === 'string' && isClusterName(cluster)))
    return { unreadable: 'its cluster is not a name of a cluster' };
  if (!isTrigger(trigger)) return { unreadable: 'this program does not know its trigger' };
  return {
    request: {
      key,
      ...(cluster !== undefined && { cluster }),
      trigger,
      ...(typeof cause === 'string' && { cause }),
      ...(inGroup === true && { inGroup }),
    },
    ...(typeof busySinceMs === 'number' && { busySinceMs }),
  };
}

function isTrigger(value: unknown): value is Trigger {
  return typeof value === 'string' && Object.hasOwn(PRIORITY, value);
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
