import { afterEach, describe, expect, it } from 'vitest';
import type { Credential } from '../../../shared/kube/connection/connection.ts';
import { answerError } from '../../../shared/kube/answer-error.ts';
import { ReconcileError } from '../../../shared/model/errors.ts';
import { createKubeHttp, type KubeCall, type KubeRequest } from '../../../shared/kube/kube-http.ts';
import { failure, fakeApiserver, type Asked, type FakeApiserver, type Told } from './fake-apiserver.ts';

let server: FakeApiserver | undefined;
afterEach(() => server?.close());

const READ: KubeRequest = { method: 'GET', path: '/api/v1/nodes', doing: 'list Nodes' };
const WRITE: KubeRequest = { method: 'POST', path: '/api/v1/nodes', body: {}, doing: 'write a Node' };

async function start(answer: (asked: Asked, nth: number) => Told): Promise<FakeApiserver> {
  server = await fakeApiserver(answer);
  return server;
}

function caught(run: Promise<unknown>): Promise<unknown> {
  return run.catch((error: unknown) => error);
}

describe('answers', () => {
  it('are parsed JSON', async () => {
    const { connection } = await start(() => ({ status: 200, body: { a: 1 } }));
    expect(await createKubeHttp(connection)(READ)).toEqual({ status: 200, body: { a: 1 } });
  });

  it.each([
    [400, 'KUBE_REJECTED'],
    [403, 'KUBE_FORBIDDEN'],
    [404, 'UNEXPECTED_RESPONSE'],
    [409, 'KUBE_CONFLICT'],
    [422, 'KUBE_REJECTED'],
    [429, 'KUBE_UNAVAILABLE'],
    [500, 'KUBE_UNAVAILABLE'],
    [504, 'KUBE_UNAVAILABLE'],
    [302, 'UNEXPECTED_RESPONSE'],
  ])('%i is %s', async (status, code) => {
    const headers = { 'audit-id': 'a-1', location: '/elsewhere' };
    const { connection } = await start(() => ({ ...failure(status, 'no such luck'), headers }));
    expect(await caught(createKubeHttp(connection)(WRITE))).toMatchObject({
      code,
      message: `cannot write a Node: ${status} no such luck`,
      context: { status, requestId: 'a-1' },
    });
  });

  // prettier-ignore
  it.each<[what: string, code: string, status: number, message: string]>([
    ['a webhook that decides', 'KUBE_DENIED', 400, 'admission webhook "policy.example.org" denied the request: resource Service/shop/web was blocked'],
    ['a webhook that says in its reason what others say', 'KUBE_DENIED', 500, 'admission webhook "a.example.org" denied the request: failed calling webhook "b": User "x" cannot patch resource'],
    ['a ValidatingAdmissionPolicy', 'KUBE_DENIED', 422, "services \"web\" is forbidden: ValidatingAdmissionPolicy 'owners' with binding 'all' denied request: failed expression: has(object.x)"],
    ['a ResourceQuota', 'KUBE_DENIED', 403, 'leases.coordination.k8s.io "levelset-a" is forbidden: exceeded quota: objects, requested: count/leases=1, used: count/leases=9, limited: count/leases=9'],
    ['an apiserver that starts', 'KUBE_UNAVAILABLE', 403, 'services "web" is forbidden: not yet ready to handle request'],
    ['a webhook that does not answer', 'KUBE_WEBHOOK_FAILED', 500,
      'Internal error occurred: failed calling webhook "mutate.example.org": failed to call webhook: Post "https://hook.policies.svc:443/?timeout=5s": no endpoints available for service "hook"'],
    ['a namespace that goes', 'KUBE_NAMESPACE_ENDS', 403, 'events "web.1" is forbidden: unable to create new content in namespace shop because it is being terminated'],
    ['a right that is missing', 'KUBE_FORBIDDEN', 403, 'services "web" is forbidden: User "system:serviceaccount:a:b" cannot patch resource "services/status" in API group "" in the namespace "shop"'],
    ['an apiserver that is overloaded', 'KUBE_UNAVAILABLE', 500, 'Internal error occurred: etcdserver: request timed out'],
  ])('of %s are %s', async (_what, code, status, message) => {
    const { connection } = await start(() => failure(status, message));
    expect(await caught(createKubeHttp(connection)(WRITE))).toMatchObject({
      code,
      message: `cannot write a Node: ${status} ${message}`,
    });
  });

  it.each([
    [404, '<html><h1>404 Not Found</h1></html>', 'text/html'],
    [404, '404 page not found\n', 'text/plain'],
    [403, '{"error":"not allowed"}', 'application/json'],
  ])(
    '%i of a proxy, %s, does not say that an object is gone, or a right missing',
    async (status, text, type) => {
      const { connection } = await start(() => ({ status, body: text, headers: { 'content-type': type } }));
      expect(await caught(createKubeHttp(connection)({ ...WRITE, expected: [404] }))).toMatchObject({
        code: 'KUBE_UNAVAILABLE',
        message: expect.stringContaining('a proxy in front of the kube-apiserver says so') as string,
      });
    },
  );

  it("say after a 401 which server takes the credential of which file for nobody's", async () => {
    const { connection, url } = await start(() => failure(401, 'Unauthorized'));
    expect(await caught(createKubeHttp(connection)(WRITE))).toMatchObject({
      code: 'KUBE_FORBIDDEN',
      message: `cannot write a Node: 401 Unauthorized: the kube-apiserver at ${url} does not take the credential of test`,
    });
  });

  it.each([{}, { 'content-type': 'text/plain' }])(
    'in plain text %j are told: a TLS port tells so of http',
    (headers) => {
      const text = 'Client sent an HTTP request to an HTTPS server.\n';
      const { message } = answerError('list Nodes', { status: 400, headers, text });
      expect(message).toBe(`cannot list Nodes: 400 ${text.trim()}`);
    },
  );

  it.each([
    [{ reason: 'NotFound', details: { name: 'web', kind: 'services' } }, true],
    [{ reason: 'NotFound', message: 'services "web" not found' }, true],
    [{ reason: 'NotFound', details: {}, message: 'the server could not find the requested resource' }, false],
    [{ reason: 'NotFound', details: { name: 'c-m-x1' }, message: 'clusters "c-m-x1" not found' }, false],
    [{ details: { name: 'web' }, message: 'services "web" not found' }, false],
    [{ kind: 'Error', reason: 'NotFound', details: { name: 'web' } }, false],
  ])('404 with %j: that the object is gone: %j', async (status, isGone) => {
    const { connection } = await start(() => ({
      status: 404,
      body: { kind: 'Status', message: 'not found', code: 404, ...status },
    }));
    const request = { ...READ, path: '/api/v1/namespaces/shop/services/web', expected: [404] };
    const answer = await createKubeHttp(connection)(request).catch((error: unknown) => error);
    expect(answer instanceof ReconcileError).toBe(!isGone);
  });

  it('that are cut short are no answers', async () => {
    const headers = { 'content-type': 'application/json' };
    const { connection } = await start(() => ({ status: 200, body: '{"items": [', headers }));
    expect(await caught(createKubeHttp(connection)(READ))).toMatchObject({ code: 'UNEXPECTED_RESPONSE' });
  });
});

describe('retries', () => {
  it.each([
    ['503', () => failure(503, 'later')],
    ['a lost connection', () => 'reset' as const],
  ])('a GET after %s, twice', async (_what, fails) => {
    const fake = await start((_asked, nth) => (nth < 3 ? fails() : { status: 200 }));
    expect(await createKubeHttp(fake.connection)(READ)).toMatchObject({ status: 200 });
    expect(fake.asked).toHaveLength(3);
  });

  it('no more than three times', async () => {
    const fake = await start(() => 'reset');
    const error = await caught(createKubeHttp(fake.connection)(READ));
    expect(error).toMatchObject({ code: 'KUBE_UNAVAILABLE' });
    expect((error as Error).message).toContain(
      `no answer from the kube-apiserver at ${fake.url} (ECONNRESET`,
    );
    expect(fake.asked).toHaveLength(3);
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

  it.each([
    ['a write that fails', WRITE, failure(503, 'later')],
    ['a write whose answer is lost', WRITE, 'reset' as const],
    ['a GET that is refused', READ, failure(403, 'no')],
  ])('never %s', async (_what, request, told) => {
    const fake = await start(() => told);
    await caught(createKubeHttp(fake.connection)(request));
    expect(fake.asked).toHaveLength(1);
  });
});

describe('credentials', () => {
  const tokens = (): ((refused: boolean) => Promise<Credential>) => {
    let token = 1;
    return (refused) => Promise.resolve({ authorization: `Bearer secret-${refused ? ++token : token}` });
  };

  it.each([READ, WRITE])('are read again after a 401 and the $method is repeated', async (request) => {
    const fake = await start(({ headers }) =>
      headers.authorization === 'Bearer secret-2' ? { status: 200 } : failure(401, 'Unauthorized'),
    );
    const http = createKubeHttp({ ...fake.connection, credential: tokens() });
    expect(await http(request)).toMatchObject({ status: 200 });
    expect(fake.asked).toHaveLength(2);
  });

  it.each([
    ['are tried twice at most', tokens(), 2],
    [
      'that are the same after a 401 are not tried again',
      () => Promise.resolve({ authorization: 'Bearer static' }),
      1,
    ],
  ])('%s', async (_what, credential, count) => {
    const fake = await start(() => failure(401, 'Unauthorized'));
    const error = await caught(createKubeHttp({ ...fake.connection, credential })(READ));
    expect(error).toMatchObject({ code: 'KUBE_FORBIDDEN' });
    expect(fake.asked).toHaveLength(count);
  });

  it('are in no error, whichever way it is printed', async () => {
    const { inspect } = await import('node:util');
    const fake = await start(() => 'reset');
    const http = createKubeHttp({ ...fake.connection, credential: tokens() });
    expect(inspect(await caught(http(WRITE)), { depth: 9 })).not.toContain('secret');
  });
});

it('keeps its connections', async () => {
  const fake = await start(() => ({ status: 200 }));
  const http = createKubeHttp(fake.connection);
  for (let call = 0; call < 5; call += 1) await http(READ);
  expect(fake.sockets).toBe(1);
});

it('reports every attempt', async () => {
  const calls: KubeCall[] = [];
  const fake = await start((_asked, nth) => (nth === 1 ? 'reset' : { status: 200 }));
  await createKubeHttp(fake.connection, (call) => calls.push(call))(READ);
  expect(calls.map(({ method, status }) => `${method} ${status}`)).toEqual(['GET 0', 'GET 200']);
  expect(calls.every(({ durationMs }) => durationMs > 0)).toBe(true);
});

it('asks for metadata alone where that is all it reads', async () => {
  const fake = await start(() => ({ status: 200 }));
  await createKubeHttp(fake.connection)({ ...READ, metadataOnly: true });
  expect(fake.asked[0]?.headers.accept).toContain('as=PartialObjectMetadataList');
});

describe('a run', () => {
  it('without time left sends nothing', async () => {
    const fake = await start(() => ({ status: 200 }));
    expect(await caught(createKubeHttp(fake.connection)({ ...READ, leftMs: () => 0 }))).toMatchObject({
      code: 'BUDGET_SPENT',
    });
    expect(fake.asked).toEqual([]);
  });

  it('waits for an answer no longer than it has time', async () => {
    const fake = await start(() => 'hang');
    expect(await caught(createKubeHttp(fake.connection)({ ...WRITE, leftMs: () => 50 }))).toMatchObject({
      code: 'KUBE_UNAVAILABLE',
    });
  });

  it('that may not write sends no write, but a dry run of one', async () => {
    const fake = await start(() => ({ status: 200 }));
    const refuse = (): never => {
      throw new ReconcileError('LEASE_LOST', 'another process leads');
    };
    const http = createKubeHttp(fake.connection, undefined, refuse);
    expect(await caught(http(WRITE))).toMatchObject({ code: 'LEASE_LOST' });
    await http({ ...WRITE, query: { dryRun: 'All' } });
    await http(READ);
    expect(fake.asked.map(({ method, query }) => `${method} ${query.toString()}`)).toEqual([
      'POST dryRun=All',
      'GET ',
    ]);
  });
});
