import { createHash, randomUUID } from 'node:crypto';
import type { Operation } from '../memory/durations.ts';
import { fieldsOf, parseJson } from '../model/json.ts';
import {
  isClusterName,
  parseKey,
  queueKeyOf,
  type ReconcileRequest,
  type Trigger,
} from '../model/request.ts';
import type { ChainState } from './chain.ts';
import { PRIORITY } from './scheduling.ts';

/**
 * The version of what `bodyOf` writes. It grows when an older program would do something wrong with a message: that one then
 * puts the message aside. A field that an older program may ignore, as it does, needs no new version. A message without the
 * name of a cluster is as it was before there were names, which an older program would look for in the only cluster it knows.
 */
const VERSION = 2;
const WITHOUT_CLUSTER = 1;

/** What a message says. */
export interface QueuedWork extends ChainState {
  readonly request: ReconcileRequest;
  /**
   * Id of the busy load balancer that the key waits for. One list call checks those of a whole batch before
   * any run.
   */
  readonly waitingFor?: string;
  /** When that wait began, in milliseconds since 1970. */
  readonly sinceMs?: number;
  /** What Octavia is busy with there; absent if another run, or somebody else, began it. */
  readonly operation?: Operation;
}

/** Characters in a group id of SQS. A Service's key can be longer. */
const MAX_GROUP = 128;

/** The group of a message: one for each key of a cluster, so that SQS delivers its messages one after the other. */
export function groupId(work: QueuedWork): string {
  const key = queueKeyOf(work.request);
  return key.length <= MAX_GROUP ? key : sha256(key);
}

/**
 * The deduplication id of a message, unique over the whole queue (docs/sources/tools.md, "SQS FIFO queues"):
 * the same event for the same key is dropped when it is sent again, anything else gets through.
 */
export function deduplicationId(work: QueuedWork): string {
  const { cause } = work.request;
  return cause === undefined ? randomUUID() : sha256(`${cause} ${queueKeyOf(work.request)}`);
}

/** The body of a message. */
export function bodyOf(work: QueuedWork): string {
  const version = work.request.cluster === undefined ? WITHOUT_CLUSTER : VERSION;
  return JSON.stringify({ version, ...work });
}

/** A body that this program can never work on, and why, in words for an operator. */
export interface Unreadable {
  readonly unreadable: string;
}

/** The work in the body of a message. A body without a version is of the time before there were versions. */
export function readBody(body: string): QueuedWork | Unreadable {
  const value = fieldsOf(parseJson(body));
  const { version = WITHOUT_CLUSTER, waitingFor, written, desired } = value;
  if (typeof version !== 'number') return { unreadable: 'it has a version that is no number' };
  if (version > VERSION)
    return { unreadable: `it is of version ${version}, this program reads up to ${VERSION}` };
  const request = fieldsOf(value['request']);
  const { key: text, cluster, trigger, cause } = request;
  const key = typeof text === 'string' ? parseKey(text) : undefined;
  if (key === undefined) return { unreadable: 'it names no object that this program knows' };
  if (cluster !== undefined && !(typeof cluster === 'string' && isClusterName(cluster)))
    return { unreadable: 'it has a cluster that is no name of one' };
  if (!isTrigger(trigger)) return { unreadable: 'it has no trigger that this program knows' };
  return {
    request: {
      key,
      ...(cluster !== undefined && { cluster }),
      trigger,
      ...(typeof cause === 'string' && { cause }),
    },
    attempt: countAt(value, 'attempt'),
    ...(Array.isArray(written) && { written: written.filter((mark) => typeof mark === 'string') }),
    ...(typeof desired === 'string' && { desired }),
    ...(typeof waitingFor === 'string' && { waitingFor }),
    ...(countAt(value, 'sinceMs') > 0 && { sinceMs: countAt(value, 'sinceMs') }),
    ...(isOperation(value['operation']) && { operation: value['operation'] }),
  };
}

function countAt(value: Readonly<Record<string, unknown>>, name: string): number {
  const count = value[name];
  return typeof count === 'number' && count > 0 ? count : 0;
}

function isTrigger(value: unknown): value is Trigger {
  return typeof value === 'string' && Object.hasOwn(PRIORITY, value);
}

const OPERATIONS: readonly unknown[] = ['create', 'update', 'delete'] satisfies Operation[];

function isOperation(value: unknown): value is Operation {
  return OPERATIONS.includes(value);
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
