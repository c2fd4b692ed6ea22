import { enqueueTo } from '../../../functions/lambda/key-queue.ts';
import { stayWithKey } from '../../../functions/lambda/stay-with-key.ts';
import { readMessage } from '../../../shared/queue/queued-work.ts';
import { SqsQueue } from '../../../shared/queue/sqs-queue.ts';
import { startAws, type AwsFake, type SentMessage } from '../../functions/lambda/aws-fake.ts';
import type { QueueTarget, Run } from './queue-target.ts';

/** As serverless.yml has it. */
const MOST_WORKERS = 100;
/** After it a message is there again whose worker died. */
const VISIBILITY_MS = 500;

/** SQS as the functions on Lambda use it, against the simulated SQS, with what Lambda does between queue and function. */
export function sqsTarget(): QueueTarget {
  const fakes: AwsFake[] = [];
  return {
    name: 'SQS',
    isDurable: true,
    rests: false,
    open: async (run) => {
      const aws = await startAws();
      fakes.push(aws);
      const credentials = { accessKeyId: 'id', secretAccessKey: 'secret' };
      const url = `${aws.url}/123456789012/keys.fifo`;
      const queue = new SqsQueue({ url, region: 'eu-central-1', credentials });
      let mapping = new EventSourceMapping(aws, run);
      return {
        offer: (...requests) => enqueueTo(queue)(requests),
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

/** Hands messages to workers, of each group one at a time, in order. */
class EventSourceMapping {
  readonly #aws: AwsFake;
  readonly #run: Run;
  readonly #timer: NodeJS.Timeout;
  readonly #inFlight = new Map<string, SentMessage>();
  readonly #workers = new Set<Promise<void>>();
  #isStopped = false;

  constructor(aws: AwsFake, run: Run) {
    this.#aws = aws;
    this.#run = run;
    this.#timer = setInterval(() => {
      this.#poll();
    }, 5);
  }

  /** The workers die when the runs under way have ended: their messages are there again after the visibility timeout. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearInterval(this.#timer);
    await Promise.all(this.#workers);
    const left = [...this.#inFlight.values()];
    setTimeout(() => this.#aws.sent.unshift(...left), VISIBILITY_MS);
  }

  #poll(): void {
    const { sent } = this.#aws;
    for (const message of [...sent]) {
      if (this.#inFlight.has(message.groupId) || this.#inFlight.size === MOST_WORKERS) continue;
      sent.splice(sent.indexOf(message), 1);
      this.#inFlight.set(message.groupId, message);
      const worker = this.#work(message).finally(() => this.#workers.delete(worker));
      this.#workers.add(worker);
    }
  }

  async #work({ body, groupId }: SentMessage): Promise<void> {
    const work = readMessage(body);
    if ('unreadable' in work) throw new Error(work.unreadable);
    const time = { remainingMs: () => (this.#isStopped ? 0 : Infinity) };
    await stayWithKey(work.request, 0, { run: this.#run, time, random: () => 0 });
    if (!this.#isStopped) this.#inFlight.delete(groupId);
  }
}
