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
  readonly groupId: string;
}

type Down = 'SSM' | 'SQS' | 'SendMessageBatch';

export interface AwsFake {
  readonly url: string;
  /** Accepted messages; a duplicate is accepted and not queued again. */
  readonly sent: SentMessage[];
  readonly parameters: Map<string, string>;
  /** When a parameter was written, in seconds since 1970; long ago where it is not said. */
  readonly modified: Map<string, number>;
  /** So many calls of Parameter Store are answered that there were too many. */
  throttled: number;
  /** What is answered with a status of 200 instead, as a proxy may. */
  garbled: string | undefined;
  /** X-Amz-Target of each request, with the size of a batch or the path. */
  readonly calls: string[];
  /** How often entries with this text in their body are refused before they are taken. */
  readonly refuse: Map<string, number>;
  /** By receipt handle: for how many seconds a received message is hidden. */
  readonly hidden: Map<string, number>;
  /** Receipt handles of messages that somebody else has received since. */
  readonly stale: Set<string>;
  /** What is down, a service or one of its actions: answered with this status, or not at all. */
  readonly down: Map<Down, number | 'hangs'>;
  close(): Promise<void>;
}

type Fields = Readonly<Record<string, unknown>>;
interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/** For so long a deduplication id counts. */
const SEEN_MS = 300_000;
const GROUP = /^[\w!"#$%&'()*+,\-./:;<=>?@[\\\]^`{|}~]{1,128}$/;

export async function startAws(): Promise<AwsFake> {
  const sent: SentMessage[] = [];
  const seen = new Map<string, number>();
  const parameters = new Map<string, string>();
  const modified = new Map<string, number>();
  const tokens = new Map<string, { readonly asked: string; readonly from: number }>();
  const calls: string[] = [];
  const refuse = new Map<string, number>();
  const hidden = new Map<string, number>();
  const stale = new Set<string>();
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
      if (fake.garbled !== undefined) {
        response.end(fake.garbled);
        return;
      }
      const answer = answerTo(request, JSON.parse(body) as Fields);
      response.writeHead(answer.status, { 'content-type': 'application/x-amz-json-1.0' });
      response.end(JSON.stringify(answer.body) as string | undefined);
    });
  });

  const answerTo = (request: http.IncomingMessage, body: Fields): Answer => {
    const target = String(request.headers['x-amz-target']);
    if (!request.headers.authorization?.startsWith('AWS4-HMAC-SHA256 Credential=')) {
      return refused('MissingAuthenticationToken');
    }
    if (target.startsWith('AmazonSSM.') && fake.throttled > 0) {
      fake.throttled -= 1;
      return refused('ThrottlingException', 'Rate exceeded');
    }
    if (target === 'AmazonSSM.GetParametersByPath') return getParametersByPath(body);
    if (target === 'AmazonSSM.GetParameters') return getParameters(body);
    if (target === 'AmazonSQS.SendMessageBatch') return sendBatch(body);
    if (target === 'AmazonSQS.ChangeMessageVisibility') return hide(body);
    return refused('UnknownOperationException');
  };

  const getParameters = (body: Fields): Answer => {
    const names = body['Names'] as readonly string[];
    const ofEntries = names.filter((name) => name.includes('/clusters/'));
    calls.push(['GetParameters', ...ofEntries].join(' '));
    if (names.length > 10 || body['WithDecryption'] !== true) return refused('ValidationException');
    const found = names.filter((name) => parameters.has(name));
    return {
      status: 200,
      body: {
        Parameters: found.map((Name) => ({
          ...{ Name, Value: parameters.get(Name), LastModifiedDate: modified.get(Name) ?? 1_700_000_000 },
        })),
        InvalidParameters: names.filter((name) => !parameters.has(name)),
      },
    };
  };

  /** Pages are in no order that anybody may rely on, and every third is empty, as may be (docs/sources/tools.md, "Parameters by path"). */
  const getParametersByPath = (body: Fields): Answer => {
    const { Path: path, Recursive: isRecursive = false, WithDecryption: isDecrypted = false } = body;
    const { MaxResults: most = 10, NextToken: token, ...rest } = body;
    calls.push(`GetParametersByPath ${String(path)}`);
    const known = ['Path', 'Recursive', 'WithDecryption'];
    const isWhole = Number.isInteger(most) && Number(most) >= 1 && Number(most) <= 10;
    if (!isWhole || Object.keys(rest).some((name) => !known.includes(name)))
      return refused('ValidationException');
    if (typeof path !== 'string' || !/^\/[\w.\-/]*$/.test(path)) return refused('ValidationException');
    const asked = JSON.stringify(rest);
    const begun = typeof token === 'string' ? tokens.get(token) : undefined;
    if (token !== undefined && begun?.asked !== asked) return refused('InvalidNextToken');
    const from = begun?.from ?? 0;
    const prefix = path.endsWith('/') ? path : `${path}/`;
    const below = [...parameters.keys()]
      .filter((name) => name.startsWith(prefix))
      .filter((name) => isRecursive === true || !name.slice(prefix.length).includes('/'));
    const isEmpty = tokens.size % 3 === 2;
    const page = isEmpty ? [] : below.slice(from, from + Number(most));
    const next = from + page.length;
    const nextToken = `token-${tokens.size}`;
    if (next < below.length) tokens.set(nextToken, { asked, from: next });
    return {
      status: 200,
      body: {
        Parameters: page.map((Name) => ({
          ...{
            Name,
            Type: 'SecureString',
            Version: 1,
            LastModifiedDate: modified.get(Name) ?? 1_700_000_000,
          },
          Value: isDecrypted === true ? parameters.get(Name) : 'AQICAHh-encrypted',
        })),
        ...(next < below.length && { NextToken: nextToken }),
      },
    };
  };

  const sendBatch = (body: Fields): Answer => {
    const entries = body['Entries'] as readonly Fields[];
    calls.push(`SendMessageBatch ${entries.length}`);
    if (entries.length === 0) return refused('EmptyBatchRequest');
    if (entries.length > 10) return refused('TooManyEntriesInBatchRequest');
    if (new Set(entries.map((entry) => entry['Id'])).size < entries.length)
      return refused('BatchEntryIdsNotDistinct');
    const failed = entries.flatMap((entry) => {
      const code = send(String(body['QueueUrl']), entry);
      return code ? [{ Id: entry['Id'], Code: code, SenderFault: true }] : [];
    });
    const refusedIds = new Set(failed.map(({ Id }) => Id));
    const taken = entries.flatMap(({ Id }) => (refusedIds.has(Id) ? [] : [{ Id }]));
    return { status: 200, body: { Successful: taken, ...(failed.length > 0 && { Failed: failed }) } };
  };

  const hide = (body: Fields): Answer => {
    const seconds = body['VisibilityTimeout'];
    calls.push('ChangeMessageVisibility');
    if (!Number.isInteger(seconds) || Number(seconds) < 0 || Number(seconds) > 43_200)
      return refused('InvalidParameterValue');
    const receipt = String(body['ReceiptHandle']);
    if (!receipt.startsWith('receipt-')) return refused('ReceiptHandleIsInvalid');
    if (stale.has(receipt)) return refused('MessageNotInflight');
    hidden.set(receipt, Number(seconds));
    return { status: 200, body: undefined };
  };

  const send = (url: string, entry: Fields): string | undefined => {
    const message = String(entry['MessageBody']);
    for (const [part, times] of refuse) {
      if (!message.includes(part) || times === 0) continue;
      refuse.set(part, times - 1);
      return 'InternalError';
    }
    const [queue = ''] = url.split('/').slice(-1);
    const { MessageGroupId: group, MessageDeduplicationId: id } = entry;
    if (!queue.endsWith('.fifo')) return 'QueueDoesNotExist';
    if (typeof group !== 'string' || typeof id !== 'string') return 'MissingParameter';
    if (!GROUP.test(group) || !GROUP.test(id) || 'DelaySeconds' in entry) return 'InvalidParameterValue';
    const seenAtMs = seen.get(`${queue} ${group} ${id}`) ?? -Infinity;
    if (Date.now() - seenAtMs < SEEN_MS) return undefined;
    seen.set(`${queue} ${group} ${id}`, Date.now());
    sent.push({ queue, body: message, groupId: group });
    return undefined;
  };

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const fake: AwsFake = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    sent,
    parameters,
    modified,
    throttled: 0,
    garbled: undefined,
    calls,
    refuse,
    hidden,
    stale,
    down,
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
  return fake;
}

function refused(type: string, message = type): Answer {
  return { status: 400, body: { __type: `com.amazonaws.sqs#${type}`, message } };
}
