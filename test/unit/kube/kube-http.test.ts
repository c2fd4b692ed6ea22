import type { IncomingMessage } from 'node:http';
import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import {
  answerError,
  createKubeHttp,
  type KubeCall,
  type KubeRequest,
} from '../../../shared/kube/kube-http.ts';
import { ReconcileError } from '../../../shared/model/errors.ts';
import { listening } from '../../support/for-one-test.ts';

type Source = Parameters<typeof createKubeHttp>[0]['credential'];

/** `reset` closes the connection without an answer. */
type Told = { status: number; body?: unknown; headers?: Record<string, string> } | 'reset';

const READ: KubeRequest = { method: 'GET', path: '/api/v1/nodes', doing: 'list Nodes' };
const WRITE: KubeRequest = { method: 'POST', path: '/api/v1/nodes', body: {}, doing: 'write a Node' };

/** A server with the answers of a test, for what the simulator never does. */
async function start(answer: (asked: IncomingMessage, nth: number) => Told) {
  const asked: IncomingMessage[] = [];
  const url = await listening((request, response) => {
    asked.push(request);
    const told = answer(request, asked.length);
    if (told === 'reset') return request.socket.destroy();
    const text = typeof told.body === 'string' ? told.body : JSON.stringify(told.body ?? {});
    const type = typeof told.body === 'string' ? 'text/plain' : 'application/json';
    return response.writeHead(told.status, { 'content-type': type, ...told.headers }).end(text);
  });
  const connection = { source: 'test', server: url, tls: {}, credential: () => Promise.resolve({}) };
  return { url, connection, asked };
}

function failure(status: number, message: string): { status: number; body: unknown } {
  return { status, body: { kind: 'Status', apiVersion: 'v1', status: 'Failure', message, code: status } };
}

function caught(run: Promise<unknown>): Promise<unknown> {
  return run.catch((error: unknown) => error);
}

it('nothing is asked in a run whose time is over', async () => {
  const { connection, asked } = await start(() => ({ status: 200 }));
  const late = createKubeHttp(connection)({ ...READ, leftMs: () => 0 });
  expect(await caught(late)).toMatchObject({ code: 'BUDGET_SPENT' });
  expect(asked).toEqual([]);
});

describe('answers', () => {
  // prettier-ignore
  it.each<[what: string, code: string, status: number, message?: string]>([
    ['a request that is wrong', 'KUBE_REJECTED', 400],
    ['no right', 'KUBE_FORBIDDEN', 403],
    ['no such path', 'UNEXPECTED_RESPONSE', 404],
    ['a conflict', 'KUBE_CONFLICT', 409],
    ['too many requests', 'KUBE_UNAVAILABLE', 429],
    ['a failure', 'KUBE_UNAVAILABLE', 500],
    ['a redirect', 'UNEXPECTED_RESPONSE', 302],
    ['a webhook that decides', 'KUBE_DENIED', 400, 'admission webhook "policy.example.org" denied the request: resource Service/shop/web was blocked'],
    ['a webhook that says in its reason what others say', 'KUBE_DENIED', 500, 'admission webhook "a.example.org" denied the request: failed calling webhook "b": User "x" cannot patch resource'],
    ['a ValidatingAdmissionPolicy', 'KUBE_DENIED', 422, "services \"web\" is forbidden: ValidatingAdmissionPolicy 'owners' with binding 'all' denied request: failed expression: has(object.x)"],
    ['a ResourceQuota', 'KUBE_DENIED', 403, 'leases.coordination.k8s.io "levelset-a" is forbidden: exceeded quota: objects, requested: count/leases=1, used: count/leases=9, limited: count/leases=9'],
    ['an apiserver that starts', 'KUBE_UNAVAILABLE', 403, 'services "web" is forbidden: not yet ready to handle request'],
    ['a webhook that does not answer', 'KUBE_WEBHOOK_FAILED', 500,
      'Internal error occurred: failed calling webhook "mutate.example.org": failed to call webhook: Post "https://hook.policies.svc:443/?timeout=5s": no endpoints available for service "hook"'],
    ['a namespace that goes', 'KUBE_NAMESPACE_ENDS', 403, 'events "web.1" is forbidden: unable to create new content in namespace shop because it is being terminated'],
    ['a right that is missing', 'KUBE_FORBIDDEN', 403, 'services "web" is forbidden: User "system:serviceaccount:a:b" cannot patch resource "services/status" in API group "" in the namespace "shop"'],
  ])('of %s are %s', async (_what, code, status, message = 'no such luck') => {
    const headers = { 'audit-id': 'a-1', location: '/elsewhere' };
    const { connection } = await start(() => ({ ...failure(status, message), headers }));
    expect(await caught(createKubeHttp(connection)(WRITE))).toMatchObject({
      code,
      message: `cannot write a Node: ${status} ${message}`,
      context: { status, requestId: 'a-1' },
    });
  });

  it.each([
    [404, '<html><h1>404 Not Found</h1></html>', 'text/html'],
    [403, '{"error":"not allowed"}', 'application/json'],
  ])('%i %s of a proxy: neither is an object gone nor a right missing', async (status, body, type) => {
    const { connection } = await start(() => ({ status, body, headers: { 'content-type': type } }));
    expect(await caught(createKubeHttp(connection)({ ...WRITE, expected: [404] }))).toMatchObject({
      code: 'KUBE_UNAVAILABLE',
      message: expect.stringContaining('a proxy in front of the kube-apiserver says so') as string,
    });
  });

  it("say after a 401 which server takes the credential of which file for nobody's", async () => {
    const { connection, url } = await start(() => failure(401, 'Unauthorized'));
    expect(await caught(createKubeHttp(connection)(WRITE))).toMatchObject({
      code: 'KUBE_FORBIDDEN',
      message: `cannot write a Node: 401 Unauthorized: the kube-apiserver at ${url} does not take the credential of test`,
    });
  });

  it('in plain text are told: a TLS port tells so of http', () => {
    const text = 'Client sent an HTTP request to an HTTPS server.\n';
    const { message } = answerError('list Nodes', { status: 400, headers: {}, text });
    expect(message).toBe(`cannot list Nodes: 400 ${text.trim()}`);
  });

  it.each([
    [{ reason: 'NotFound', details: { name: 'web', kind: 'services' } }, true],
    [{ reason: 'NotFound', message: 'services "web" not found' }, true],
    [{ reason: 'NotFound', details: {}, message: 'the server could not find the requested resource' }, false],
    [{ reason: 'NotFound', details: { name: 'c-m-x1' }, message: 'clusters "c-m-x1" not found' }, false],
    [{ details: { name: 'web' }, message: 'services "web" not found' }, false],
    [{ kind: 'Error', reason: 'NotFound', details: { name: 'web' } }, false],
  ])('404 with %j: that the object is gone: %j', async (status, isGone) => {
    const body = { kind: 'Status', message: 'not found', code: 404, ...status };
    const { connection } = await start(() => ({ status: 404, body }));
    const request = { ...READ, path: '/api/v1/namespaces/shop/services/web', expected: [404] };
    const answer = await caught(createKubeHttp(connection)(request));
    expect(answer instanceof ReconcileError).toBe(!isGone);
  });

  it('that are cut short are no answers', async () => {
    const headers = { 'content-type': 'application/json' };
    const { connection } = await start(() => ({ status: 200, body: '{"items": [', headers }));
    expect(await caught(createKubeHttp(connection)(READ))).toMatchObject({ code: 'UNEXPECTED_RESPONSE' });
  });
});

describe('retries', () => {
  const later = failure(503, 'later');
  const gone = { code: 'KUBE_UNAVAILABLE' };
  it.each<[what: string, request: KubeRequest, told: Told, fine: number, result: object, attempts: number]>([
    ['a GET after 503, twice', READ, later, 3, { status: 200 }, 3],
    ['a GET after a lost connection, twice', READ, 'reset', 3, { status: 200 }, 3],
    ['a GET no more than three times', READ, 'reset', 9, gone, 3],
    ['never a write that fails', WRITE, later, 2, gone, 1],
    ['never a write whose answer is lost', WRITE, 'reset', 2, gone, 1],
    ['never a GET that is refused', READ, failure(403, 'no'), 2, { code: 'KUBE_FORBIDDEN' }, 1],
  ])('%s', async (_what, request, told, fine, result, attempts) => {
    const fake = await start((_asked, nth) => (nth < fine ? told : { status: 200 }));
    expect(await caught(createKubeHttp(fake.connection)(request))).toMatchObject(result);
    expect(fake.asked).toHaveLength(attempts);
  });

  it.each([
    ['1', 2, { status: 200 }],
    ['30', 1, { code: 'KUBE_UNAVAILABLE', context: { retryAfterMs: 30_000 } }],
  ])('a 429 after %s s when the server says so, if that is not too long', async (after, count, result) => {
    const busy = { ...failure(429, 'busy'), headers: { 'retry-after': after } };
    const fake = await start((_asked, nth) => (nth === 1 ? busy : { status: 200 }));
    const started = performance.now();
    expect(await caught(createKubeHttp(fake.connection)(READ))).toMatchObject(result);
    expect(fake.asked).toHaveLength(count);
    expect(performance.now() - started).toBeGreaterThan(count === 2 ? 950 : 0);
  });
});

describe('credentials', () => {
  const tokens = (): Source => {
    let token = 1;
    return (refused) => Promise.resolve({ authorization: `Bearer secret-${refused ? ++token : token}` });
  };

  const same: Source = () => Promise.resolve({});
  it.each<[what: string, KubeRequest, takes: string, credential: Source, result: object, asked: number]>([
    ['are read again after a 401, and a GET is repeated', READ, 'secret-2', tokens(), { status: 200 }, 2],
    ['are read again after a 401, and a write is repeated', WRITE, 'secret-2', tokens(), { status: 200 }, 2],
    ['are tried twice at most', READ, 'none', tokens(), { code: 'KUBE_FORBIDDEN' }, 2],
    ['that are the same are not tried again', READ, 'none', same, { code: 'KUBE_FORBIDDEN' }, 1],
  ])('%s', async (_what, request, takes, credential, result, asked) => {
    const fake = await start(({ headers }) =>
      headers.authorization === `Bearer ${takes}` ? { status: 200 } : failure(401, 'Unauthorized'),
    );
    expect(await caught(createKubeHttp({ ...fake.connection, credential })(request))).toMatchObject(result);
    expect(fake.asked).toHaveLength(asked);
  });

  it('are in no error, whichever way it is printed, but the server is', async () => {
    const fake = await start(() => 'reset');
    const error = await caught(createKubeHttp({ ...fake.connection, credential: tokens() })(WRITE));
    expect(String(error)).toContain(`no answer from the kube-apiserver at ${fake.url} (ECONNRESET`);
    expect(inspect(error, { depth: 9 })).not.toContain('secret');
  });
});

it('connections are kept, and every attempt is reported', async () => {
  const calls: KubeCall[] = [];
  const fake = await start((_asked, nth) => (nth === 1 ? failure(503, 'later') : { status: 200 }));
  const http = createKubeHttp(fake.connection, (call) => calls.push(call));
  for (let call = 0; call < 3; call += 1) await http(READ);
  expect(new Set(fake.asked.map(({ socket }) => socket)).size).toBe(1);
  expect(calls.map(({ method, status }) => `${method} ${status}`)).toEqual([
    ...['GET 503', 'GET 200', 'GET 200', 'GET 200'],
  ]);
  expect(calls.every(({ durationMs }) => durationMs > 0)).toBe(true);
});

it('metadata alone is asked for where that is all it reads', async () => {
  const fake = await start(() => ({ status: 200 }));
  await createKubeHttp(fake.connection)({ ...READ, metadataOnly: true });
  expect(fake.asked[0]?.headers.accept).toContain('as=PartialObjectMetadataList');
});

it('a run that may not write sends no write, but a dry run of one', async () => {
  const fake = await start(() => ({ status: 200 }));
  const refuse = (): never => {
    throw new ReconcileError('LEASE_LOST', 'another process leads');
  };
  const http = createKubeHttp(fake.connection, undefined, refuse);
  expect(await caught(http(WRITE))).toMatchObject({ code: 'LEASE_LOST' });
  await http({ ...WRITE, query: { dryRun: 'All' } });
  await http(READ);
  expect(fake.asked.map(({ method, url }) => `${method} ${url}`)).toEqual([
    'POST /api/v1/nodes?dryRun=All',
    'GET /api/v1/nodes',
  ]);
});
