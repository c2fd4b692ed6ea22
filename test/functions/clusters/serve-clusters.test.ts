/** One process serves several clusters, as `--clusters` says: none learns of another one, or waits for it. */
import { expect, onTestFinished, test, vi } from 'vitest';
import type { Sandbox } from '../../../infra/sandbox/sandbox.ts';
import type { Texts } from '../../../shared/clusters/entry.ts';
import { cloudConfFor, kubeconfigFor, type SandboxWorld } from '../../support/sandbox-world.ts';
import { eventList, serviceEvent } from '../../unit/trigger/audit-events.ts';
import { aService, sandboxWorld, silentUrl, until } from '../sandbox-world.ts';
import { addressOf } from '../../support/told.ts';
import { runningClusters, sourceOf, textsOf, tokenOf, twoSandboxes } from './fleet.ts';
import { PLACE_MS, Timetable, Projects } from '../../../functions/clusters/serve-clusters.ts';
import { listNodesNow } from '../../../shared/observe/reads.ts';
import { aWorld } from '../../support/for-one-test.ts';

const DEPLOYMENT_TOKEN = 'token-of-the-deployment-of-tests';
const OF_DEPLOYMENT = { LEVELSET_AUDIT_TOKENS: DEPLOYMENT_TOKEN, LEVELSET_RESYNC_TOKENS: DEPLOYMENT_TOKEN };

const web = ({ kube }: Sandbox) => kube.get('Service', 'default', 'web');
const hasAddress = (cluster: Sandbox) => (): boolean => addressOf(cluster) !== undefined;

/** The entry with a kube-apiserver that takes requests and answers none. */
async function silent(sandbox: Sandbox): Promise<Texts> {
  const kubeconfig = kubeconfigFor(sandbox).replace(sandbox.kubeUrl, await silentUrl());
  return { ...textsOf('silent', sandbox, sandbox), kubeconfig };
}

test('two clusters with the same names get load balancers of their own, and what one deletes is not the other’s', async () => {
  const [a, b] = await twoSandboxes();
  const { loadbalancers } = a.cloud;
  const entries = new Map([['a', textsOf('a', a, a)] as const, ['b', textsOf('b', b, a)] as const]);
  const { url, idle } = await runningClusters(sourceOf(entries));
  a.setAuditSink(`${url}/audit/a`, tokenOf('a'));
  b.setAuditSink(`${url}/audit/b`, tokenOf('b'));

  for (const { kube } of [a, b]) kube.apply(aService('web'));
  await until('both have an address', () => [a, b].every((cluster) => hasAddress(cluster)()));
  await until('it is idle', idle);
  expect(loadbalancers).toHaveLength(2);
  expect(addressOf(a)).not.toBe(addressOf(b));

  const before = structuredClone([web(b), ...loadbalancers]);
  a.kube.delete('Service', 'default', 'web');
  await until('the Service is gone', () => web(a) === undefined);
  await until('it is idle', idle);

  expect(loadbalancers).toHaveLength(1);
  for (const kept of [web(b), ...loadbalancers]) expect(before).toContainEqual(kept);
});

test('a kube-apiserver that hangs holds up no other cluster, nor the end of the process for long', async () => {
  const { sandbox } = await sandboxWorld({ pendingMs: 2 });
  const entries = new Map([['a', await silent(sandbox)]]);
  const { page, ...serving } = await runningClusters(sourceOf(entries));
  sandbox.kube.apply(aService('web'));

  entries.set('b', textsOf('b', sandbox, sandbox));
  await until('the other one has its address', hasAddress(sandbox));
  expect((await page())[0]).toMatchObject({ cluster: 'a', isServed: false });

  entries.set('c', await silent(sandbox));
  await until('one more hangs', async () => (await page()).length === 3);
  const began = performance.now();
  await serving.stop();
  expect(performance.now() - began).toBeLessThan(8_000); // it waits five seconds for that kube-apiserver
});

test('an entry leads to no address of the machine where levelset runs unless --allow-local-servers says so', async () => {
  const { sandbox } = await sandboxWorld({ pendingMs: 2 });
  const its = textsOf('a', sandbox, sandbox);
  const entries = ['127.0.0.1', 'localhost', '[::ffff:127.0.0.1]'].map((host, at): [string, Texts] => [
    `entry-${at}`,
    { ...its, kubeconfig: its.kubeconfig?.replace('127.0.0.1', host) ?? '' },
  ]);
  const { page } = await runningClusters(sourceOf(new Map(entries)), { allowLocalServers: 'false' });
  await until('all are named', async () => (await page()).every(({ problems }) => problems.length === 1));
  for (const { cluster, problems } of await page()) {
    expect(problems.join()).toContain(`the entry ${cluster} leads to `);
    expect(problems.join()).toContain('--allow-local-servers allows it');
  }
  expect(sandbox.requests).toHaveLength(0);
});

test('the token of a cluster opens that one alone, and nobody learns which clusters there are', async () => {
  const [a, b] = await twoSandboxes();
  const all = { a: textsOf('a', a, a), b: textsOf('b', b, a), silent: await silent(a) };
  const entries = new Map(Object.entries(all));
  // beyond loopback the pages want a token, too
  const flags = { listen: '0.0.0.0:0', allowPlainHttp: true, eventsAudience: 'levelset' } as const;
  const serving = await runningClusters(sourceOf(entries), flags, OF_DEPLOYMENT);
  const withoutTokens = { kubeconfig: kubeconfigFor(a), 'cloud.conf': cloudConfFor(a.authUrl) };
  const bare = await runningClusters(sourceOf(new Map([['a', withoutTokens]])), flags);
  await until('b is served', () => serving.timesServed('b') === 1);
  const ask = async (path: string, token: string, body?: unknown, { url } = serving) => {
    const answer = await fetch(url + path, {
      ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json', Accept: 'text/html' },
    });
    return [answer.status, answer.headers.get('www-authenticate'), await answer.text()] as const;
  };
  const ways = {
    '/audit/:cluster': [202, eventList([serviceEvent('create')])],
    '/resync/:cluster': [200, { objects: ['routes'], dryRun: true }],
    '/clusters/:cluster': [200],
    '/clusters/:cluster/objects/node/b-node-1': [200],
  } as const;
  for (const [way, [ok, body]] of Object.entries(ways)) {
    const at = (cluster: string): string => way.replace(':cluster', cluster);
    const refused = await ask(at('none'), tokenOf('a'), body);
    expect(refused[0]).toBe(401);
    for (const name of ['b', 'silent']) expect(await ask(at(name), tokenOf('a'), body)).toEqual(refused);
    const ofNobody = await ask(at('none'), tokenOf('a'), body, bare);
    expect(await ask(at('a'), tokenOf('a'), body, bare)).toEqual(ofNobody);
    expect((await ask(at('b'), tokenOf('b'), body))[0], way).toBe(ok);
    expect((await ask(at('silent'), tokenOf('silent'), body))[0], way).toBe(503);
    if (!body) continue;
    expect((await ask(at('none'), DEPLOYMENT_TOKEN, body))[0]).toBe(404);
    expect((await ask(at('b'), DEPLOYMENT_TOKEN, body))[0], way).toBe(ok);
  }
  expect((await ask('/resync', DEPLOYMENT_TOKEN, {}))[0]).toBe(404);
  const [, , page] = await ask('/clusters/b/objects/node/b-node-1', tokenOf('b'));
  expect(page).toContain('<a href="/clusters/b">');

  // an OIDC token that is not verified has one answer, too: why is in the log
  const oidc = 'aaaa.bbbb.cccc';
  expect(await ask('/events/b', oidc, {})).toEqual(await ask('/events/none', oidc, {}));
  expect(serving.lines.join()).toContain('the OIDC token is not valid: ');
});

test('what was measured of a cluster ends with what served it, also when its entry only changed', async () => {
  const [a, b] = await twoSandboxes();
  a.kube.apply(aService('web'));
  const entries = new Map([['a', textsOf('a', a, a)]]);
  const { get, post, timesServed } = await runningClusters(sourceOf(entries));
  const isMeasured = async (): Promise<boolean> =>
    /^levelset_load_balancers\{.*cluster="a".*\} 1$/m.test(await get('/metrics'));
  await until('it has its address', hasAddress(a));
  await post('/resync/a', tokenOf('a'), { all: true });
  await until('the load balancer is counted', isMeasured);

  entries.set('a', textsOf('a', b, b));
  await until('the other cluster is served', () => timesServed('a') === 2);
  expect(await isMeasured()).toBe(false);
});

test('a broken entry is named in /readyz while another cluster’s side does not answer, and nobody waits for that', async () => {
  const { sandbox: a } = await sandboxWorld({ pendingMs: 2 });
  const { sandbox: b } = await sandboxWorld({ pendingMs: 2 });
  const entries = new Map([['a', textsOf('a', a, a)] as const, ['b', textsOf('b', b, b)] as const]);
  const { get, idle, page } = await runningClusters(sourceOf(entries));
  await until('it is idle', idle);
  a.fault({ match: { side: 'kube' }, kind: 'hang', times: 1e6 });
  entries.set('b', { ...textsOf('b', b, b), flags: 'nonsense' });
  await until('it was read', async () => (await page())[1]?.problems.length === 1);
  const began = performance.now();
  const answer = await get('/readyz');
  expect(performance.now() - began).toBeLessThan(3_000);
  expect(answer.split('\n').slice(0, 3)).toEqual([
    'ok',
    'a: its kube-apiserver or its OpenStack did not answer within a second',
    expect.stringContaining('b: flags:1: '),
  ]);
});

const EVERY_MS = 300_000;
const NEVER = new AbortController().signal;

test('each cluster has its own moment in the interval, which no restart and no other cluster moves', () => {
  const names = Array.from({ length: 1_000 }, (_, number) => `cluster-${number}`);
  const momentsAt = (nowMs: number): readonly number[] =>
    names.map((name) => Math.round(nowMs + new Timetable().of(name, () => nowMs).untilNextMs(EVERY_MS)));
  const moments = momentsAt(1_000_000_000);

  expect(momentsAt(1_000_000_000 + 3 * EVERY_MS)).toEqual(moments.map((moment) => moment + 3 * EVERY_MS));
  const perMinute = [0, 1, 2, 3, 4].map(
    (minute) => moments.filter((moment) => Math.floor((moment % EVERY_MS) / 60_000) === minute).length,
  );
  for (const count of perMinute) expect(count).toBeGreaterThan(150);
});

test('eight are swept at once, then those that came first; a sweep that hangs keeps its place for two seconds', async () => {
  vi.useFakeTimers({ now: 0 });
  onTestFinished(() => void vi.useRealTimers());
  const timetable = new Timetable();
  const began: string[] = [];
  const begin = (name: string, lastsMs = 30_000, stopping = NEVER): Promise<void> =>
    timetable.of(name).take(() => {
      began.push(`${name} ${Date.now()}`);
      return new Promise((resolve) => setTimeout(resolve, lastsMs));
    }, stopping);
  const stopping = new AbortController();
  const early = [500, 700, ...Array<undefined>(6)].map((lastsMs, at) => begin(`early-${at}`, lastsMs));
  const late = [begin('first'), begin('stopped', 0, stopping.signal), begin('second'), begin('last')];
  await vi.advanceTimersByTimeAsync(100);
  expect(began).toHaveLength(8);
  stopping.abort();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(began.slice(8)).toEqual(['stopped 100', 'first 500', 'second 700', `last ${PLACE_MS}`]);
  await Promise.all([...early, ...late]);
});

test('a timer that ends a moment too early sweeps no cluster twice', () => {
  let nowMs = 1_000_000_000;
  const timetable = new Timetable().of('prod-a', () => nowMs);
  nowMs += timetable.untilNextMs(EVERY_MS) - 1;
  expect(timetable.untilNextMs(EVERY_MS)).toBeGreaterThan(EVERY_MS / 2);
});

const CONFIG = { manageSecurityGroups: true };

async function entered(projects: Projects, name: string, { world }: SandboxWorld) {
  const its = { ...world, cluster: name };
  await projects.enter({ world: its, project: () => Promise.resolve('the project') });
  return its;
}

/** A second cluster whose one Node is a server of the first one's, by its providerID or by its address alone. */
async function twoClusters(isNamed: boolean) {
  const owner = await aWorld({}, CONFIG);
  const other = await aWorld({ nodes: 0 }, CONFIG, owner.sandbox);
  const [node] = await owner.world.kube.listNodes();
  const { providerID = '' } = node?.spec ?? {};
  const addresses = node?.status?.addresses ?? [];
  const spec = isNamed ? { providerID } : {};
  other.kube.apply({ kind: 'Node', metadata: { name: 'mine' }, spec, status: { addresses } });
  other.kube.apply(aService('web'));
  const ports = owner.cloud.ports.filter(({ device_id: device }) => providerID.endsWith(device || 'none'));
  return { owner, other, groups: () => ports.flatMap(({ security_groups: ids }) => ids) };
}

test.each([
  ['by its providerID', true, 'which is a Node of another cluster of the project'],
  ['by its address alone', false, 'on no port of the Node, which names no server'],
])('another cluster’s Node, named %s, is no member, and its ports stay shut', async (_, isNamed, because) => {
  const projects = new Projects();
  const { owner, other, groups } = await twoClusters(isNamed);
  await listNodesNow(await entered(projects, 'owner', owner));
  const before = groups();
  expect(before).not.toEqual([]);

  const by = await entered(projects, 'other', other);
  await other.settle('web', { cluster: 'other' }, by);
  expect(owner.cloud.members).toEqual([]);
  expect(groups()).toEqual(before);
  expect(JSON.stringify(other.kube.get('Service', 'default', 'web')?.status)).toContain(because);

  projects.leave('owner');
  await other.sweepUntilSettled(by);
  expect(owner.cloud.members).toHaveLength(1);
  expect(groups()).toHaveLength(before.length + 1);
});
