/** POST /events/:cluster. */
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

test('takes a batch, and counts what is no event', async () => {
  const server = testServer();
  const body = JSON.stringify([EVENT, 7, { ...EVENT, id: 'event-2' }, { ...EVENT, type: 'com.example.x' }]);
  const answer = await deliver(server, 'application/cloudevents-batch+json').send(body);
  expect(answer.body).toEqual({ accepted: 2, skipped: 1, ignored: 1, keys: 1 });
  expect(server.queued).toEqual(QUEUED);
});

const NAMED = { namespace: 'shop', name: 'web' };
const NODE = { apiVersion: 'v1', kind: 'Node' };
const SLICE = { apiVersion: 'discovery.k8s.io/v1', kind: 'EndpointSlice', metadata: NAMED };
const SECRET = { ...NAMED, apiVersion: 'v1', kind: 'Secret' };

test.each<[type: string, data: object, keys?: string]>([
  ['resource.delete', SERVICE, 'service/shop/web'],
  ['ref.add', { ...NAMED, apiVersion: 'v1', kind: 'Service' }, 'service/shop/web'],
  ['resource.add', { ...NODE, metadata: { name: 'worker-7' } }, 'node/worker-7 nodeset routes'],
  ['ref.update', { ...NODE, name: 'worker-7' }, 'node/worker-7 nodeset routes'],
  ['resource.delete', { ...NODE, metadata: { name: 'worker-7' } }, 'nodeset routes'],
  ['resource.update', SLICE, 'namespace/shop'],
  ['ref.update', SECRET, 'namespace/shop'],
  ['ref.add', { ...SECRET, apiVersion: 'x.io/v1' }],
  ['ref.add', { ...NAMED, apiVersion: 'serving.knative.dev/v1', kind: 'Service' }],
])('the event %s of %j names %s', async (type, data, keys) => {
  const server = testServer();
  const event = { ...EVENT, type: `dev.knative.apiserver.${type}`, data };
  const batch = JSON.stringify([event, { ...event, specversion: '0.3' }]);
  const answer = await deliver(server, 'application/cloudevents-batch+json').send(batch);
  const accepted = keys === undefined ? 0 : 1;
  expect(answer.body).toMatchObject({ accepted, skipped: 1, ignored: 1 - accepted });
  expect(server.queued.map(({ key }) => key)).toEqual(keys?.split(' ') ?? []);
});

test('takes one event in binary mode', async () => {
  const server = testServer();
  expect((await binary(server, EVENT.type).send(JSON.stringify(SERVICE))).status).toBe(202);
  expect(server.queued).toEqual(QUEUED);
});

const PING = 'dev.knative.sources.ping';
const SWEEP = [{ key: 'all', trigger: 'events', cause: 'event-1' }];

test.each([
  ['nothing', undefined, undefined],
  ['no type, as Knative sends it without contentType,', undefined, 'hello'],
  ['text', 'text/plain', 'hello'],
  ['XML', 'application/xml', '<a/>'],
  ['a JSON of its own', 'application/vnd.example+json; charset=utf-8', '{"a":1}'],
  ['bytes', 'application/octet-stream', '\u0000'],
  ['JSON that is none', 'application/json', '{ value: "hello" }'],
  ['JSON that is too deep', 'application/json', '['.repeat(999)],
])('a ping with %s as data is a sweep', async (_what, type, body) => {
  const server = testServer();
  const call = request(server.app).post('/events/kubernetes').set('Authorization', AUDIT);
  const headers = { specversion: '1.0', id: 'event-1', type: PING, source: '/a' };
  for (const [name, value] of Object.entries(headers)) void call.set(`ce-${name}`, value);
  if (type !== undefined) void call.set('Content-Type', type);
  else if (body !== undefined) call.write(body); // send() would give a type
  const answer = await (type === undefined ? call : call.send(body));
  expect([answer.status, answer.body]).toEqual([202, { accepted: 1, skipped: 0, ignored: 0, keys: 1 }]);
  expect(server.queued).toEqual(SWEEP);
});

test.each([
  ['com.foo', { accepted: 0, skipped: 0, ignored: 1, keys: 0 }],
  [EVENT.type, { accepted: 0, skipped: 1, ignored: 0, keys: 0 }],
])('data of %s that is no JSON makes no sender try again', async (type, counts) => {
  const answer = await binary(testServer(), type).send('hello');
  expect([answer.status, answer.body]).toEqual([202, counts]);
});

test('data in base64 is read', async () => {
  const { data, ...bare } = EVENT;
  const packed = (text: string) => ({ ...bare, data_base64: Buffer.from(text).toString('base64') });
  const server = testServer();
  const body = JSON.stringify([packed(JSON.stringify(data)), packed('['.repeat(999))]);
  const answer = await deliver(server, 'application/cloudevents-batch+json').send(body);
  expect(answer.body).toMatchObject({ accepted: 1, keys: 1, skipped: 1 });
  expect(server.queued).toEqual(QUEUED);
});

test('takes one event in structured mode, beside which headers of an event do not count', async () => {
  const server = testServer();
  const call = binary(server, PING).set('Content-Type', 'application/cloudevents+json');
  const answer = await call.send(JSON.stringify(EVENT));
  expect(answer.status).toBe(202);
  expect(answer.body).toEqual({ accepted: 1, skipped: 0, ignored: 0, keys: 1 });
  expect(server.queued).toEqual(QUEUED);
  const avro = binary(server, PING).set('Content-Type', 'application/cloudevents+avro');
  expect((await avro.send('x')).status).toBe(415);
});

const NEEDS = 'not a CloudEvent: application/json needs the headers ce-specversion, ce-type, ce-id';
test.each([
  ['application/cloudevents+json', '[]', 'not a CloudEvent: the body must be an object with "specversion"'],
  ['application/cloudevents+json', 'x', 'the body is not JSON in UTF-8'],
  ['application/cloudevents-batch+json', '{}', 'not a batch of CloudEvents: the body must be a list'],
  ['application/json', JSON.stringify(EVENT), NEEDS],
])('422: %s %s', async (type, body, error) => {
  const answer = await deliver(testServer(), type).send(body);
  expect(answer.status).toBe(422);
  expect(answer.body).toEqual({ error });
});

describe('the OIDC token of a source', () => {
  const TOKEN = 'head.payload.signature';
  const ping = (server: TestServer, authorization: string): Test =>
    binary(server, 'dev.knative.sources.ping').set('Authorization', authorization).set('Content-Length', '0');

  test('is verified, and never in the log', async () => {
    const verifySender = (token: string) => Promise.resolve(token === TOKEN ? undefined : 'it ended');
    const server = testServer({ verifySender });
    expect((await ping(server, `Bearer ${TOKEN}`)).status).toBe(202);
    const refused = await ping(server, `Bearer ${TOKEN}x`);
    expect(refused.status).toBe(401);
    expect(refused.headers['www-authenticate']).toBe('Bearer error="invalid_token"');
    expect(refused.body).toMatchObject({ error: 'the OIDC token is not valid: it ended' });
    expect(server.queued).toHaveLength(1);
    expect(server.lines.join()).not.toContain(TOKEN);
  });

  test('stands beside the other tokens, and opens no other endpoint', async () => {
    const server = testServer({ verifySender: () => Promise.resolve(undefined) });
    expect((await ping(server, AUDIT)).status).toBe(202);
    expect((await ping(server, 'Bearer no-token-of-three-parts')).status).toBe(401);
    const audit = await request(server.app).post('/audit/kubernetes').set('Authorization', `Bearer ${TOKEN}`);
    expect(audit.status).toBe(401);
    expect((await ping(testServer(), `Bearer ${TOKEN}`)).status).toBe(401);
  });

  test('is asked for again while the keys of the cluster cannot be read', async () => {
    const server = testServer({ verifySender: () => Promise.reject(new Error('no answer')) });
    const answer = await ping(server, `Bearer ${TOKEN}`);
    expect(answer.status).toBe(503);
    expect(answer.headers['retry-after']).toBe('2');
  });
});
