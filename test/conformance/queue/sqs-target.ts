import type { SQSRecord } from 'aws-lambda';
import { groupRecords } from '../../../functions/lambda/groups.ts';
import { enqueueTo } from '../../../functions/lambda/queues.ts';
import { requeue } from '../../../functions/lambda/run-work.ts';
import { newMemory } from '../../../shared/memory/memory.ts';
import { SqsQueue } from '../../../shared/queue/sqs-queue.ts';
import { startAws, type AwsFake, type SentMessage } from '../../functions/lambda/aws-fake.ts';
import type { QueueTarget, Run } from './queue-target.ts';

const PACE = 0.2;
const BATCH = 10;
/** After it a message is there again whose run threw. */
const VISIBILITY_MS = 6_000;

/** SQS as the functions on Lambda use it, against the simulated SQS, with what Lambda does between queue and function. */
export function sqsTarget(): QueueTarget {
  const fakes: AwsFake[] = [];
  return {
    name: 'SQS',
    pace: PACE,
    isDurable: true,
    rests: false,
    open: async (run) => {
      const aws = await startAws();
      fakes.push(aws);
      let mapping = new EventSourceMapping(aws, run);
      return {
        offer: (...requests) => enqueueTo(queueOf(aws, 'triggers.fifo'))(requests),
        stop: () => mapping.stop(),
        reopen: () => {
          mapping = new EventSourceMapping(aws, run);
          return Promise.resolve();
        },
      };
    },
    close: async () => {
      await Promise.all(fakes.map((aws) => aws.close()));
    },
  };
}

function queueOf(aws: AwsFake, name: string): SqsQueue {
  const credentials = { accessKeyId: 'id', secretAccessKey: 'secret' };
  return new SqsQueue({ url: `${aws.url}/123456789012/${name}`, region: 'eu-central-1', credentials });
}

interface Taken extends SentMessage {
  readonly id: string;
  readonly dueMs: number;
}

/** Hands batches of messages to the worker's code: of each FIFO group one batch at a time, in order. */
class EventSourceMapping {
  readonly #aws: AwsFake;
  readonly #run: Run;
  readonly #timer: NodeJS.Timeout;
  readonly #waiting: Taken[] = [];
  readonly #locked = new Set<string>();
  readonly #batches = new Set<Promise<void>>();
  #count = 0;

  constructor(aws: AwsFake, run: Run) {
    this.#aws = aws;
    this.#run = run;
    this.#timer = setInterval(() => {
      this.#poll();
    }, 5);
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all(this.#batches);
    this.#aws.sent.unshift(...this.#waiting.splice(0)); // the queue keeps them
  }

  #poll(): void {
    const now = performance.now();
    for (const message of this.#aws.sent.splice(0)) {
      const dueMs = now + (message.delaySeconds ?? 0) * 1_000 * PACE;
      this.#waiting.push({ ...message, id: String((this.#count += 1)), dueMs });
    }
    for (const queue of ['triggers.fifo', 'background']) {
      for (let batch = this.#batch(queue, now); batch.length > 0; batch = this.#batch(queue, now))
        this.#hand(batch);
    }
  }

  /** What one receive returns: nothing of a group that has messages in flight. */
  #batch(queue: string, now: number): readonly Taken[] {
    const isReady = ({ groupId = '', dueMs, ...message }: Taken): boolean =>
      message.queue === queue && dueMs <= now && !(queue.endsWith('.fifo') && this.#locked.has(groupId));
    return this.#waiting.filter(isReady).slice(0, BATCH);
  }

  #hand(batch: readonly Taken[]): void {
    for (const message of batch) {
      this.#waiting.splice(this.#waiting.indexOf(message), 1);
      if (message.queue.endsWith('.fifo')) this.#locked.add(message.groupId ?? '');
    }
    const ended = this.#work(batch).then(() => {
      this.#batches.delete(ended);
      for (const { queue, groupId } of batch) if (queue.endsWith('.fifo')) this.#locked.delete(groupId ?? '');
    });
    this.#batches.add(ended);
  }

  async #work(batch: readonly Taken[]): Promise<void> {
    const { groups } = groupRecords(batch.map(recordOf));
    const clock = { now: () => performance.now() };
    const to = { background: queueOf(this.#aws, 'background'), world: { clock, memory: newMemory() } };
    await Promise.all(
      groups.map(async ({ work, records }) => {
        try {
          await requeue(work, await this.#run(work.request), to);
        } catch {
          const dueMs = performance.now() + VISIBILITY_MS * PACE;
          this.#waiting.push(
            ...batch
              .filter(({ id }) => records.some(({ messageId }) => messageId === id))
              .map((taken) => ({ ...taken, dueMs })),
          );
        }
      }),
    );
  }
}

function recordOf({ id, body, groupId }: Taken): SQSRecord {
  return {
    messageId: id,
    body,
    attributes: groupId === undefined ? {} : { MessageGroupId: groupId },
  } as SQSRecord;
}
