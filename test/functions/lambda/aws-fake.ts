/**
 * SQS and SSM as far as levelset calls them: an HTTP server that refuses what they refuse (docs/sources/tools.md, "SQS
 * FIFO queues").
 */
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface SentMessage {
  readonly queue: string;
  readonly body: string;
  readonly groupId: string | undefined;
  readonly delaySeconds: number | undefined;
  /** The texts of its attributes. */
  readonly attributes?: Readonly<Record<string, string>>;
}

type Down = 'SSM' | 'SQS' | 'SendMessageBatch';

export interface AwsFake {
  readonly url: string;
  /** Accepted messages; a duplicate is accepted and not queued again. */
  readonly sent: SentMessage[];
  readonly parameters: Map<string, string>;
  /** X-Amz-Target of each request, with the size of a batch. */
  readonly calls: string[];
  /** How often entries with this text in their body are refused before they are taken. */
  readonly refuse: Map<string, number>;
  /** By receipt handle: in how many seconds a received message is to be seen again. */
  readonly shown: Map<string, number>;
  /** What is down, a service or one of its actions: answered with this status, or not at all. */
  readonly down: Map<Down, number | 'hangs'>;
  close(): Promise<void>;
}

type Fields = Readonly<Record<string, unknown>>;
interface Answer {
  readonly status: number;
  readonly body: unknown;
}

const GROUP = /^[\w!"#$%&'()*+,\-./:;<=>?@[\\\]^`{|}~]{1,128}$/;

export async function startAws(): Promise<AwsFake> {
  const sent: SentMessage[] = [];
  const seen = new Set<string>();
  const parameters = new Map<string, string>();
  const calls: string[] = [];
  const refuse = new Map<string, number>();
  const shown = new Map<string, number>();
  const down = new Map<Down, number | 'hangs'>();

  const server = http.createServer((request, response) => {
    void text(request).then((body) => {
      const [service, action] = String(request.headers['x-amz-target']).split('.');
      const trouble = down.get(service === 'AmazonSSM' ? 'SSM' : 'SQS') ?? down.get(action as Down);
      if (trouble === 'hangs') return;
      if (trouble !== undefined) {
        response.writeHead(trouble).end('{"__type":"InternalServerError"}');
        return;
      }
      const answer = answerTo(request, JSON.parse(body) as Fields);
      response.writeHead(answer.status, { 'content-type': 'application/x-amz-json-1.0' });
      response.end(JSON.stringify(answer.body));
    });
  });

  const answerTo = (request: http.IncomingMessage, body: Fields): Answer => {
    const target = String(request.headers['x-amz-target']);
    if (!request.headers.authorization?.startsWith('AWS4-HMAC-SHA256 Credential=')) {
      return refused('MissingAuthenticationToken');
    }
    if (target === 'AmazonSSM.GetParameters') return getParameters(body);
    if (target === 'AmazonSQS.SendMessageBatch') return sendBatch(body);
    if (target === 'AmazonSQS.SendMessage') return sendOne(body);
    if (target === 'AmazonSQS.ChangeMessageVisibilityBatch') return showAgain(body);
    return refused('UnknownOperationException');
  };

  const getParameters = (body: Fields): Answer => {
    calls.push('GetParameters');
    const names = body['Names'] as readonly string[];
    if (names.length > 10 || body['WithDecryption'] !== true) return refused('ValidationException');
    const found = names.filter((name) => parameters.has(name));
    return {
      status: 200,
      body: {
        Parameters: found.map((Name) => ({ Name, Value: parameters.get(Name) })),
        InvalidParameters: names.filter((name) => !parameters.has(name)),
      },
    };
  };

  const inBatch = (action: string, body: Fields, take: (entry: Fields) => string | undefined): Answer => {
    const entries = body['Entries'] as readonly Fields[];
    calls.push(`${action} ${entries.length}`);
    if (entries.length === 0) return refused('EmptyBatchRequest');
    if (entries.length > 10) return refused('TooManyEntriesInBatchRequest');
    if (new Set(entries.map((entry) => entry['Id'])).size < entries.length)
      return refused('BatchEntryIdsNotDistinct');
    const failed = entries.flatMap((entry) => {
      const code = take(entry);
      return code ? [{ Id: entry['Id'], Code: code, SenderFault: true }] : [];
    });
    return { status: 200, body: { Successful: [], ...(failed.length > 0 && { Failed: failed }) } };
  };

  const sendBatch = (body: Fields): Answer =>
    inBatch('SendMessageBatch', body, (entry) => send(String(body['QueueUrl']), entry));

  const sendOne = (body: Fields): Answer => {
    calls.push('SendMessage');
    const code = send(String(body['QueueUrl']), body);
    return code ? refused(code) : { status: 200, body: { MessageId: 'm' } };
  };

  const showAgain = (body: Fields): Answer =>
    inBatch('ChangeMessageVisibilityBatch', body, (entry) => {
      const seconds = entry['VisibilityTimeout'];
      if (!Number.isInteger(seconds) || Number(seconds) < 0 || Number(seconds) > 43_200)
        return 'InvalidParameterValue';
      const receipt = String(entry['ReceiptHandle']);
      if (!receipt.startsWith('receipt-')) return 'ReceiptHandleIsInvalid';
      shown.set(receipt, Number(seconds));
      return undefined;
    });

  const send = (url: string, entry: Fields): string | undefined => {
    const message = String(entry['MessageBody']);
    for (const [part, times] of refuse) {
      if (!message.includes(part) || times === 0) continue;
      refuse.set(part, times - 1);
      return 'InternalError';
    }
    const [queue = ''] = url.split('/').slice(-1);
    const delay = entry['DelaySeconds'];
    const group = entry['MessageGroupId'];
    if (queue.endsWith('.fifo')) {
      const id = entry['MessageDeduplicationId'];
      if (typeof group !== 'string' || typeof id !== 'string') return 'MissingParameter';
      if (!GROUP.test(group) || !GROUP.test(id) || delay !== undefined) return 'InvalidParameterValue';
      if (seen.has(id)) return undefined;
      seen.add(id);
    } else if (
      delay !== undefined &&
      (!Number.isInteger(delay) || Number(delay) < 0 || Number(delay) > 900)
    ) {
      return 'InvalidParameterValue';
    } else if (entry['MessageDeduplicationId'] !== undefined) return 'InvalidParameterValue';
    const attributes = entry['MessageAttributes'] as
      Readonly<Record<string, { DataType?: string; StringValue?: string }>> | undefined;
    const texts = Object.entries(attributes ?? {}).map(([name, { DataType, StringValue = '' }]) => {
      return DataType === 'String' && StringValue !== '' ? [name, StringValue] : [];
    });
    if (texts.some((text) => text.length === 0)) return 'InvalidParameterValue';
    sent.push({
      ...(attributes && { attributes: Object.fromEntries(texts) as Record<string, string> }),
      queue,
      body: message,
      groupId: typeof group === 'string' ? group : undefined,
      delaySeconds: typeof delay === 'number' ? delay : undefined,
    });
    return undefined;
  };

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    sent,
    parameters,
    calls,
    refuse,
    shown,
    down,
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

function refused(type: string): Answer {
  return { status: 400, body: { __type: `com.amazonaws.sqs#${type}`, message: type } };
}
