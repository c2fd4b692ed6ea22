import { setTimeout as pause } from 'node:timers/promises';
import { ACCOUNT, REGION } from './intrinsics.ts';
import type { Invoker } from './lambda.ts';
import { sqs, type SqsMessage } from './sqs.ts';
import type { MappingSettings } from './template.ts';

/** How many batches Lambda reads side by side at first; more while all of them are being worked on. */
const FIRST_READERS = 5;
/** ElasticMQ takes a whole processor for a long poll of a FIFO queue whose group is in flight: so it is asked again after so long. */
const PAUSE_MS = 200;

export interface EventSourceMapping {
  stop(): Promise<void>;
}

/**
 * Lambda's event source mapping of a queue: receive, invoke, delete what succeeded. What failed comes back when SQS shows it
 * again.
 */
export function startMapping(mapping: MappingSettings, sqsUrl: string, lambda: Invoker): EventSourceMapping {
  const stopping = new AbortController();
  const QueueUrl = `${sqsUrl}/${ACCOUNT}/${mapping.queue}`;
  const readers: Promise<void>[] = [];
  let busy = 0;

  const once = async (): Promise<void> => {
    const { Messages: messages = [] } = await sqs<{ Messages?: readonly SqsMessage[] }>(
      sqsUrl,
      'ReceiveMessage',
      {
        QueueUrl,
        MaxNumberOfMessages: mapping.batchSize,
        WaitTimeSeconds: 0,
        MessageSystemAttributeNames: ['All'],
        MessageAttributeNames: ['All'],
      },
      stopping.signal,
    );
    if (messages.length === 0) return pause(PAUSE_MS);
    busy += 1;
    if (busy === readers.length && readers.length < mapping.maximumConcurrency) readers.push(read());
    try {
      if (!(await hasWorked(mapping, messages, lambda, stopping.signal))) return;
      const Entries = messages.map(({ ReceiptHandle }, index) => ({ Id: String(index), ReceiptHandle }));
      await sqs(sqsUrl, 'DeleteMessageBatch', { QueueUrl, Entries });
    } finally {
      busy -= 1;
    }
  };

  const read = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      await once().catch(async (error: unknown) => {
        if (stopping.signal.aborted) return;
        console.error(`${mapping.queue}: ${String(error)}`);
        await pause(500);
      });
    }
  };

  const first = Math.min(FIRST_READERS, mapping.maximumConcurrency);
  for (let reader = 0; reader < first; reader += 1) readers.push(read());
  return {
    async stop() {
      stopping.abort();
      await Promise.all(readers);
    },
  };
}

/** Whether the messages may be deleted. */
async function hasWorked(
  mapping: MappingSettings,
  messages: readonly SqsMessage[],
  lambda: Invoker,
  stopping: AbortSignal,
): Promise<boolean> {
  const event = JSON.stringify({ Records: messages.map((message) => record(message, mapping.queue)) });
  for (;;) {
    const { status, functionError } = await lambda.invoke(mapping.function, event);
    if (status === 200) return functionError === undefined;
    if (status !== 429 || stopping.aborted) return false;
    await pause(200); // Lambda waits for room as well
  }
}

/** A record of the event, with the fields that Lambda gives it. */
function record(message: SqsMessage, queue: string): object {
  const { SequenceNumber: number, ...attributes } = message.Attributes;
  return {
    messageId: message.MessageId,
    receiptHandle: message.ReceiptHandle,
    body: message.Body,
    // ElasticMQ counts 0, 1, 2; SQS has twenty digits
    attributes: { ...attributes, ...(number !== undefined && { SequenceNumber: number.padStart(20, '0') }) },
    messageAttributes: {},
    md5OfBody: message.MD5OfBody,
    eventSource: 'aws:sqs',
    eventSourceARN: `arn:aws:sqs:${REGION}:${ACCOUNT}:${queue}`,
    awsRegion: REGION,
  };
}
