import { callAws, type AwsAccess } from '../call-aws.ts';
import { isRecord, parseJson, stringAt } from '../model/json.ts';
import type { Budget } from '../ports.ts';
import { bodyOf, deduplicationId, groupId, type QueuedWork } from './queued-work.ts';

const BATCH = 10;
/** The time for one call, where there is that much left. */
const CALL_MS = 3_000;

interface SqsQueueOptions extends AwsAccess {
  readonly url: string;
  /** The time for all calls; absent where there is no end. */
  readonly budget?: Budget;
}

/**
 * One FIFO queue of SQS, by the AWS JSON protocol. Entries of a batch that SQS refuses are sent once more. It
 * throws for entries that are refused again, after everything else was sent, and at once for a call that
 * fails as a whole. No call outlasts its budget.
 */
export class SqsQueue {
  readonly #url: string;
  readonly #access: AwsAccess;
  readonly #budget: Budget | undefined;

  constructor({ url, budget, ...access }: SqsQueueOptions) {
    this.#url = url;
    this.#budget = budget;
    this.#access = access;
  }

  /** The same queue for calls in this time. */
  during(budget: Budget): SqsQueue {
    return new SqsQueue({ url: this.#url, budget, ...this.#access });
  }

  /** Sends to the group of each key. `idOf` gives the deduplication id. */
  async send(work: readonly QueuedWork[], idOf = deduplicationId): Promise<void> {
    const entries = work.map((item, index) => ({
      Id: String(index),
      MessageBody: bodyOf(item),
      MessageGroupId: groupId(item),
      MessageDeduplicationId: idOf(item),
    }));
    const batches = Array.from({ length: Math.ceil(entries.length / BATCH) }, (_, index) =>
      entries.slice(index * BATCH, (index + 1) * BATCH),
    );
    const refused: string[] = [];
    for (const batch of batches) {
      const first = await this.#sendBatch(batch);
      if (first.size === 0) continue;
      const second = await this.#sendBatch(batch.filter(({ Id }) => first.has(Id)));
      refused.push(...second.values());
    }
    if (refused.length > 0) {
      const reasons = [...new Set(refused)].join(', ');
      throw new Error(`SQS refused ${refused.length} of ${entries.length} messages: ${reasons}`);
    }
  }

  /** Shows a received message to nobody for so many seconds from now. Throws where it is not this receiver's any more. */
  async hide(ReceiptHandle: string, seconds: number): Promise<void> {
    await this.#call('ChangeMessageVisibility', { ReceiptHandle, VisibilityTimeout: seconds });
  }

  /** One call for up to ten entries. Returns the ids of those that SQS does not say to have taken, with the reasons. */
  async #sendBatch(entries: readonly { readonly Id: string }[]): Promise<ReadonlyMap<string, string>> {
    const { Successful, Failed } = await this.#call('SendMessageBatch', { Entries: entries });
    const taken = new Set(rowsOf(Successful).map((one) => stringAt(one, 'Id')));
    const whyNot = (id: string): string => {
      const failed = rowsOf(Failed).find((one) => stringAt(one, 'Id') === id);
      const message = stringAt(failed, 'Message');
      return `${stringAt(failed, 'Code') ?? 'not in the answer'}${message ? ` (${message})` : ''}`;
    };
    return new Map(entries.filter(({ Id }) => !taken.has(Id)).map(({ Id }) => [Id, whyNot(Id)]));
  }

  async #call(action: string, fields: object): Promise<Readonly<Record<string, unknown>>> {
    const limitMs = Math.min(CALL_MS, this.#budget?.remainingMs() ?? CALL_MS);
    if (limitMs <= 0) throw new Error(`SQS was not asked for ${action}: no time is left`);
    const call = {
      ...({ service: 'sqs', version: '1.0', target: `AmazonSQS.${action}` } as const),
      url: new URL('/', this.#url).href,
      fields: { QueueUrl: this.#url, ...fields },
    };
    const { status, text } = await callAws(call, this.#access, limitMs);
    if (status !== 200) throw new Error(`SQS answered ${status} to ${action}: ${text.slice(0, 300)}`);
    const answer = parseJson(text || '{}'); // an action without a result may answer nothing
    if (!isRecord(answer)) throw new Error(`another program than SQS answered ${action}`);
    return answer;
  }
}

const rowsOf = (list: unknown): readonly unknown[] => (Array.isArray(list) ? list : []);
