import { AwsClient } from 'aws4fetch';
import { deduplicationId, groupId, type QueuedWork } from './queued-work.ts';

const BATCH = 10;
export const LONGEST_DELAY_MS = 900_000;
/** The time for one batch. A function that has ended its runs has little more. */
const BATCH_MS = 3_000;

export interface SqsQueueOptions {
  readonly url: string;
  readonly region: string;
  readonly credentials: {
    readonly accessKeyId: string;
    readonly secretAccessKey: string;
    readonly sessionToken?: string;
  };
}

interface Entry {
  readonly Id: string;
  readonly MessageBody: string;
  readonly MessageGroupId?: string;
  readonly MessageDeduplicationId?: string;
  readonly DelaySeconds?: number;
}

interface BatchAnswer {
  readonly Failed?: readonly { readonly Id: string; readonly Code: string; readonly Message?: string }[];
}

/**
 * Sends to SQS: SendMessageBatch in the AWS JSON protocol. Entries that SQS refuses are sent once more. It
 * throws for entries that are refused again, after everything else was sent, and at once for a batch that
 * fails as a whole.
 */
export class SqsQueue {
  readonly #url: string;
  readonly #aws: AwsClient;

  constructor({ url, region, credentials }: SqsQueueOptions) {
    this.#url = url;
    this.#aws = new AwsClient({ ...credentials, region, service: 'sqs', retries: 2, initRetryMs: 100 });
  }

  /** Sends to a FIFO queue, with one group for each key. */
  async sendTriggers(work: readonly QueuedWork[]): Promise<void> {
    await this.#send(
      work.map((item, index) => ({
        Id: String(index),
        MessageBody: JSON.stringify(item),
        MessageGroupId: groupId(item),
        MessageDeduplicationId: deduplicationId(item),
      })),
    );
  }

  /** Sends to a standard queue. Each message has its own delay in milliseconds, at most 15 minutes. */
  async sendDelayed(work: readonly (QueuedWork & { readonly delayMs: number })[]): Promise<void> {
    await this.#send(
      work.map(({ delayMs, ...item }, index) => ({
        Id: String(index),
        MessageBody: JSON.stringify(item),
        DelaySeconds: Math.ceil(Math.min(LONGEST_DELAY_MS, delayMs) / 1_000),
      })),
    );
  }

  async #send(entries: readonly Entry[]): Promise<void> {
    const batches = Array.from({ length: Math.ceil(entries.length / BATCH) }, (_, index) =>
      entries.slice(index * BATCH, (index + 1) * BATCH),
    );
    const refused: string[] = [];
    for (const batch of batches) {
      const first = await this.#sendBatch(batch);
      if (first.size === 0) continue;
      const second = await this.#sendBatch(batch.filter((entry) => first.has(entry.Id)));
      refused.push(...second.values());
    }
    if (refused.length > 0) {
      const reasons = [...new Set(refused)].join(', ');
      throw new Error(`SQS refused ${refused.length} of ${entries.length} messages: ${reasons}`);
    }
  }

  /** Sends one batch. Returns the ids of the refused entries, with the reasons. */
  async #sendBatch(entries: readonly Entry[]): Promise<ReadonlyMap<string, string>> {
    const response = await this.#aws.fetch(new URL('/', this.#url).href, {
      method: 'POST',
      signal: AbortSignal.timeout(BATCH_MS),
      headers: {
        'content-type': 'application/x-amz-json-1.0',
        'x-amz-target': 'AmazonSQS.SendMessageBatch',
      },
      body: JSON.stringify({ QueueUrl: this.#url, Entries: entries }),
    });
    const text = await response.text();
    if (!response.ok)
      throw new Error(`SQS answered ${response.status} to SendMessageBatch: ${text.slice(0, 300)}`);
    const { Failed: failed = [] } = JSON.parse(text) as BatchAnswer;
    return new Map(failed.map(({ Id, Code, Message }) => [Id, Message ? `${Code} (${Message})` : Code]));
  }
}
