/** POST /resync. */
import request from 'supertest';
import type { Test } from 'supertest';
import { expect, test } from 'vitest';
import { ReconcileError } from '../../shared/model/errors.ts';
import type { Report } from '../../shared/model/outcome.ts';
import type { ReconcileRequest } from '../../shared/model/request.ts';
import { renderPlan } from '../../shared/plan/render-plan.ts';
import { AUDIT, PLAN, RESYNC, report, testServer, type TestServer } from './test-server.ts';

function resync({ app }: TestServer, body: unknown): Test {
  const headers = { Authorization: RESYNC, 'Content-Type': 'application/json' };
  return request(app).post('/resync').set(headers).send(JSON.stringify(body));
}

const ONE = { objects: ['service/shop/web'] };

const ALLOWED = 'must be service/NAMESPACE/NAME, svc/NAME of the namespace default, node/NAME or routes';

test.each([
  [
    ['service/shop/web', 'service/shop/web', 'node/worker-7', 'routes'],
    ['service/shop/web', 'node/worker-7', 'routes'],
  ],
  [
    ['svc/web', 'services/shop/api', 'no/worker-7', 'service/default/web'],
    ['service/default/web', 'service/shop/api', 'node/worker-7'],
  ],
  ['all', ['all']],
])(
  '%j goes through the queue: each object once, and a Service without a namespace is of the namespace default',
  async (asked, queued) => {
    const body = asked === 'all' ? { all: true } : { objects: asked };
    const server = testServer();
    const answer = await resync(server, body);
    expect([answer.status, answer.body]).toEqual([202, { queued, page: '/' }]);
    const cause: unknown = answer.headers['x-request-id'];
    expect(server.queued).toEqual(queued.map((key) => ({ key, trigger: 'resync', cause })));
    expect(server.dryRuns).toEqual([]);
  },
);

test('503: a queue that does not take it', async () => {
  const away = testServer({ enqueue: () => Promise.reject(new Error('away')) });
  expect((await resync(away, { all: true })).status).toBe(503);
});

test.each([
  [{ status: 'blocked', reason: 'no such subnet' }, 200],
  [{ status: 'failed', code: 'CLOUD_UNAVAILABLE', message: 'away', retryAfterMs: 4000 }, 503],
  [{ status: 'failed', code: 'FORBIDDEN', message: 'not allowed', retryAfterMs: 60_000 }, 500],
] as const)('a dry run without a plan, %j, is %i', async (outcome, status) => {
  const without = (request: ReconcileRequest): Report => {
    const { plan: _, ...rest } = report(request, outcome);
    return rest;
  };
  const server = testServer({ dryRun: (asked) => Promise.resolve(asked.map(without)) });
  const answer = await resync(server, { ...ONE, dryRun: true });
  expect(answer.status).toBe(status);
  expect(answer.body).toMatchObject({ outcome });
});

test('a dry run answers with the plan: JSON, or text for people', async () => {
  const server = testServer();
  for (const objects of [ONE.objects, ['node/worker-7'], ['routes']]) {
    expect((await resync(server, { objects, dryRun: true })).body).toEqual(PLAN);
  }
  expect(server.dryRuns.map(({ dryRun }) => dryRun)).toEqual([true, true, true]);
  expect(server.queued).toEqual([]);
  const text = await resync(server, { ...ONE, dryRun: true }).set('Accept', 'text/plain');
  expect(text.headers['content-type']).toMatch('text/plain');
  expect(text.text).toBe(renderPlan(PLAN));
});

test('an object that is not there is 404, as the command says', async () => {
  const missing = (one: ReconcileRequest) => ({
    ...report(one, { status: 'settled' }),
    missing: true as const,
  });
  const server = testServer({ dryRun: (asked) => Promise.resolve(asked.map(missing)) });
  const how = { dryRun: true };
  const answer = await resync(server, { ...ONE, ...how }).set('Accept', 'text/plain');
  expect(answer.status).toBe(404);
  expect(JSON.parse(answer.text)).toMatchObject({ error: 'service/shop/web not found', missing: true });
  const two = await resync(server, { objects: ['svc/a', 'svc/b'], ...how }).set('Accept', 'text/plain');
  expect(two.status).toBe(200);
  expect(JSON.parse(two.text)).toMatchObject({ reports: [{ missing: true }, { missing: true }] });
});

const QUERIES = ['?dryRun=All', '?dry-run=1', '?all', `?${'x'.repeat(200)}=1`];

test.each(QUERIES)('refuses the query %s, which would mean nothing, and works on nothing', async (query) => {
  const server = testServer();
  const call = request(server.app).post(`/resync${query}`).set('Authorization', RESYNC);
  const answer = await call.send(ONE);
  expect(answer.status).toBe(400);
  expect((answer.body as { error: string }).error).toMatch(/^.{3,100} in the query means nothing here/);
  expect(server.queued).toEqual([]);
  expect((await request(server.app).post(`/resync${query}`)).status).toBe(401);
});

const MANY = Array.from({ length: 101 }, (_, i) => `svc/a-${i}`);
test.each<[unknown, string]>([
  [[], 'the body: must be an object with "objects" or "all"'],
  [{}, 'objects: must be given, or "all" instead'],
  [{ objects: [], all: true }, 'objects: must be given, or "all" instead'],
  [{ objects: [] }, 'objects: must be a list of 1 to 100 objects'],
  [{ objects: 'service/a/b' }, 'objects: must be a list of 1 to 100 objects'],
  [{ objects: MANY }, 'objects: must be a list of 1 to 100 objects'],
  [{ all: 1 }, 'all: can only be true'],
  [{ ...ONE, dryRun: 'yes' }, 'dryRun: must be true or false'],
  [{ ...ONE, force: true }, 'force: is not known; known are "objects", "all" and "dryRun"'],
  [{ all: true, dryRun: true }, 'dryRun: needs "objects"; `levelset sweep --dry-run` shows everything'],
  ...['ns/shop', 7, 'all', 'nodeset', 'shop/web', 'svc/Shop', 'web'].map((object): [unknown, string] => [
    { objects: ['node/w', object] },
    `objects[1] ${JSON.stringify(object)}: ${ALLOWED}`,
  ]),
])('422: %j', async (body, error) => {
  const server = testServer();
  const answer = await resync(server, body);
  expect([answer.status, answer.body]).toEqual([422, { error }]);
  expect(server.queued).toEqual([]);
});

test('refuses in order: 401, 405, 415', async () => {
  const { app } = testServer();
  const get = await request(app).get('/resync').set('Authorization', RESYNC);
  expect([get.status, get.headers['allow']]).toEqual([405, 'POST']);
  expect((await request(app).post('/resync').set('Authorization', AUDIT)).status).toBe(401);
  const text = request(app).post('/resync').set('Authorization', RESYNC).set('Content-Type', 'text/plain');
  expect((await text.send('all')).status).toBe(415);
});

test('a known error thrown is answered by its row in the table', async () => {
  const error = new ReconcileError('UNAUTHORIZED', 'Keystone says no');
  const answer = await resync(testServer({ dryRun: () => Promise.reject(error) }), { ...ONE, dryRun: true });
  expect(answer.status).toBe(500);
  const advice =
    'correct the user and password, or the application credential and its access rules (cloud.conf, clouds.yaml or OS_*)';
  expect(answer.body).toEqual({ error: 'Keystone says no', code: 'UNAUTHORIZED', advice });
});
