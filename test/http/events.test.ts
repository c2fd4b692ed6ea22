import request, { type Test } from 'supertest';
import { describe, expect, test } from 'vitest';
import { AUDIT, testServer, type TestServer } from './test-server.ts';

const SERVICE = { apiVersion: 'v1', kind: 'Service', metadata: { namespace: 'shop', name: 'web' } };
const EVENT = {
  specversion: '1.0',
  id: 'event-1',
  source: 'https://10.96.0.1:443',
  type: 'dev.knative.apiserver.resource.update',
  data: SERVICE,
};
const QUEUED = [{ key: 'service/shop/web', trigger: 'events', cause: 'event-1' }];

function deliver({ app }: TestServer, type?: string): Test {
  const call = request(app).post('/events/kubernetes').set('Authorization', AUDIT);
  return type === undefined ? call : call.set('Content-Type', type);
}

function binary(server: TestServer, type: string): Test {
  const call = deliver(server, 'application/json').set('ce-specversion', '1.0').set('ce-id', 'event-1');
  return call.set('ce-type', type).set('ce-source', 'https://10.96.0.1:443');
}

describe('POST /events/:cluster', () => {
  test('takes one event in structured mode', async () => {
    const server = testServer();
    const answer = await deliver(server, 'application/cloudevents+json').send(JSON.stringify(EVENT));
    expect(answer.status).toBe(202);
    expect(answer.body).toEqual({ accepted: 1, skipped: 0, ignored: 0, keys: 1 });
    expect(server.queued).toEqual(QUEUED);
  });

  test('takes a batch, and counts what is no event', async () => {
    const server = testServer();
    const body = JSON.stringify([EVENT, 7, { ...EVENT, id: 'event-2' }, { ...EVENT, type: 'com.example.x' }]);
    const answer = await deliver(server, 'application/cloudevents-batch+json').send(body);
    expect(answer.body).toEqual({ accepted: 2, skipped: 1, ignored: 1, keys: 1 });
    expect(server.queued).toEqual(QUEUED);
  });

  test('takes one event in binary mode', async () => {
    const server = testServer();
    const answer = await binary(server, EVENT.type).send(JSON.stringify(SERVICE));
    expect(answer.status).toBe(202);
    expect(server.queued).toEqual(QUEUED);
  });

  test('a ping without data is a sweep', async () => {
    const server = testServer();
    const answer = await binary(server, 'dev.knative.sources.ping').set('Content-Length', '0');
    expect(answer.status).toBe(202);
    expect(server.queued).toEqual([{ key: 'all', trigger: 'events', cause: 'event-1' }]);
  });

  test.each([
    ['application/cloudevents+json', '[]', 'not a CloudEvent: the body must be an object with "specversion"'],
    ['application/cloudevents+json', 'x', 'the body is not JSON in UTF-8'],
    ['application/cloudevents-batch+json', '{}', 'not a batch of CloudEvents: the body must be a list'],
    [
      'application/json',
      JSON.stringify(EVENT),
      'not a CloudEvent: application/json needs the headers ce-specversion, ce-type, ce-id',
    ],
  ])('422: %s %s', async (type, body, error) => {
    const answer = await deliver(testServer(), type).send(body);
    expect(answer.status).toBe(422);
    expect(answer.body).toEqual({ error });
  });

  test('refuses as /audit does: 401, 404, 405, 415', async () => {
    const { app } = testServer();
    expect((await request(app).post('/events/other')).status).toBe(401);
    expect((await request(app).get('/events/other').set('Authorization', AUDIT)).status).toBe(404);
    expect((await request(app).get('/events/kubernetes').set('Authorization', AUDIT)).status).toBe(405);
    expect((await deliver(testServer(), 'text/plain').send('x')).status).toBe(415);
  });
});
