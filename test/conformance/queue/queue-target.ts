import { enqueueTo } from '../../../functions/lambda/key-queue.ts';
import { stayWithKey } from '../../../functions/lambda/stay-with-key.ts';
import type { Report } from '../../../shared/model/outcome.ts';
import type { ReconcileRequest } from '../../../shared/model/request.ts';
import { Queue } from '../../../shared/queue/queue.ts';
import { readMessage } from '../../../shared/queue/queued-work.ts';
import { SqsQueue } from '../../../shared/queue/sqs-queue.ts';
import { startAws, type AwsFake } from '../../functions/lambda/aws-fake.ts';

export type Run = (request: ReconcileRequest) => Promise<Report>;

/** A queue that the suite is held against. Each `open` begins with nothing in it. */
export interface QueueTarget {
  readonly name: string;
  /** Whether what is queued outlives the process. */
  readonly isDurable: boolean;
  /** Whether events run a key twice a second at most. */
  readonly rests: boolean;
  open(run: Run): Promise<OpenQueue>;
  close(): Promise<void>;
}

export interface OpenQueue {
  offer(...requests: readonly ReconcileRequest[]): Promise<void>;
  /** The process ends as SIGTERM makes it, and what runs is done. */
  stop(): Promise<void>;
  /** After `stop`: another process goes on with what is in the queue. */
  reopen(): Promise<void>;
}

export const MEMORY: QueueTarget = {
  ...{ name: 'in memory', isDurable: false, rests: true },
  open: (run) => {
    const clock = { now: () => performance.now() };
    const queue = new Queue({ run, concurrency: 15, clock, random: () => 0 });
    return Promise.resolve({
      offer: (...requests) => {
        for (const request of requests) queue.add(request);
        return Promise.resolve();
      },
      stop: () => queue.stop(),
      reopen: () => Promise.reject(new Error('a queue in memory ends with its process')),
    });
  },
  close: () => Promise.resolve(),
};

/** As serverless.yml has it. */
const MOST_WORKERS = 100;
/** After it a message is there again whose worker died. */
const VISIBILITY_MS = 500;

/** SQS as the functions on Lambda use it, against the simulated SQS, with what Lambda does between queue and function. */
export function sqsTarget(): QueueTarget {
  const fakes: AwsFake[] = [];
  return {
    ...{ name: 'SQS', isDurable: true, rests: false },
    open: async (run) => {
      const aws = await startAws();
      fakes.push(aws);
      const credentials = { accessKeyId: 'id', secretAccessKey: 'secret' };
      const url = `${aws.url}/123456789012/keys.fifo`;
      const queue = new SqsQueue({ url, region: 'eu-central-1', credentials });
      let mapping = mapEvents(aws, run);
      return {
        offer: (...requests) => enqueueTo(queue)(requests),
        stop: () => mapping.stop(),
        reopen: () => {
          mapping = mapEvents(aws, run);
          return Promise.resolve();
        },
      };
    },
    close: async () => {
      await Promise.all(fakes.map((aws) => aws.close()));
    },
  };
}

type Sent = AwsFake['sent'][number];

/** Hands messages to workers, of each group one at a time, in order. */
function mapEvents({ sent }: AwsFake, run: Run): { stop: () => Promise<void> } {
  const inFlight = new Map<string, Sent>();
  const workers = new Set<Promise<void>>();
  let isStopped = false;
  const work = async ({ body, groupId }: Sent): Promise<void> => {
    const read = readMessage(body);
    if ('unreadable' in read) throw new Error(read.unreadable);
    const time = { remainingMs: () => (isStopped ? 0 : Infinity) };
    await stayWithKey(read.request, 0, { run, time, random: () => 0 });
    if (!isStopped) inFlight.delete(groupId);
  };
  const poll = (): void => {
    for (const message of [...sent]) {
      if (inFlight.has(message.groupId) || inFlight.size === MOST_WORKERS) continue;
      sent.splice(sent.indexOf(message), 1);
      inFlight.set(message.groupId, message);
      const worker = work(message).finally(() => workers.delete(worker));
      workers.add(worker);
    }
  };
  const timer = setInterval(poll, 5);
  return {
    /** The workers die when the runs under way have ended: their messages are there again after the visibility timeout. */
    stop: async () => {
      isStopped = true;
      clearInterval(timer);
      await Promise.all(workers);
      const left = [...inFlight.values()];
      setTimeout(() => sent.unshift(...left), VISIBILITY_MS);
    },
  };
}
