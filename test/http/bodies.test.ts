/** Bodies that a caller with a token may send: what they may cost is bounded before anything is parsed. */
import fc from 'fast-check';
import http from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { gzipSync } from 'node:zlib';
import request from 'supertest';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { whyTooMuch } from '../../shared/model/text/json-size.ts';
import { readBody } from '../../functions/http/read-body.ts';
import type { RefusalReason } from '../../functions/http/server-options.ts';
import { AUDIT, RESYNC, testServer, type TestServer } from './test-server.ts';

const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);
interface Endpoint {
  readonly path: string;
  readonly token: string;
  readonly type: string;
}
const ORDER: Endpoint = { path: '/resync', token: RESYNC, type: 'application/json' };
const ENDPOINTS: readonly Endpoint[] = [
  { path: '/audit/kubernetes', token: AUDIT, type: 'application/json' },
  { path: '/events/kubernetes', token: AUDIT, type: 'application/cloudevents+json' },
  ORDER,
];

async function post({ app }: TestServer, { path, token, type }: Endpoint, body: string | Buffer) {
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

test('values are those that a parser finds', () => {
  const valuesOf = (value: unknown): number =>
    typeof value === 'object' && value !== null
      ? 1 + Object.values(value).reduce((sum: number, inner) => sum + valuesOf(inner), 0)
      : 1;
  const filled = (most: number): string => `[${'0,'.repeat(most - 1)}0]`;
  fc.assert(
    fc.property(fc.json({ maxDepth: 6 }), fc.boolean(), (inner, tooMany) => {
      const others = 1_000_000 - 2 - valuesOf(JSON.parse(inner)) + (tooMany ? 1 : 0);
      const text = `[ ${inner} ,${filled(others)}]`;
      expect(whyTooMuch(Buffer.from(text)) !== undefined).toBe(tooMany);
    }),
    { numRuns: 6 },
  );
});

test('10 MB of audit events that are field managers above all are parsed', () => {
  const fields = (names: readonly string[]): object => Object.fromEntries(names.map((name) => [name, {}]));
  const condition = { ...fields(['.', 'f:type', 'f:status', 'f:reason', 'f:message', 'f:lastProbeTime']) };
  const conditions = ['Ready', 'Initialized', 'DiskPressure', 'PIDPressure', 'MemoryPressure'];
  const entry = {
    manager: 'kubelet',
    operation: 'Update',
    apiVersion: 'v1',
    fieldsType: 'FieldsV1',
    fieldsV1: {
      'f:metadata': {
        'f:annotations': fields(['.', 'f:node.alpha.kubernetes.io/ttl']),
        'f:labels': fields(['.', 'f:a', 'f:app', 'f:zone', 'f:role']),
      },
      'f:spec': fields(['f:podCIDR', 'f:podCIDRs', 'f:taints', 'f:ports']),
      'f:status': {
        'f:conditions': Object.fromEntries(conditions.map((type) => [`k:{"type":"${type}"}`, condition])),
        'f:images': {},
        'f:ip': {},
      },
    },
  };
  const text = JSON.stringify(entry);
  const managers = `[${Array.from({ length: (10 * 2 ** 20) / (text.length + 1) }, () => text).join(',')}]`;
  expect(managers.length).toBeGreaterThan(10.4e6);
  expect(whyTooMuch(Buffer.from(managers))).toBeUndefined();
});

test('levels are those that a parser finds', () => {
  const levelsOf = (value: unknown): number =>
    typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(levelsOf)) : 0;
  fc.assert(
    fc.property(fc.json({ maxDepth: 6 }), fc.constantFrom(1, 150, 195, 200), (inner, around) => {
      const text = '[ '.repeat(around) + inner + ' ]'.repeat(around);
      const isDeep = around + levelsOf(JSON.parse(inner)) > 200;
      expect(whyTooMuch(Buffer.from(text)) !== undefined).toBe(isDeep);
    }),
  );
});

test('an order with many unknown fields has a short answer, and one that is too long is not read', async () => {
  const server = testServer();
  const orderOf = (count: number): string =>
    `{${Array.from({ length: count }, (_, at) => `"k${at}":1`).join(',')}}`;
  const answer = await post(server, ORDER, orderOf(6_000));
  expect(answer.status).toBe(422);
  expect(answer.text.length + server.lines.join().length).toBeLessThan(500);
  const long = await post(server, ORDER, orderOf(500_000));
  expect([long.status, long.text.length]).toEqual([413, 41]);
});

describe('bodies', () => {
  const LARGE = 2_000_000;
  const batch = `{"kind":"EventList","apiVersion":"audit.k8s.io/v1","items":[]}`;

  /** A POST of so many bytes, of which it does not send the last. */
  function begin(port: number, bytes: number, header = ''): Socket {
    const socket = connect(port, '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    socket.write(
      `POST /audit/kubernetes HTTP/1.1\r\nHost: x\r\nAuthorization: ${AUDIT}\r\nContent-Type: application/json\r\nContent-Length: ${bytes}\r\n${header}\r\n`,
    );
    const text = batch.padEnd(bytes);
    socket.write(header === '' ? text.slice(0, -1) : gzipSync(text).subarray(0, 20));
    return socket;
  }

  async function listening(app: http.RequestListener = testServer().app): Promise<number> {
    const server = http.createServer(app).listen(0, '127.0.0.1');
    onTestFinished(() => {
      server.close();
      server.closeAllConnections();
    });
    await new Promise((resolve) => server.once('listening', resolve));
    return (server.address() as AddressInfo).port;
  }

  const soon = (): Promise<string> => new Promise((resolve) => setTimeout(resolve, 200, 'waits'));

  test('of one sender are refused when they are too many at once, those of others are not, and later ones are taken', async () => {
    const limit = 10 * 2 ** 20;
    const part = Buffer.alloc(9 * 2 ** 20);
    const send = (sender: string) => {
      const body = new PassThrough();
      body.write(part);
      const done = readBody({ headers: {}, body }, { limit, sender }, ({ length }) => length);
      return { done, end: () => void body.end() };
    };
    const first = [send('greedy'), send('greedy')];
    await soon();
    await expect(send('greedy').done).rejects.toMatchObject({ status: 503 });
    const others = ['a', 'b', 'c', 'd', 'e'].map(send);
    await soon();
    await expect(send('one more').done).rejects.toMatchObject({
      status: 503,
      more: { headers: { 'Retry-After': '2' } },
    });
    for (const { end } of [...first, ...others]) end();
    for (const { done } of [...first, ...others]) expect(await done).toBe(part.length);
    const last = send('greedy');
    last.end();
    expect(await last.done).toBe(part.length);
  });

  test('that break off count as such, small ones and packed ones too', async () => {
    const reasons: RefusalReason[] = [];
    const port = await listening(testServer({ observeRefusal: (reason) => reasons.push(reason) }).app);
    for (const bytes of [1_000, LARGE]) {
      const socket = begin(port, bytes);
      await soon();
      socket.destroy();
    }
    const packed = begin(port, 1_000, 'Content-Encoding: gzip\r\n');
    await soon();
    packed.destroy();
    await vi.waitFor(() => {
      expect(reasons).toEqual(['aborted', 'aborted', 'aborted']);
    });
  });
});
