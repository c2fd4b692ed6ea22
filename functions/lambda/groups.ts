import type { SQSRecord } from 'aws-lambda';
import { queueKeyOf } from '../../shared/model/request.ts';
import { readBody, type QueuedWork } from '../../shared/queue/queued-work.ts';

/** The messages of one key of a cluster in a batch. They get one run together. */
export interface Group {
  readonly work: QueuedWork;
  readonly records: readonly SQSRecord[];
}

/** A message that nobody can work on, and why. */
export interface Poison {
  readonly record: SQSRecord;
  readonly reason: string;
}

export interface Grouped {
  readonly groups: readonly Group[];
  readonly poison: readonly Poison[];
}

/**
 * Groups a batch by key. Of two messages news counts, then a requeue, then what a sweep found; else the one with fewer
 * attempts, else the later one. A group waits for a load balancer only if all its messages wait for the same one. A message that cannot be read holds up no
 * other: each message is a hint of its own to look at one object.
 */
export function groupRecords(records: readonly SQSRecord[]): Grouped {
  const groups = new Map<string, Group>();
  const poison: Poison[] = [];
  for (const record of records) {
    const work = readBody(record.body);
    if ('unreadable' in work) {
      poison.push({ record, reason: work.unreadable });
      continue;
    }
    const key = queueKeyOf(work.request);
    const known = groups.get(key);
    groups.set(key, {
      work: known ? merge(known.work, work) : work,
      records: [...(known?.records ?? []), record],
    });
  }
  return { groups: [...groups.values()], poison };
}

function merge(first: QueuedWork, second: QueuedWork): QueuedWork {
  const order = rankOf(second) - rankOf(first) || first.attempt - second.attempt;
  const [keep, other] = order >= 0 ? [second, first] : [first, second];
  const { waitingFor, ...work } = keep;
  return waitingFor !== undefined && waitingFor === other.waitingFor ? keep : work;
}

/** As in the queue of one process: news begins a new chain of runs, and a sweep replaces nothing. */
function rankOf({ request: { trigger } }: QueuedWork): number {
  return trigger === 'sweep' ? 0 : trigger === 'requeue' ? 1 : 2;
}
