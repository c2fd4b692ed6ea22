/** The ways in of a deployment with a registry: each path names a cluster, and nobody learns which there are. */
import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { expect, test, vi } from 'vitest';
import { AUDIT_TOKEN, PAGE_TOKEN, RESYNC_TOKEN } from '../../../http/tokens.ts';
import { eventList, serviceEvent } from '../../../unit/trigger/audit-events.ts';
import { aService } from '../../sandbox-world.ts';
import { after, call, logged, taken } from '../deployed.ts';
import { deployedClusters, textsOf, tokenOf } from './deployed-clusters.ts';

type Answer = APIGatewayProxyStructuredResultV2;

const ping = { specversion: '1.0', id: 'ping', type: 'dev.knative.sources.ping', source: '/test' };
const WAYS = {
  audit: { path: (name: string) => `/audit/${name}`, body: eventList([serviceEvent('create')]), ok: 202 },
  events: { path: (name: string) => `/events/${name}`, body: ping, ok: 202 },
  resync: { path: (name: string) => `/resync/${name}`, body: { objects: ['node/node-1'] }, ok: 202 },
  status: { path: (name: string) => `/clusters/${name}`, body: undefined, ok: 200 },
} as const;
type Way = keyof typeof WAYS;
const ALL = Object.keys(WAYS) as Way[];

function ask(way: Way, name: string, token: string, body: unknown = WAYS[way].body): Promise<Answer> {
  const type = way === 'events' ? 'application/cloudevents+json' : 'application/json';
  return call(way, {
    method: way === 'status' ? 'GET' : 'POST',
    rawPath: WAYS[way].path(name),
    headers: { 'content-type': type, accept: 'application/json', authorization: `Bearer ${token}` },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
}

async function world() {
  const its = await deployedClusters();
  for (const [name, token] of Object.entries({
    AUDIT: AUDIT_TOKEN,
    RESYNC: RESYNC_TOKEN,
    PAGE: PAGE_TOKEN,
  })) {
    its.aws.parameters.set(`/levelset/test/${name}`, token);
    vi.stubEnv(`LEVELSET_${name}_TOKENS_OPTIONAL_PARAMETER`, `/levelset/test/${name}`);
  }
  return its;
}

test.each(ALL)(
  '%s lets in who has a token of the cluster or of the deployment, and nobody else',
  async (way) => {
    await world();
    const { ok } = WAYS[way];
    const deployment = { audit: AUDIT_TOKEN, events: AUDIT_TOKEN, resync: RESYNC_TOKEN, status: PAGE_TOKEN }[
      way
    ];
    expect((await ask(way, 'prod-a', tokenOf('prod-a'))).statusCode).toBe(ok);
    expect((await ask(way, 'prod-a', deployment)).statusCode).toBe(ok);
    // whoever receives events reads no entry: the worker finds that there is no such cluster
    const unknown = way === 'audit' || way === 'events' ? ok : 404;
    expect((await ask(way, 'prod-z', deployment)).statusCode).toBe(unknown);
    expect((await ask(way, 'prod-b', tokenOf('prod-a'))).statusCode).toBe(401);
  },
);

test.each(ALL)('%s has one answer for a wrong token and for a cluster that nobody has', async (way) => {
  const { aws, write } = await world();
  write('prod-c', { kubeconfig: 'broken', 'audit-tokens': 'short' });
  const wrong = 'some-token-of-a-stranger';
  const answers = [];
  for (const name of ['prod-a', 'prod-c', 'prod-z', 'PROD', '..']) answers.push(await ask(way, name, wrong));
  for (const answer of answers) expect([answer.statusCode, answer.body]).toEqual([401, answers[0]?.body]);
  expect(new Set(answers.map(({ headers }) => JSON.stringify(headers))).size).toBe(1);
  expect(taken(aws)).toEqual([]);
});

test('names that nobody has are asked for eight times a minute at most, and each once', async () => {
  const { aws } = await world();
  const guesses = Array.from({ length: 12 }, (_, index) => `guess-${index}`);
  for (const name of [...guesses, ...guesses]) await ask('audit', name, 'some-token-of-a-stranger');
  const asked = aws.calls.filter((one) => one.includes('guess-'));
  expect(asked).toHaveLength(8);
  expect(new Set(asked).size).toBe(8);
});

test('events become messages of their cluster, but those of its own ServiceAccount', async () => {
  const { aws, a, write } = await world();
  write('prod-a', { ...textsOf('prod-a', a, a), flags: 'service-account=kube-system/ours' });
  const user = { username: 'system:serviceaccount:kube-system:ours', groups: [] };
  const own = eventList([serviceEvent('update', { user, auditID: 'audit-2' })]);

  await ask('audit', 'prod-a', tokenOf('prod-a'));
  await ask('audit', 'prod-b', tokenOf('prod-b'));
  await ask('audit', 'prod-a', tokenOf('prod-a'), own);
  await ask('events', 'prod-b', tokenOf('prod-b'));

  expect(aws.sent.map(({ groupId }) => groupId)).toEqual([
    'prod-a:service/shop/web',
    'prod-b:service/shop/web',
    'prod-b:all',
  ]);
});

test.each(ALL)('%s takes a new token at once when its entry is older than five seconds', async (way) => {
  const { a, write } = await world();
  await ask(way, 'prod-a', tokenOf('prod-a'));
  const texts = textsOf('prod-a', a, a);
  const next = tokenOf('next');
  write('prod-a', { ...texts, 'audit-tokens': next, 'resync-tokens': next, 'page-tokens': next });
  after(6);
  expect((await ask(way, 'prod-a', next)).statusCode).toBe(WAYS[way].ok);
  expect((await ask(way, 'prod-a', tokenOf('prod-a'))).statusCode).toBe(401);
});

test('a resync works in its cluster alone, and what it leaves to do has its name', async () => {
  const { aws, a, b } = await world();
  for (const { kube } of [a, b]) kube.apply(aService('web'));
  const object = 'service/default/web';
  const answer = await ask('resync', 'prod-b', tokenOf('prod-b'), { objects: [object] });
  expect(JSON.parse(answer.body ?? '')).toEqual({ queued: [object], page: '/clusters/prod-b' });
  expect(taken(aws)).toMatchObject([{ request: { key: object, cluster: 'prod-b', trigger: 'resync' } }]);
  const dry = await ask('resync', 'prod-b', tokenOf('prod-b'), { objects: [object], dryRun: true });
  expect([dry.statusCode, JSON.parse(dry.body ?? '')]).toMatchObject([
    200,
    { steps: [{ verb: 'create' }, {}] },
  ]);
  expect(a.cloud.loadbalancers).toEqual([]);
  await ask('resync', 'prod-a', tokenOf('prod-a'), { all: true });
  expect(taken(aws)).toMatchObject([{ request: { key: 'all', cluster: 'prod-a' } }]);
  expect((await call('resync', { method: 'POST', rawPath: '/resync' })).statusCode).toBe(404);
});

test('a cluster that is not served answers 503 to who has its token, and a registry that is away to all', async () => {
  const { aws, a, write } = await world();
  write('prod-a', { ...textsOf('prod-a', a, a), kubeconfig: 'a: [' });
  expect((await ask('resync', 'prod-a', tokenOf('prod-a'))).statusCode).toBe(503);
  expect((await ask('status', 'prod-a', tokenOf('prod-a'))).statusCode).toBe(503);
  const get = (rawPath: string): Promise<Answer> => call('status', { method: 'GET', rawPath });
  expect([(await get('/readyz')).statusCode, (await get('/')).statusCode]).toEqual([200, 404]);
  aws.down.set('SSM', 400);
  after(6);
  expect((await ask('audit', 'prod-b', tokenOf('prod-b'))).statusCode).toBe(503);
  expect((await get('/readyz')).statusCode).toBe(503);
  expect(logged()).not.toContain(tokenOf('prod-a'));
});
