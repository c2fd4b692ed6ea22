import { gzipSync } from 'node:zlib';
import request, { type Test } from 'supertest';
import { describe, expect, test } from 'vitest';
import { eventList, nodeEvent, serviceEvent } from '../unit/trigger/audit-events.ts';
import { AUDIT, RESYNC, testServer, type TestServer } from './test-server.ts';
import { AUDIT_TOKEN } from './tokens.ts';

const BATCH = eventList([serviceEvent('create'), serviceEvent('update'), nodeEvent('create')]);

function deliver({ app }: TestServer, path = '/audit/kubernetes?timeout=30s'): Test {
  return request(app).post(path).set('Authorization', AUDIT).set('Content-Type', 'application/json');
}

describe('POST /audit/:cluster', () => {
  const OURS = ['kubernetes', 'cluster-uid'];
  test.each(OURS)('queues a batch for %s and answers 202 with the counts', async (name) => {
    const server = testServer();
    const answer = await deliver(server, `/audit/${name}`).send(JSON.stringify(BATCH));
    expect(answer.status).toBe(202);
    expect(answer.body).toEqual({ accepted: 3, skipped: 0, ignored: 0, keys: 4 });
    const ofNode = { trigger: 'audit', cause: '2f0f1c9e-1111-4a4a-8b8b-5b7d6a9f0c22' };
    expect(server.queued).toEqual([
      { key: 'service/shop/web', trigger: 'audit', cause: '7d3c0b52-5a0e-4f7e-9a53-0f6f3b1d2a11' },
      { key: 'node/worker-7', ...ofNode },
      { key: 'nodeset', ...ofNode },
      { key: 'routes', ...ofNode },
    ]);
    expect(server.counted).toEqual([{ accepted: 3, skipped: 0, ignored: 0 }]);
  });

  describe('refuses, in this order', () => {
    test.each(['/audit', '/events'])(
      '%s: 401, and nothing else is told to whoever has no token; 404 for a cluster that is not ours; 405 for any method but POST',
      async (way) => {
        const { app } = testServer();
        for (const name of ['kubernetes', 'other'])
          expect((await request(app).put(`${way}/${name}`)).status).toBe(401);
        const other = await request(app).put(`${way}/other`).set('Authorization', AUDIT);
        expect([other.status, other.body]).toEqual([404, { error: 'there is no cluster "other"' }]);
        const read = await request(app).get(`${way}/kubernetes`).set('Authorization', AUDIT);
        expect([read.status, read.headers['allow']]).toEqual([405, 'POST']);
      },
    );

    const alike = [AUDIT_TOKEN, AUDIT.slice(0, -1), `${AUDIT}2`, `${AUDIT} ${RESYNC}`, `Digest ${AUDIT}`];
    const others = [undefined, 'Bearer', 'Bearer wrong', RESYNC, `Basic ${btoa(`a:${AUDIT_TOKEN}`)}`];
    test.each([...alike, ...others])('401: token %j, before the body is read', async (token) => {
      const server = testServer();
      const call = request(server.app).post('/audit/kubernetes').set('Content-Type', 'text/plain');
      const answer = await (token === undefined ? call : call.set('Authorization', token)).send('junk');
      expect(answer.status).toBe(401);
      expect(answer.headers['www-authenticate']).toBe('Bearer');
      expect(server.lines.join()).not.toContain('wrong');
    });

    test('401: nobody comes in while no token is configured', async () => {
      const answer = await deliver(testServer({ auditTokens: [] })).send(JSON.stringify(BATCH));
      expect(answer.status).toBe(401);
      const error = 'no token is configured for this endpoint: it refuses everybody';
      expect(answer.body).toEqual({ error });
    });

    const LONG = Buffer.alloc(10 * 2 ** 20 + 1, ' ');
    const NOT_JSON = 'the body is not JSON in UTF-8';
    const STATUS = '{"kind":"Status","apiVersion":"v1","items":[]}';
    const NO_LIST = 'not an audit.k8s.io/v1 EventList: "kind" must be "EventList"';
    test.each<[number, string, Readonly<Record<string, string>>, string | Buffer, string?]>([
      [415, 'text', { type: 'text/plain' }, LONG, 'the body must be application/json, not text/plain'],
      [415, 'an encoding that is not known', { encoding: 'snappy' }, 'x'],
      [413, 'over 10 MB, JSON or not', {}, LONG, 'the body is longer than 10 MB'],
      [413, 'over 10 MB once it is unpacked', { encoding: 'gzip' }, gzipSync(LONG)],
      [422, 'nothing', {}, '', 'the body is empty'],
      [422, 'half a text', {}, '{"kind": "EventList"', NOT_JSON],
      [422, 'bytes', {}, Buffer.from([0x22, 0xff, 0x22]), NOT_JSON],
      [422, 'JSON that is no EventList, with one line that says why', {}, STATUS, NO_LIST],
    ])('%i: %s', async (status, _what, headers, body, error) => {
      const call = deliver(testServer());
      for (const [name, value] of Object.entries(headers)) void call.set(`Content-${name}`, value);
      const answer = await call.serialize((sent: unknown) => sent as string).send(body);
      expect(answer.status).toBe(status);
      if (error !== undefined) expect(answer.body).toEqual({ error });
    });

    test('503 with Retry-After: the queue does not take it; why is for the log', async () => {
      const server = testServer({ enqueue: () => Promise.reject(new Error('sqs.example is away')) });
      const answer = await deliver(server).send(JSON.stringify(BATCH));
      expect(answer.status).toBe(503);
      expect(answer.headers['retry-after']).toBe('2');
      expect(answer.text).not.toContain('sqs.example');
    });
  });
});
