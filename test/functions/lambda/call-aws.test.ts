import { createHash, createHmac } from 'node:crypto';
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { callAws, type AwsAnswer, type AwsCall } from '../../../shared/call-aws.ts';

const ACCESS = {
  region: 'eu-central-1',
  credentials: { accessKeyId: 'id', secretAccessKey: 'secret', sessionToken: 'session' },
};

type Answering = (request: http.IncomingMessage, body: string, response: http.ServerResponse) => void;

/** Calls a server that answers so. */
async function served(answer: Answering): Promise<(limitMs?: number) => Promise<AwsAnswer>> {
  const server = http.createServer((request, response) => {
    void text(request).then((body) => {
      answer(request, body, response);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const call = { service: 'sqs', url, target: 'AmazonSQS.SendMessage', version: '1.0' } as const;
  return (limitMs = 5_000) => callAws({ ...call, fields: { text: 'ä' } } satisfies AwsCall, ACCESS, limitMs);
}

/** The signature that AWS computes of what came (Signature Version 4). */
function signatureOf({ method = '', url = '', headers }: http.IncomingMessage, body: string): string {
  const authorization = headers.authorization ?? '';
  const [, scope = ''] = /Credential=[^/]+\/([^,]+)/.exec(authorization) ?? [];
  const [, names = ''] = /SignedHeaders=([^,]+)/.exec(authorization) ?? [];
  const sha256 = (data: string): string => createHash('sha256').update(data).digest('hex');
  const hmac = (key: string | Buffer, data: string): Buffer =>
    createHmac('sha256', key).update(data).digest();
  const signed = names.split(';').map((name) => `${name}:${String(headers[name])}\n`);
  const canonical = [method, url, '', signed.join(''), names, sha256(body)].join('\n');
  const toSign = ['AWS4-HMAC-SHA256', headers['x-amz-date'], scope, sha256(canonical)].join('\n');
  const key = scope.split('/').reduce<string | Buffer>(hmac, `AWS4${ACCESS.credentials.secretAccessKey}`);
  return hmac(key, toSign).toString('hex');
}

test('a call is signed as AWS computes it from what comes, the session and the target too', async () => {
  const call = await served((request, body, response) => {
    const given = /Signature=(\w+)/.exec(request.headers.authorization ?? '')?.[1];
    response.writeHead(given === signatureOf(request, body) ? 200 : 403);
    response.end(JSON.stringify({ body, headers: request.headers }));
  });

  const { status, text: answered } = await call();

  expect(status).toBe(200);
  const { body, headers } = JSON.parse(answered) as { body: string; headers: Record<string, string> };
  expect(body).toBe('{"text":"ä"}');
  expect(headers).toMatchObject({
    'content-type': 'application/x-amz-json-1.0',
    'x-amz-target': 'AmazonSQS.SendMessage',
    'x-amz-security-token': 'session',
  });
  const [, names = ''] = /SignedHeaders=([^,]+)/.exec(headers['authorization'] ?? '') ?? [];
  expect(names.split(';')).toEqual(expect.arrayContaining(['host', 'x-amz-security-token', 'x-amz-target']));
});

test('a busy AWS is called three times, and one that refuses once', async () => {
  const answers = [500, 429, 200, 503, 503, 503, 400];
  const call = await served((_request, _body, response) => {
    response.writeHead(answers.shift() ?? 0).end();
  });

  expect([(await call()).status, (await call()).status, (await call()).status]).toEqual([200, 503, 400]);
  expect(answers).toEqual([]);
});

test('a call that meets a connection which AWS has closed meanwhile is sent again, on a new one', async () => {
  const seen: http.IncomingMessage['socket'][] = [];
  const call = await served(({ socket }, _body, response) => {
    seen.push(socket);
    if (seen.length === 2) socket.resetAndDestroy();
    else response.end('{}');
  });

  await call();
  expect((await call()).status).toBe(200);

  expect(seen[1]).toBe(seen[0]);
  expect(seen[2]).not.toBe(seen[1]);
});

test('a call without an answer ends with its time, and says so', async () => {
  const call = await served(() => undefined);

  await expect(call(100)).rejects.toMatchObject({ name: 'TimeoutError' });
});
