import type { SQSRecord } from 'aws-lambda';
import type { Log } from '../../shared/ports.ts';
import { queueOf } from './queues.ts';

const FIRST_S = 2;
/** Well below the visibility timeout of the queues, which is what a function that was killed costs. */
const LONGEST_S = 60;

/**
 * In how many seconds a message comes again that was received so often: 2, 4, ... 60 s, and up to a quarter more. With the
 * queues' maxReceiveCount of 16 that is at least 12 minutes before a message is a dead letter. `random` yields [0, 1).
 */
export function againInSeconds(receiveCount: number, random: () => number): number {
  const delay = Math.min(LONGEST_S, FIRST_S * 2 ** Math.min(receiveCount - 1, 10));
  return Math.round(delay * (1 + random() / 4));
}

/**
 * Makes SQS deliver failed messages again within seconds: by itself it waits for the visibility timeout. Never throws; if
 * SQS refuses, that is when they come.
 */
export async function giveBack(records: readonly SQSRecord[], log: Log): Promise<void> {
  for (const [source, ofQueue] of Map.groupBy(records, ({ eventSourceARN }) => eventSourceARN)) {
    const messages = ofQueue.map(({ receiptHandle, attributes }) => ({
      receiptHandle,
      inSeconds: againInSeconds(Number(attributes.ApproximateReceiveCount), Math.random),
    }));
    const fields = { queue: source.split(':').at(-1), messages: ofQueue.map(({ messageId }) => messageId) };
    try {
      await queueOf(source, process.env).showAgain(messages);
      log.warn('messages come again', { ...fields, in_s: messages.map(({ inSeconds }) => inSeconds) });
    } catch (error) {
      log.error('messages come again only after the visibility timeout', { ...fields, error: String(error) });
    }
  }
}
