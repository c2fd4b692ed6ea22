import type { SQSRecord } from 'aws-lambda';
import { parseQueuedWork, type QueuedWork } from '../../shared/queue/queued-work.ts';

/** The messages of one key in a batch. They get one run together. */
export interface Group {
  readonly work: QueuedWork;
  readonly messageIds: readonly string[];
}

export interface Grouped {
  readonly groups: readonly Group[];
  /**
   * Messages that cannot be read, and those after them in their FIFO group, whose order SQS keeps. SQS
   * delivers them again, and in the end they are dead letters.
   */
  readonly unreadable: readonly string[];
}

/**
 * Groups a batch by key. Of two messages the one with fewer attempts counts, else the later one. A group
 * waits for a load balancer only if all its messages wait for the same one.
 */
export function groupRecords(records: readonly SQSRecord[]): Grouped {
  const groups = new Map<string, Group>();
  const blocked = new Set<string>();
  const unreadable: string[] = [];
  for (const { body, messageId, attributes } of records) {
    const work = parseQueuedWork(body);
    const fifoGroup = attributes.MessageGroupId;
    if (!work || (fifoGroup !== undefined && blocked.has(fifoGroup))) {
      unreadable.push(messageId);
      if (fifoGroup !== undefined) blocked.add(fifoGroup);
      continue;
    }
    const { key } = work.request;
    const known = groups.get(key);
    groups.set(key, {
      work: known ? merge(known.work, work) : work,
      messageIds: [...(known?.messageIds ?? []), messageId],
    });
  }
  return { groups: [...groups.values()], unreadable };
}

function merge(first: QueuedWork, second: QueuedWork): QueuedWork {
  const [keep, other] = second.attempt <= first.attempt ? [second, first] : [first, second];
  const { waitingFor, ...work } = keep;
  return waitingFor !== undefined && waitingFor === other.waitingFor ? keep : work;
}
