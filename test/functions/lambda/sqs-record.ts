import type { SQSRecord } from 'aws-lambda';
import { bodyOf, groupId, type QueuedWork } from '../../../shared/queue/queued-work.ts';

const ARN = 'arn:aws:sqs:eu-central-1:123456789012';

/** A message as Lambda hands it over (docs/sources/tools.md, "Messages that a function gets"). */
export function sqsRecord(messageId: string, work: QueuedWork): SQSRecord {
  return {
    messageId,
    receiptHandle: `receipt-${messageId}`,
    body: bodyOf(work),
    md5OfBody: '',
    attributes: {
      ApproximateReceiveCount: '1',
      SentTimestamp: String(Date.now()),
      SenderId: 'x',
      ApproximateFirstReceiveTimestamp: '0',
      ...{ MessageGroupId: groupId(work), SequenceNumber: '1', MessageDeduplicationId: messageId },
    },
    messageAttributes: {},
    eventSource: 'aws:sqs',
    eventSourceARN: `${ARN}:keys.fifo`,
    awsRegion: 'eu-central-1',
  };
}
