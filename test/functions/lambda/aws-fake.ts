/**
 * SQS and SSM as far as levelset calls them: an HTTP server that refuses what they refuse (docs/sources/tools.md, "SQS
 * FIFO queues").
 */
import { createHash, createHmac } from 'node:crypto';
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** No answer, a connection that ends once, or an answer of another kind, so many times or until it is over. */
type Trouble = 'hangs' | 'resets' | { readonly status: number; readonly text?: string; times?: number };

export type AwsFake = Awaited<ReturnType<typeof startAws>>;

type Fields = Readonly<Record<string, unknown>>;
type Answer = Fields | undefined;

/** The secret and the session of each access key. */
const ACCESS = new Map<string, readonly string[]>(Object.entries({ id: ['secret'], lab: ['lab', 'lab'] }));
/** For so long a deduplication id counts. */
const SEEN_MS = 300_000;
const GROUP = /^[\w!"#$%&'()*+,\-./:;<=>?@[\\\]^`{|}~]{1,128}$/;
const LONG_AGO_S = 1_700_000_000;

export async function startAws() {
  const seen = new Map<string, number>();
  let pages = 0;
  const server = http.createServer((request, response) => {
    void text(request).then((body) => {
      const [service, action = ''] = String(request.headers['x-amz-target']).split('.');
      const { trouble: all } = fake;
      const trouble =
        all.get(service === 'AmazonSSM' ? 'SSM' : 'SQS') ?? all.get(action as 'SendMessageBatch');
      if (trouble === undefined) {
        const answerTo = isSigned(request, body) ? ACTIONS[action] : () => refused('InvalidSignature');
        const answer = (answerTo ?? (() => refused('UnknownOperation')))(JSON.parse(body) as Fields);
        response.writeHead(answer?.['__type'] === undefined ? 200 : 400);
        response.end(JSON.stringify(answer) as string | undefined);
        return;
      }
      fake.troubled += 1;
      if (trouble === 'hangs') return;
      if (trouble === 'resets' || (trouble.times !== undefined && (trouble.times -= 1) === 0)) all.clear();
      if (trouble === 'resets') request.socket.resetAndDestroy();
      else response.writeHead(trouble.status).end(trouble.text);
    });
  });

  const shown = (Name: string, value = fake.parameters.get(Name)): Fields => ({
    ...{ Name, Value: value, LastModifiedDate: fake.modified.get(Name) ?? LONG_AGO_S },
  });

  const ACTIONS: Readonly<Record<string, (body: Fields) => Answer>> = {
    GetParameters: (body) => {
      const names = body['Names'] as readonly string[];
      fake.calls.push(['GetParameters', ...names.filter((name) => name.includes('/clusters/'))].join(' '));
      if (names.length > 10 || body['WithDecryption'] !== true) return refused('Validation');
      return { Parameters: names.filter((name) => fake.parameters.has(name)).map((name) => shown(name)) };
    },

    /** Pages are in no order that anybody may rely on, and every third is empty, as may be (docs/sources/tools.md, "Parameters by path"). */
    GetParametersByPath: ({ MaxResults: most, NextToken: token, ...asked }) => {
      const path = String(asked['Path']);
      fake.calls.push(`GetParametersByPath ${path}`);
      const [before, from = 0] = JSON.parse((token ?? '[]') as string) as [string?, number?];
      const isGoingOn = before === undefined || before === JSON.stringify(asked);
      if (!isGoingOn || !(Number(most) >= 1 && Number(most) <= 10)) return refused('Validation');
      const below = [...fake.parameters.keys()]
        .filter((name) => name.startsWith(path))
        .filter((name) => asked['Recursive'] === true || !name.slice(path.length).includes('/'));
      const end = from + (from > 0 && ++pages % 3 === 0 ? 0 : Number(most));
      const isDecrypted = asked['WithDecryption'] === true;
      return {
        Parameters: below.slice(from, end).map((name) => shown(name, isDecrypted ? undefined : 'AQICAHh')),
        ...(end < below.length && { NextToken: JSON.stringify([JSON.stringify(asked), end]) }),
      };
    },

    SendMessageBatch: (body) => {
      const entries = body['Entries'] as readonly Fields[];
      fake.calls.push(`SendMessageBatch ${entries.length}`);
      if (entries.length === 0 || entries.length > 10) return refused('TooManyEntriesInBatchRequest');
      const codes = entries.map((entry) => [entry['Id'], send(String(body['QueueUrl']), entry)] as const);
      return {
        Successful: codes.flatMap(([Id, code]) => (code === undefined ? [{ Id }] : [])),
        Failed: codes.flatMap(([Id, code]) => (code === undefined ? [] : [{ Id, Code: code }])),
      };
    },

    ChangeMessageVisibility: ({ ReceiptHandle: receipt, VisibilityTimeout: seconds }) => {
      fake.calls.push(`ChangeMessageVisibility ${String(receipt)} ${String(seconds)}`);
      return undefined;
    },
  };

  const send = (queue: string, entry: Fields): string | undefined => {
    const { MessageBody: body, MessageGroupId: group, MessageDeduplicationId: id } = entry;
    if (!queue.endsWith('.fifo')) return 'QueueDoesNotExist';
    if (typeof group !== 'string' || typeof id !== 'string') return 'MissingParameter';
    if (!GROUP.test(group) || !GROUP.test(id) || 'DelaySeconds' in entry) return 'InvalidParameterValue';
    const seenAtMs = seen.get(`${group} ${id}`) ?? -Infinity;
    if (Date.now() - seenAtMs < SEEN_MS) return undefined;
    seen.set(`${group} ${id}`, Date.now());
    fake.sent.push({ body: String(body), groupId: group });
    return undefined;
  };

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const fake = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Accepted messages; a duplicate is accepted and not queued again. */
    sent: [] as { readonly body: string; readonly groupId: string }[],
    parameters: new Map<string, string>(),
    /** When a parameter was written, in seconds since 1970; long ago where it is not said. */
    modified: new Map<string, number>(),
    /** Each call that was answered: its action, with the size of a batch, the path, or which message is hidden for how long. */
    calls: [] as string[],
    /** By a service or one of its actions. */
    trouble: new Map<'SSM' | 'SQS' | 'ChangeMessageVisibility' | 'SendMessageBatch', Trouble>(),
    troubled: 0,
    close: async (): Promise<void> => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
  return fake;
}

function refused(type: string): Answer {
  return { __type: `com.amazonaws#${type}` };
}

/** Whether the signature is that which AWS computes of what came, over all that must be signed (Signature Version 4). */
function isSigned({ method = '', url = '', headers }: http.IncomingMessage, body: string): boolean {
  const pattern = /^AWS4-HMAC-SHA256 Credential=([^/]+)\/([^,]+), SignedHeaders=([^,]+), Signature=(\w+)$/;
  const [, key = '', scope = '', names = '', given] = pattern.exec(headers.authorization ?? '') ?? [];
  const [secret, token] = ACCESS.get(key) ?? [];
  const needed = Object.keys(headers).filter((name) => name === 'host' || name.startsWith('x-amz-'));
  const isWhole = needed.every((name) => names.split(';').includes(name));
  if (secret === undefined || headers['x-amz-security-token'] !== token || !isWhole) return false;
  const sha256 = (data: string): string => createHash('sha256').update(data).digest('hex');
  const hmac = (by: string | Buffer, data: string): Buffer => createHmac('sha256', by).update(data).digest();
  const lines = names.split(';').map((name) => `${name}:${String(headers[name])}\n`);
  const canonical = [method, url, '', lines.join(''), names, sha256(body)].join('\n');
  const toSign = ['AWS4-HMAC-SHA256', headers['x-amz-date'], scope, sha256(canonical)].join('\n');
  const by = scope.split('/').reduce<string | Buffer>(hmac, `AWS4${secret}`);
  return hmac(by, toSign).toString('hex') === given;
}
