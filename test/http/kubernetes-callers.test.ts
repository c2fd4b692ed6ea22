/** POST /resync with tokens of Kubernetes, verified by the sandbox's apiserver. */
import request, { type Response } from 'supertest';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { KubernetesCallers } from '../../functions/http/kubernetes-callers.ts';
import { startSandbox, type Sandbox } from '../../infra/sandbox/sandbox.ts';
import { createKubeHttp } from '../../shared/kube/kube-http.ts';
import { createReviews } from '../../shared/kube/reviews.ts';
import type { Key } from '../../shared/model/request.ts';
import { testServer, type TestServer } from './test-server.ts';
import { RESYNC_TOKEN } from './tokens.ts';

const OWNER = { username: 'owner', groups: [] };

let sandbox: Sandbox;
let server: TestServer;
beforeEach(async () => {
  sandbox = await startSandbox({ nodes: 0 });
  const credential = () => Promise.resolve({ authorization: `Bearer ${sandbox.kubeToken}` });
  const connection = { source: 'sandbox', server: sandbox.kubeUrl, tls: {}, credential };
  server = testServer({ callers: new KubernetesCallers(createReviews(createKubeHttp(connection))) });
});
afterEach(() => sandbox.close());

const resync = async (token: string, body: unknown): Promise<Response> =>
  request(server.app)
    .post('/resync')
    .set('Authorization', `Bearer ${token}`)
    .send(body as object);
const of = (...objects: readonly string[]): object => ({ objects });
const reviews = (kind: string): number =>
  sandbox.requests.filter(({ path }) => path.endsWith(`/${kind}`)).length;
const patch = (resource: string, more = {}) => ({ resources: [resource], verbs: ['patch'], ...more });

test('who may patch a Service may have it worked on, and no other', async () => {
  const owner = sandbox.addUser('owner', [patch('services', { namespace: 'shop', name: 'web' })]);
  expect((await resync(owner, of('service/shop/web'))).status).toBe(200);
  const answer = await resync(owner, of('service/shop/web', 'service/shop/api', 'service/ops/web'));
  expect(answer.status).toBe(403);
  expect(answer.body).toMatchObject({
    error: 'owner may not patch service/shop/api, service/ops/web',
    refused: ['service/shop/api', 'service/ops/web'],
  });
  expect(server.reconciled.map(({ key }) => key)).toEqual(['service/shop/web']);
});

test.each([
  [[patch('services')], { all: true }, 202],
  [[patch('services', { namespace: 'shop' })], { all: true }, 403],
  [[patch('nodes')], of('node/worker-7', 'routes'), 200],
  [[patch('nodes', { name: 'worker-7' })], of('node/worker-7'), 200],
  [[patch('nodes', { name: 'worker-7' })], of('routes'), 403],
  [[{ resources: ['services'], verbs: ['get', 'list'] }], of('service/shop/web'), 403],
  [[patch('services')], of('node/worker-7'), 403],
])('with %j, %j is answered with %i', async (grants, body, status) => {
  expect((await resync(sandbox.addUser('someone', grants), body)).status).toBe(status);
  expect(server.reconciled.length + server.queued.length > 0).toBe(status < 300);
});

test('a token that the apiserver does not know is refused, and it is asked once', async () => {
  for (let i = 0; i < 5; i += 1)
    expect((await resync('a-token-that-nobody-gave', of('service/shop/web'))).status).toBe(401);
  expect(reviews('tokenreviews')).toBe(1);
  expect(server.reconciled).toEqual([]);
});

test('the answers of the apiserver count for seconds; a token of its own asks nobody', async () => {
  const owner = sandbox.addUser('owner', [patch('services')]);
  for (let i = 0; i < 5; i += 1)
    expect((await resync(owner, of('service/shop/web', 'service/shop/api'))).status).toBe(200);
  expect([reviews('tokenreviews'), reviews('subjectaccessreviews')]).toEqual([1, 2]);
  expect((await resync(RESYNC_TOKEN, of('service/ops/web'))).status).toBe(200);
  expect([reviews('tokenreviews'), reviews('subjectaccessreviews')]).toEqual([1, 2]);
});

test('an apiserver that does not answer lets nobody in', async () => {
  const owner = sandbox.addUser('owner', [patch('services')]);
  sandbox.fault({ match: { side: 'kube', path: /accessreviews/ }, kind: 'reset-before' });
  const answer = await resync(owner, of('service/shop/web'));
  expect([answer.status, answer.headers['retry-after']]).toEqual([503, '5']);
  expect(server.reconciled).toEqual([]);
  expect((await resync(owner, of('service/shop/web'))).status).toBe(200);
});

test('where levelset may not ask, the tokens of its own are the way, and it does not ask again', async () => {
  const status = {
    match: { side: 'kube', path: /tokenreviews/ },
    times: 9,
    kind: 'fail-before',
    status: 403,
  } as const;
  sandbox.fault(status);
  const owner = sandbox.addUser('owner', [patch('services')]);
  expect((await resync(owner, of('service/shop/web'))).status).toBe(401);
  expect((await resync(`${owner}-other`, of('service/shop/web'))).status).toBe(401);
  expect((await resync(RESYNC_TOKEN, of('service/shop/web'))).status).toBe(200);
  expect(reviews('tokenreviews')).toBe(1);
});

test('more strangers at once than eight are refused, and those who are known are not', async () => {
  let time = 0;
  let gate = Promise.resolve();
  let open = (): void => undefined;
  const callers = new KubernetesCallers(
    {
      callerOf: async (token) => {
        if (token !== 'owner') await gate;
        return token === 'owner' ? OWNER : undefined;
      },
      mayPatch: () => Promise.resolve(true),
    },
    () => time,
  );
  expect(await callers.callerOf('Bearer owner')).toEqual(OWNER);
  gate = new Promise<void>((resolve) => (open = resolve));
  const guesses = Array.from({ length: 25 }, (_, i) => callers.callerOf(`Bearer guess-${i}`).catch(String));
  time = 60_000;
  expect(await callers.callerOf('Bearer owner')).toEqual(OWNER);
  expect(await callers.refusedOf(OWNER, ['service/shop/web'])).toEqual([]);
  open();
  const answers = await Promise.all(guesses);
  expect(answers.filter((one) => typeof one === 'string')).toHaveLength(17);
});

test('answers end by the clock that it was given, for one that goes on while a function is frozen', async () => {
  let time = 1_000_000;
  let isAlive = true;
  const reviews = {
    callerOf: () => Promise.resolve(isAlive ? OWNER : undefined),
    mayPatch: () => Promise.resolve(isAlive),
  };
  const callers = new KubernetesCallers(reviews, () => time);
  const look = async (): Promise<unknown> => [
    await callers.callerOf('Bearer owner'),
    await callers.refusedOf(OWNER, ['routes']),
  ];
  expect(await look()).toEqual([OWNER, []]);
  isAlive = false;
  time += 9_999;
  expect(await look()).toEqual([OWNER, []]);
  time += 1;
  expect(await look()).toEqual([undefined, ['routes']]);
});

test('after five refusals no more objects are asked about', async () => {
  const owner = sandbox.addUser('owner', [patch('services', { namespace: 'shop' })]);
  const others = Array.from({ length: 90 }, (_, i) => `service/ops/web-${i}`);
  const answer = await resync(owner, of('service/shop/web', ...others));
  expect(answer.status).toBe(403);
  expect(answer.body).toMatchObject({ refused: others.slice(0, 5) });
  expect(reviews('subjectaccessreviews')).toBe(6);
});

test.each([
  [true, 'HttpError: the kube-apiserver takes too long to say who may do this'],
  [false, ['node/0']],
])('ten seconds are for all objects, with the first of them allowed: %j', async (allowed, result) => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  let asked = 0;
  const callers = new KubernetesCallers({
    callerOf: () => Promise.resolve(OWNER),
    mayPatch: () => {
      vi.advanceTimersByTime(500);
      asked += 1;
      return Promise.resolve(allowed || asked > 1);
    },
  });
  const keys = Array.from({ length: 100 }, (_, i): Key => `node/${i}`);
  expect(await callers.refusedOf(OWNER, keys).catch(String)).toEqual(result);
  expect(asked).toBeLessThan(25);
});

test.each([
  ['a token', undefined],
  ['Bearer \x85', undefined],
  ['Bearer token\x85', undefined],
  ['Bearer \xa0token', undefined],
  ['Bearer to=ken', undefined],
  ['bearer  a.b-c_d~e+f/g== ', 'a.b-c_d~e+f/g=='],
])('of the header %j the apiserver is asked about %j', async (header, token) => {
  const asked: string[] = [];
  const callers = new KubernetesCallers({
    callerOf: (one) => {
      asked.push(one);
      return Promise.resolve(OWNER);
    },
    mayPatch: () => Promise.resolve(true),
  });
  expect(await callers.callerOf(header)).toEqual(token && OWNER);
  expect(asked).toEqual(token === undefined ? [] : [token]);
});

test('neither answers nor the log have a token', async () => {
  const owner = sandbox.addUser('owner', []);
  const answers = [await resync(owner, of('service/shop/web')), await resync(`${owner}x`, { all: true })];
  expect(answers.map(({ status }) => status)).toEqual([403, 401]);
  expect(JSON.stringify([answers.map(({ text }) => text), server.lines])).not.toContain(owner);
});

test.each([
  [{ user: { username: 'owner', groups: [] } }, undefined],
  [{ authenticated: false, user: { username: 'owner' } }, undefined],
  [{ authenticated: true, user: {} }, undefined],
  [{ authenticated: 'true', user: { username: 'owner' } }, undefined],
  [
    { authenticated: true, user: { username: 'system:anonymous', groups: ['system:unauthenticated'] } },
    undefined,
  ],
  [
    { authenticated: true, user: { username: 'owner' } },
    { username: 'owner', groups: [] },
  ],
])('of a TokenReview with %j the caller is %j', async (status, caller) => {
  const reviews = createReviews(() => Promise.resolve({ status: 201, body: { status } }));
  expect(await reviews.callerOf('a-token')).toEqual(caller);
});
