import { callAws, type AwsAccess } from '../call-aws.ts';
import { timeLeftMs } from '../deadline.ts';
import { turnOf } from './ready.ts';
import { bodyOf, deduplicationId, groupId, type QueuedWork } from './queued-work.ts';

const BATCH = 10;
export const LONGEST_DELAY_MS = 900_000;
/** The time for one call, where there is that much left. */
const CALL_MS = 3_000;

export interface SqsQueueOptions extends AwsAccess {
  readonly url: string;
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

/** A message that nobody can work on, for a dead letter queue. */
export interface DeadLetter {
  readonly body: string;
  /** The group that the message had. */
  readonly groupId?: string;
  /** The id that the message had. */
  readonly messageId: string;
  readonly reason: string;
}

/**
 * One queue of SQS, by the AWS JSON protocol. Entries of a batch that SQS refuses are sent once more. It
 * throws for entries that are refused again, after everything else was sent, and at once for a call that
 * fails as a whole. No call outlasts the time of what goes on (deadline.ts).
 */
export class SqsQueue {
  readonly #url: string;
  readonly #access: AwsAccess;

  constructor({ url, ...access }: SqsQueueOptions) {
    this.#url = url;
    this.#access = access;
  }

  /** Sends to a FIFO queue, with one group for each key. */
  async sendTriggers(work: readonly QueuedWork[]): Promise<void> {
    await this.#send(
      work.map((item, index) => ({
        Id: String(index),
        MessageBody: bodyOf(item),
        MessageGroupId: groupId(item),
        MessageDeduplicationId: deduplicationId(item),
      })),
    );
  }

  /**
   * Sends to a standard queue. Each message has its own delay in milliseconds, at most 15 minutes. The group is only a name
   * for whose turn it is (docs/sources/tools.md, "Fair queues"): clusters take turns, or in the only one namespaces.
   */
  async sendDelayed(work: readonly (QueuedWork & { readonly delayMs: number })[]): Promise<void> {
    await this.#send(
      work.map(({ delayMs, ...item }, index) => {
        const turn = item.request.cluster ?? turnOf(item.request.key);
        return {
          Id: String(index),
          MessageBody: bodyOf(item),
          ...(turn !== '' && { MessageGroupId: turn }),
          DelaySeconds: Math.ceil(Math.min(LONGEST_DELAY_MS, delayMs) / 1_000),
        };
      }),
    );
  }

  /** Sends what nobody can work on, with its body as it is, and with attributes that say what it was and why it is here. */
  async sendDeadLetter({ body, groupId: group, messageId, reason }: DeadLetter): Promise<void> {
    const text = (StringValue: string): object => ({ DataType: 'String', StringValue });
    await this.#call('SendMessage', {
      MessageBody: body,
      MessageAttributes: { reason: text(reason), originalMessageId: text(messageId) },
      ...(group !== undefined && { MessageGroupId: group }),
      ...(this.#url.endsWith('.fifo') && { MessageDeduplicationId: messageId }),
    });
  }

  /** Shows received messages again after so many seconds. */
  async showAgain(
    messages: readonly { readonly receiptHandle: string; readonly inSeconds: number }[],
  ): Promise<void> {
    await this.#inBatches(
      'ChangeMessageVisibilityBatch',
      messages.map(({ receiptHandle, inSeconds }, index) => ({
        Id: String(index),
        ReceiptHandle: receiptHandle,
        VisibilityTimeout: inSeconds,
      })),
    );
  }

  #send(entries: readonly Entry[]): Promise<void> {
    return this.#inBatches('SendMessageBatch', entries);
  }

  async #inBatches(action: string, entries: readonly { readonly Id: string }[]): Promise<void> {
    const batches = Array.from({ length: Math.ceil(entries.length / BATCH) }, (_, index) =>
      entries.slice(index * BATCH, (index + 1) * BATCH),
    );
    const refused: string[] = [];
    for (const batch of batches) {
      const first = await this.#batch(action, batch);
      if (first.size === 0) continue;
      const second = await this.#batch(
        action,
        batch.filter((entry) => first.has(entry.Id)),
      );
      refused.push(...second.values());
    }
    if (refused.length > 0) {
      const reasons = [...new Set(refused)].join(', ');
      throw new Error(`SQS refused ${refused.length} of ${entries.length} messages: ${reasons}`);
    }
  }

  /** One call for up to ten entries. Returns the ids of the refused entries, with the reasons. */
  async #batch(
    action: string,
    entries: readonly { readonly Id: string }[],
  ): Promise<ReadonlyMap<string, string>> {
    const { Failed: failed = [] } = (await this.#call(action, { Entries: entries })) as BatchAnswer;
    return new Map(failed.map(({ Id, Code, Message }) => [Id, Message ? `${Code} (${Message})` : Code]));
  }

  async #call(action: string, fields: object): Promise<unknown> {
    const limitMs = Math.min(CALL_MS, timeLeftMs());
    if (limitMs <= 0) throw new Error(`SQS was not asked for ${action}: no time is left`);
    const call = {
      ...({ service: 'sqs', version: '1.0', target: `AmazonSQS.${action}` } as const),
      url: new URL('/', this.#url).href,
      fields: { QueueUrl: this.#url, ...fields },
    };
    const { status, text } = await callAws(call, this.#access, limitMs);
    if (status !== 200) throw new Error(`SQS answered ${status} to ${action}: ${text.slice(0, 300)}`);
    return JSON.parse(text) as unknown;
  }
}
