/** The ways in of a deployment with a registry: each path names a cluster, and nobody learns which there are. */
import { expect, test, vi } from 'vitest';
import { AUDIT_TOKEN, PAGE_TOKEN, RESYNC_TOKEN } from '../../../http/tokens.ts';
import { eventList, serviceEvent } from '../../../unit/trigger/audit-events.ts';
import { after, call, logged, taken } from '../deployed.ts';
import { textsOf, tokenOf } from '../../clusters/fleet.ts';
import { deployedClusters } from './deployed-clusters.ts';

const ping = { specversion: '1.0', id: 'ping', type: 'dev.knative.sources.ping', source: '/test' };
/** Each with the path below which clusters are, a token that opens all of them, and what it answers for a cluster that nobody has. */
const WAYS = {
  audit: { at: '/audit', all: AUDIT_TOKEN, body: eventList([serviceEvent('create')]), ok: 202, unknown: 202 },
  events: { at: '/events', all: AUDIT_TOKEN, body: ping, ok: 202, unknown: 202 },
  resync: { at: '/resync', all: RESYNC_TOKEN, body: { objects: ['node/node-1'] }, ok: 202, unknown: 404 },
  status: { at: '/clusters', all: PAGE_TOKEN, body: undefined, ok: 200, unknown: 404 },
} as const;
type Way = keyof typeof WAYS;
const STRANGER = 'some-token-of-a-stranger';

function ask(way: Way, name: string, token = tokenOf(name), body: unknown = WAYS[way].body) {
  const type = way === 'events' ? 'application/cloudevents+json' : 'application/json';
  return call(way, {
    method: way === 'status' ? 'GET' : 'POST',
    rawPath: `${WAYS[way].at}/${name}`,
    headers: { 'content-type': type, accept: 'application/json', authorization: `Bearer ${token}` },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
}

async function world() {
  const its = await deployedClusters();
  const tokens = { AUDIT: AUDIT_TOKEN, RESYNC: RESYNC_TOKEN, PAGE: PAGE_TOKEN };
  for (const [name, token] of Object.entries(tokens)) {
    its.aws.parameters.set(`/levelset/test/${name}`, token);
    vi.stubEnv(`LEVELSET_${name}_TOKENS_OPTIONAL_PARAMETER`, `/levelset/test/${name}`);
  }
  return its;
}

test.each(Object.keys(WAYS) as Way[])(
  '%s lets in who has a token of the cluster or of the deployment, a new one at once, and has one answer for all others',
  async (way) => {
    const { aws, a, write } = await world();
    write('prod-c', { kubeconfig: 'broken', 'audit-tokens': 'short' });
    const { all, ok, unknown } = WAYS[way];
    const answer = await ask(way, 'prod-a');
    expect(answer.statusCode).toBe(ok);
    if (way === 'resync') expect(answer.body).toContain('"page":"/clusters/prod-a"');
    const clusters = taken(aws).map(({ request: { cluster } }) => cluster);
    expect(clusters).toEqual(way === 'status' ? [] : ['prod-a']);
    // a function that only receives events asks for tokens and flags by their names, and for no credentials
    const entry = '/levelset/test/clusters/prod-a';
    const isByName = aws.calls.includes(`GetParameters ${entry}/audit-tokens ${entry}/flags`);
    expect(isByName).toBe(way === 'audit' || way === 'events');
    expect((await ask(way, 'prod-a', all)).statusCode).toBe(ok);
    // whoever receives events reads no entry: the worker finds that there is no such cluster
    expect((await ask(way, 'prod-z', all)).statusCode).toBe(unknown);

    taken(aws);
    const strangers = ['prod-a', 'prod-c', 'prod-z', 'PROD', '..'].map((name) => ask(way, name, STRANGER));
    const answers = await Promise.all([...strangers, ask(way, 'prod-b', tokenOf('prod-a'))]);
    const seen = answers.map(({ statusCode, headers, body }) => JSON.stringify([statusCode, headers, body]));
    expect([answers[0].statusCode, new Set(seen).size]).toEqual([401, 1]);
    expect(taken(aws)).toEqual([]);

    const next = tokenOf('next');
    const texts = { 'audit-tokens': next, 'resync-tokens': next, 'page-tokens': next };
    write('prod-a', { ...textsOf('prod-a', a, a), ...texts });
    after(6);
    expect((await ask(way, 'prod-a', next)).statusCode).toBe(ok);
    expect((await ask(way, 'prod-a')).statusCode).toBe(401);
  },
);

test('whoever guesses names holds up a cluster that was not served yet for seconds, and learns no name meanwhile', async () => {
  const { aws, a, write } = await world();
  const guess = async (names: readonly number[], token = STRANGER): Promise<void> => {
    for (const one of names) await ask('audit', `guess-${one}`, token);
  };
  // the deployment's own token spends nothing
  await guess([11, 12, 13, 14, 15, 16, 17, 18], AUDIT_TOKEN);
  expect((await ask('audit', 'prod-b')).statusCode).toBe(202);

  await guess([1, 2, 3, 4, 5, 6, 7, 8]);
  expect(await ask('audit', 'prod-a')).toMatchObject({ statusCode: 429, headers: { 'Retry-After': '2' } });
  expect((await ask('audit', 'prod-b')).statusCode).toBe(202);
  const asked = ['prod-b', 'prod-a', 'guess-1', 'guess-99', 'PROD'].map((name) =>
    ask('audit', name, STRANGER),
  );
  const answers = await Promise.all(asked);
  const seen = answers.map(({ statusCode, headers, body }) => JSON.stringify([statusCode, headers, body]));
  expect([answers[0]?.statusCode, new Set(seen).size]).toEqual([429, 1]);
  // a new token of the deployment counts even then
  const next = tokenOf('next');
  aws.parameters.set('/levelset/test/AUDIT', next);
  after(6);
  await guess([21, 22, 23, 24, 25, 26, 27, 28]);
  expect((await ask('audit', 'guess-98', next)).statusCode).toBe(202);
  // and so does one of a cluster that is known
  write('prod-b', { ...textsOf('prod-b', a, a), 'audit-tokens': tokenOf('newest') });
  after(6);
  await guess([31, 32, 33, 34, 35, 36, 37, 38]);
  expect((await ask('audit', 'prod-a')).statusCode).toBe(429);
  expect((await ask('audit', 'prod-b', tokenOf('newest'))).statusCode).toBe(202);

  after(11);
  expect((await ask('audit', 'prod-a')).statusCode).toBe(202);
});

test('what the ServiceAccount of an entry wrote becomes no message', async () => {
  const { aws, a, write } = await world();
  write('prod-a', { ...textsOf('prod-a', a, a), flags: 'service-account=kube-system/ours' });
  const user = { username: 'system:serviceaccount:kube-system:ours', groups: [] };
  const own = eventList([serviceEvent('update', { user })]);

  for (const name of ['prod-a', 'prod-b']) await ask('audit', name, tokenOf(name), own);

  expect(aws.sent.map(({ groupId }) => groupId)).toEqual(['prod-b:service/shop/web']);
});

test('a cluster that is not served answers 503 to who has its token, and a registry that is away to all', async () => {
  const { aws, a, write } = await world();
  write('prod-a', { ...textsOf('prod-a', a, a), kubeconfig: 'a: [' });
  const get = async (rawPath: string) => (await call('status', { method: 'GET', rawPath })).statusCode;
  expect((await ask('resync', 'prod-a')).statusCode).toBe(503);
  expect((await ask('status', 'prod-a')).statusCode).toBe(503);
  expect([await get('/readyz'), await get('/')]).toEqual([200, 404]);
  expect((await call('resync', { method: 'POST', rawPath: '/resync' })).statusCode).toBe(404);
  aws.trouble.set('SSM', { status: 400 });
  after(6);
  expect((await ask('audit', 'prod-b')).statusCode).toBe(503);
  expect(await get('/readyz')).toBe(503);
  expect(logged()).not.toContain(tokenOf('prod-a'));
});
