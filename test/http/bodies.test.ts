/** Bodies that a caller with a token may send: what they may cost is bounded before anything is parsed. */
import { once } from 'node:events';
import fc from 'fast-check';
import type { RequestListener } from 'node:http';
import { connect } from 'node:net';
import { PassThrough, Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import request from 'supertest';
import { describe, expect, onTestFinished, test } from 'vitest';
import { whyTooMuch } from '../../shared/model/json.ts';
import { readBody } from '../../functions/http/read-body.ts';
import type { RefusalReason } from '../../functions/http/admit.ts';
import type { Report } from '../../shared/model/outcome.ts';
import { listening } from '../support/for-one-test.ts';
import { AUDIT, RESYNC, testServer, type TestServer } from './test-server.ts';

const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);
const ORDER = { path: '/resync', token: RESYNC, type: 'application/json' };
const ENDPOINTS = [
  { path: '/audit/kubernetes', token: AUDIT, type: 'application/json' },
  { path: '/events/kubernetes', token: AUDIT, type: 'application/cloudevents+json' },
  ORDER,
];

async function post({ app }: TestServer, { path, token, type }: typeof ORDER, body: string | Buffer) {
  const call = request(app).post(path).set('Authorization', token).set('Content-Type', type);
  if (typeof body !== 'string') call.set('Content-Encoding', 'gzip');
  return call.serialize((sent: unknown) => sent as string).send(body);
}

describe.each(ENDPOINTS)('$path', (endpoint) => {
  test('answers JSON that is nested too deep with 422, packed or not', async () => {
    const server = testServer();
    for (const body of [nested(15_000), gzipSync(nested(15_000))]) {
      const answer = await post(server, endpoint, body);
      expect(answer.status).toBe(422);
      expect(answer.body).toEqual({ error: 'the JSON is nested deeper than 200 levels' });
    }
    expect(server.queued).toEqual([]);
  });

  test('refuses a million and more values before it parses them, however small their packet is', async () => {
    const bomb = gzipSync(`{"items":[${'{},'.repeat(3_400_000)}{}]}`);
    expect(bomb.length).toBeLessThan(15_000);
    const before = process.memoryUsage().heapUsed;
    const { status, text } = await post(testServer(), endpoint, bomb);
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(100e6);
    const isOrder = endpoint === ORDER;
    expect([status, JSON.parse(text)]).toEqual(
      isOrder
        ? [413, { error: 'the body is longer than 64 kB' }]
        : [422, { error: 'the JSON has more than 1000000 values' }],
    );
  });
});

test('what is too much is what a parser finds to be: a million values, or 200 levels', () => {
  const innerOf = (value: unknown): readonly unknown[] =>
    typeof value === 'object' && value !== null ? Object.values(value) : [];
  const valuesOf = (value: unknown): number =>
    innerOf(value).reduce((sum: number, inner) => sum + valuesOf(inner), 1);
  const levelsOf = (value: unknown): number =>
    typeof value === 'object' && value !== null ? 1 + Math.max(0, ...innerOf(value).map(levelsOf)) : 0;
  const isTooMuch = (text: string): boolean => whyTooMuch(Buffer.from(text)) !== undefined;
  fc.assert(
    fc.property(fc.json({ maxDepth: 6 }), fc.boolean(), (inner, tooMany) => {
      const others = 1_000_000 - 2 - valuesOf(JSON.parse(inner)) + (tooMany ? 1 : 0);
      expect(isTooMuch(`[ ${inner} ,[${'0,'.repeat(others - 1)}0]]`)).toBe(tooMany);
    }),
    { numRuns: 6 },
  );
  fc.assert(
    fc.property(fc.json({ maxDepth: 6 }), fc.constantFrom(1, 150, 195, 200), (inner, around) => {
      const text = '[ '.repeat(around) + inner + ' ]'.repeat(around);
      expect(isTooMuch(text)).toBe(around + levelsOf(JSON.parse(inner)) > 200);
    }),
  );
});

test('10 MB of audit events that are field managers above all are parsed', () => {
  const conditions = ['Ready', 'Initialized', 'DiskPressure', 'PIDPressure', 'MemoryPressure'].map((type) => {
    const fields = ['.', 'f:type', 'f:status', 'f:reason', 'f:message', 'f:lastProbeTime'];
    return [`k:{"type":"${type}"}`, Object.fromEntries(fields.map((name) => [name, {}]))];
  });
  const fieldsV1 = {
    'f:status': { 'f:conditions': Object.fromEntries(conditions) as object, 'f:images': {} },
  };
  const manager = { manager: 'kubelet', operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV1' };
  const text = JSON.stringify({ ...manager, fieldsV1 });
  const count = Math.floor((10 * 2 ** 20) / (text.length + 1));
  expect(whyTooMuch(Buffer.from(`[${Array.from({ length: count }, () => text).join(',')}]`))).toBeUndefined();
});

test('an order with many unknown fields has a short answer', async () => {
  const server = testServer();
  const fields = Array.from({ length: 6_000 }, (_, at) => `"k${at}":1`);
  const answer = await post(server, ORDER, `{${fields.join(',')}}`);
  expect(answer.status).toBe(422);
  expect(answer.text.length + server.lines.join().length).toBeLessThan(500);
});

describe('large bodies', () => {
  const LARGE = 2_000_000;
  const batch = `{"kind":"EventList","apiVersion":"audit.k8s.io/v1","items":[]}`;

  /** The status of an answer to a POST of so many bytes, of which it sends the last when `finish` is called. */
  function begin(port: number, bytes: number, header = '') {
    const socket = connect(port, '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    socket.write(
      `POST /audit/kubernetes HTTP/1.1\r\nHost: x\r\nAuthorization: ${AUDIT}\r\nContent-Type: application/json\r\nContent-Length: ${bytes}\r\n${header}\r\n`,
    );
    const text = batch.padEnd(bytes);
    socket.write(header === '' ? text.slice(0, -1) : gzipSync(text).subarray(0, 20));
    const status = Promise.race([
      once(socket, 'data').then(([data]) => String(data).slice(9, 12)),
      once(socket, 'close').then(() => 'closed'),
    ]).catch(() => 'closed');
    return { socket, status, finish: () => void socket.write(text.slice(-1)) };
  }

  const portOf = async (app: RequestListener = testServer().app): Promise<number> =>
    Number(new URL(await listening(app)).port);

  const soon = (): Promise<string> => new Promise((resolve) => setTimeout(resolve, 200, 'waits'));

  test('pass one at a time, and small ones beside them', async () => {
    const port = await portOf();
    const first = begin(port, LARGE);
    await soon();
    const second = begin(port, LARGE);
    second.finish();
    const small = begin(port, 1_000);
    small.finish();
    expect(await small.status).toBe('202');
    expect(await Promise.race([second.status, soon()])).toBe('waits');
    first.finish();
    expect(await first.status).toBe('202');
    expect(await second.status).toBe('202');
  });

  test('of many senders pass one at a time in the whole process, and who has waited longest is not last', async () => {
    const limit = 10 * 2 ** 20;
    const headers = { 'content-encoding': 'gzip' };
    const passed: string[] = [];
    const send = (sender: string) => {
      const body = new PassThrough();
      const done = readBody({ headers, body }, { limit, sender }, () => void passed.push(sender));
      return { done, end: () => void body.end(gzipSync('x')) };
    };
    const greedy = Array.from({ length: 5 }, () => send('greedy'));
    const victim = send('victim');
    for (const { end } of greedy.slice(1)) end();
    victim.end();
    expect(await Promise.race([victim.done, soon()])).toBe('waits');
    expect(passed).toEqual([]);
    greedy[0]?.end();
    await Promise.all([...greedy, victim].map(({ done }) => done));
    expect(passed.indexOf('victim')).toBeLessThan(3);
  });

  test('are also those that say they are small, when so many of them come that their sum is not', async () => {
    const lengths = Array.from({ length: 64 }, () => 900_000);
    const held = lengths.map((bytes) => {
      const body = new PassThrough({ highWaterMark: 10 });
      const headers = { 'content-length': `${bytes}` };
      const done = readBody({ headers, body }, { limit: 10 * 2 ** 20 }, () => 0);
      return { body, done, isTaken: () => body.write('x'.repeat(20)) };
    });
    await soon();
    expect(held.filter(({ isTaken }) => isTaken()).length).toBeLessThan(40);
    for (const { body } of held) body.end();
    await Promise.all(held.map(({ done }) => done));
  });

  /** Gives a body up after a tenth of a second. */
  const hurried: RequestListener = (message, response) => {
    const limits = { limit: 10 * 2 ** 20, sendMs: 100 };
    const read = readBody({ headers: message.headers, body: message }, limits, () =>
      response.writeHead(202).end(),
    );
    read.catch(() => undefined);
  };

  test.each<[string, RequestListener | undefined, (first: ReturnType<typeof begin>) => unknown]>([
    ['a sender goes away', undefined, ({ socket }) => socket.destroy()],
    ['they do not come', hurried, () => undefined],
  ])('let the next one in when %s', async (_, app, goes) => {
    const port = await portOf(app);
    const first = begin(port, LARGE);
    await soon();
    const second = begin(port, LARGE);
    second.finish();
    goes(first);
    expect([await first.status, await second.status]).toEqual(['closed', '202']);
  });

  test('hold up nothing where no body may be large, whatever one says of its length', async () => {
    const small = { limit: 64 * 2 ** 10 };
    const headers = { 'content-encoding': 'gzip' };
    const slow = new PassThrough();
    const first = readBody({ headers, body: slow }, small, String);
    const quick = Readable.from([gzipSync('quick')]);
    expect(await readBody({ headers, body: quick }, small, String)).toBe('quick');
    slow.end(gzipSync('slow'));
    expect(await first).toBe('slow');
  });

  test('of a dry run let the next one in when it has been read, not when its run has ended', async () => {
    const runs: ((reports: readonly Report[]) => void)[] = [];
    const server = testServer({ dryRun: () => new Promise((resolve) => void runs.push(resolve)) });
    const order = gzipSync('{"objects":["service/shop/web"],"dryRun":true}');
    const answers = [post(server, ORDER, order), post(server, ORDER, order)].map((answer) => answer.then());
    await expect.poll(() => runs).toHaveLength(2);
    for (const end of runs) end([]);
    for (const answer of answers) expect((await answer).status).toBe(200);
  });

  test('that break off count as such, small ones and packed ones too', async () => {
    const reasons: RefusalReason[] = [];
    const port = await portOf(testServer({ observeRefusal: (reason) => reasons.push(reason) }).app);
    for (const bytes of [1_000, LARGE]) {
      const { socket } = begin(port, bytes);
      await soon();
      socket.destroy();
    }
    const packed = begin(port, 1_000, 'Content-Encoding: gzip\r\n');
    await soon();
    packed.socket.destroy();
    await expect.poll(() => reasons).toEqual(['aborted', 'aborted', 'aborted']);
  });
});
