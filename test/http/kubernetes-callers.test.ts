/** POST /resync with tokens of Kubernetes, verified by the sandbox's apiserver. */
import request, { type Response } from 'supertest';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { KubernetesCallers } from '../../functions/http/kubernetes-callers.ts';
import { startSandbox, type Sandbox } from '../../infra/sandbox/sandbox.ts';
import { createHttp } from '../../shared/kube/kube-http.ts';
import { createReviews } from '../../shared/kube/reviews.ts';
import { testServer, type TestServer } from './test-server.ts';
import { RESYNC_TOKEN } from './tokens.ts';

let sandbox: Sandbox;
let server: TestServer;
beforeEach(async () => {
  sandbox = await startSandbox({ nodes: 0 });
  const credential = () => Promise.resolve({ authorization: `Bearer ${sandbox.kubeToken}` });
  const connection = { source: 'sandbox', server: sandbox.kubeUrl, tls: {}, credential };
  server = testServer({ callers: new KubernetesCallers(createReviews(createHttp(connection))) });
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

test('more callers at once than twenty are refused', async () => {
  let open = (): void => undefined;
  const gate = new Promise<void>((resolve) => (open = resolve));
  const callers = new KubernetesCallers({
    callerOf: async (token) => {
      await gate;
      return { username: token, groups: [] };
    },
    mayPatch: () => Promise.resolve(true),
  });
  const asked = Array.from({ length: 25 }, (_, i) => callers.callerOf(`Bearer token-${i}`).catch(String));
  open();
  const answers = await Promise.all(asked);
  expect(answers.filter((one) => typeof one === 'string')).toHaveLength(5);
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
  [
    { authenticated: true, user: { username: 'owner' } },
    { username: 'owner', groups: [] },
  ],
])('of a TokenReview with %j the caller is %j', async (status, caller) => {
  const reviews = createReviews(() => Promise.resolve({ status: 201, body: { status }, serverTimeMs: 0 }));
  expect(await reviews.callerOf('a-token')).toEqual(caller);
});
