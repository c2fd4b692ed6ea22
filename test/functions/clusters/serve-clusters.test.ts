/** One process serves several clusters: two sandboxes with the same names in one OpenStack project. */
import { expect, onTestFinished, test } from 'vitest';
import { serveClusters } from '../../../functions/clusters/serve-clusters.ts';
import type { Serving } from '../../../functions/serve.ts';
import type { Report } from '../../../shared/model/outcome.ts';
import { queueKeyOf } from '../../../shared/model/request.ts';
import type { Sandbox } from '../../../infra/sandbox/sandbox.ts';
import type { Texts } from '../../../shared/clusters/entry.ts';
import { addNodeIn, cloudConfFor, kubeconfigFor } from '../../support/sandbox-world.ts';
import { addressOf, aService, sandboxWorld, silentUrl, until } from '../sandbox-world.ts';

const DEPLOYMENT_TOKEN = 'token-of-the-deployment-of-tests';
const tokenOf = (name: string): string => `token-of-the-cluster-${name}-of-tests`;

interface Running extends Serving {
  /** The entries. Who changes them is heard within some milliseconds. */
  readonly entries: Map<string, Texts>;
  readonly lines: readonly string[];
  /** What runs were about, as queues tell it apart. */
  readonly ran: ReadonlySet<string>;
}

const OF_DEPLOYMENT = { LEVELSET_AUDIT_TOKENS: DEPLOYMENT_TOKEN, LEVELSET_RESYNC_TOKENS: DEPLOYMENT_TOKEN };

async function running(
  entries: Readonly<Record<string, Texts>>,
  env: NodeJS.ProcessEnv = OF_DEPLOYMENT,
  allowLocalServers = 'true',
): Promise<Running> {
  const all = new Map(Object.entries(entries));
  const source = {
    names: () => Promise.resolve([...all.keys()]),
    read: (name: string) => Promise.resolve(all.get(name)),
  };
  const lines: string[] = [];
  const note = (message: string, fields?: unknown): void =>
    void lines.push(JSON.stringify([message, fields]));
  const ran = new Set<string>();
  const options = {
    flags: { allowLocalServers, sweepInterval: '1h', listen: '127.0.0.1:0' },
    env,
    reported: ({ request }: Report) => {
      ran.add(queueKeyOf(request));
    },
    log: { debug: note, info: note, warn: note, error: note },
  };
  const serving = await serveClusters({ ...options, everyMs: 20 }, source);
  onTestFinished(() => serving.stop());
  return { ...serving, entries: all, lines, ran };
}

/** Two clusters, of which the second has its Nodes in the cloud of the first. */
async function twoSandboxes(): Promise<readonly [Sandbox, Sandbox]> {
  const { sandbox: a } = await sandboxWorld({ pendingMs: 2 });
  const { sandbox: b } = await sandboxWorld({ nodes: 0 });
  for (const name of ['node-1', 'node-2']) addNodeIn(a, `b-${name}`, b);
  return [a, b];
}

function textsOf(name: string, cluster: Sandbox, { authUrl }: Sandbox): Texts {
  return {
    kubeconfig: kubeconfigFor(cluster),
    'cloud.conf': cloudConfFor(authUrl),
    'audit-tokens': tokenOf(name),
    'resync-tokens': tokenOf(name),
  };
}

const BROKEN: Texts = { kubeconfig: 'no kubeconfig', 'cloud.conf': '[Global]\n' };

const web = ({ kube }: Sandbox) => kube.get('Service', 'default', 'web');
const hasAddress = (cluster: Sandbox) => (): boolean => addressOf(web(cluster)) !== undefined;

interface Page {
  readonly clusters: readonly { cluster: string; isServed: boolean; problems: readonly string[] }[];
}

async function pageOf({ url }: Serving): Promise<Page['clusters']> {
  const answer = await fetch(`${url}/?format=json`);
  return ((await answer.json()) as Page).clusters;
}

test('two clusters with the same names get load balancers of their own, and what one deletes is not the other’s', async () => {
  const [a, b] = await twoSandboxes();
  const serving = await running({ a: textsOf('a', a, a), b: textsOf('b', b, a), broken: BROKEN });
  a.setAuditSink(`${serving.url}/audit/a`, tokenOf('a'));
  b.setAuditSink(`${serving.url}/audit/b`, tokenOf('b'));
  const { loadbalancers } = a.cloud;

  for (const { kube } of [a, b]) kube.apply(aService('web'));
  await until('both have an address', () => [a, b].every((cluster) => hasAddress(cluster)()));
  await until('it is idle', serving.idle);
  expect(loadbalancers).toHaveLength(2);
  expect(serving.ran).toContain('a:service/default/web');
  expect(serving.ran).toContain('b:service/default/web');
  expect([...serving.ran].filter((key) => !key.includes(':'))).toEqual([]);
  expect(addressOf(web(a))).not.toBe(addressOf(web(b)));

  const before = structuredClone([web(b), ...loadbalancers.filter(({ vip_port_id: port }) => port !== '')]);
  a.kube.delete('Service', 'default', 'web');
  await until('the Service is gone', () => web(a) === undefined);
  await until('it is idle', serving.idle);

  expect(a.cloud.loadbalancers).toHaveLength(1);
  const [kept] = a.cloud.loadbalancers;
  expect(before.slice(1).find((lb) => (lb as { id: string }).id === kept?.id)).toEqual(kept);
  expect(web(b)).toEqual(before[0]);
  expect(await pageOf(serving)).toMatchObject([
    { cluster: 'a', isServed: true, problems: [] },
    { cluster: 'b', isServed: true, problems: [] },
    { cluster: 'broken', isServed: false, problems: [expect.stringContaining('broken: kubeconfig')] },
  ]);
});

test('an entry that is added, changed or taken away while it runs counts soon, and the others go on', async () => {
  const [a, b] = await twoSandboxes();
  const serving = await running({ a: textsOf('a', a, a) });
  const { entries } = serving;
  b.kube.apply(aService('web'));

  entries.set('b', textsOf('b', b, a));
  await until('the new cluster has its address', hasAddress(b));

  entries.set('b', { ...textsOf('b', b, a), flags: 'drift=report' });
  const served = (): number =>
    serving.lines.filter((line) => line.startsWith('["the cluster is served"') && line.includes('"b"'))
      .length;
  await until('it is connected anew', () => served() === 2);
  await until('it is idle', serving.idle);

  entries.set('b', { ...textsOf('b', b, a), ...BROKEN, flags: 'drift=report' });
  await until('the entry is named', async () => (await pageOf(serving))[1]?.problems.length !== 0);
  expect(await pageOf(serving)).toMatchObject([{ problems: [] }, { cluster: 'b', isServed: true }]);

  entries.delete('b');
  await until('it is gone', async () => (await pageOf(serving)).length === 1);
  await until('it is idle', serving.idle);
  b.kube.delete('Service', 'default', 'web');
  a.kube.apply(aService('web'));
  a.setAuditSink(`${serving.url}/audit/a`, tokenOf('a'));
  a.kube.apply(aService('web', { touched: 'yes' }));
  await until('the other cluster is served', hasAddress(a));
  expect(web(b)).toBeDefined(); // its finalizer: nobody works on it
  expect(a.cloud.loadbalancers).toHaveLength(2);
});

test('a kube-apiserver that hangs holds up no other cluster, nor the end of the process for long', async () => {
  const { sandbox } = await sandboxWorld({ pendingMs: 2 });
  const own = textsOf('hung', sandbox, sandbox);
  const kubeconfig = kubeconfigFor(sandbox).replace(sandbox.kubeUrl, await silentUrl());
  const serving = await running({ a: { ...own, kubeconfig } });
  sandbox.kube.apply(aService('web'));

  serving.entries.set('b', textsOf('b', sandbox, sandbox));
  await until('the other one has its address', hasAddress(sandbox));
  expect((await pageOf(serving))[0]).toMatchObject({ cluster: 'a', isServed: false });

  serving.entries.set('c', { ...textsOf('c', sandbox, sandbox), kubeconfig });
  await until('one more hangs', async () => (await pageOf(serving)).length === 3);
  const began = performance.now();
  await serving.stop();
  expect(performance.now() - began).toBeLessThan(8_000); // it waits five seconds for that kube-apiserver
});

test('an entry leads to no address of the machine where levelset runs unless its flag allows it', async () => {
  const { sandbox } = await sandboxWorld({ pendingMs: 2 });
  const own = textsOf('a', sandbox, sandbox);
  const at = (host: string) => ({
    ...own,
    kubeconfig: own.kubeconfig?.replace('127.0.0.1', host) ?? '',
  });
  const leads = {
    literal: '127.0.0.1',
    name: 'localhost',
    six: '[::ffff:127.0.0.1]',
    link: '169.254.169.254',
  };
  const entries = Object.fromEntries(Object.entries(leads).map(([name, host]) => [name, at(host)]));
  const serving = await running(entries, {}, 'false');
  const before = sandbox.requests.length;
  await until('all are named', async () =>
    (await pageOf(serving)).every(({ problems }) => problems.length === 1),
  );
  for (const { cluster, problems } of await pageOf(serving)) {
    expect(problems.join()).toContain(`the entry ${cluster} leads to `);
    expect(problems.join()).toContain('--allow-local-servers allows it');
  }
  expect(sandbox.requests).toHaveLength(before);
});

test('the token of a cluster opens that one alone, and nobody learns which clusters there are', async () => {
  const [a, b] = await twoSandboxes();
  const entries = { a: textsOf('a', a, a), b: textsOf('b', b, a) };
  const { url } = await running(entries);
  const order = { objects: ['routes'], dryRun: true };
  const events = { kind: 'EventList', apiVersion: 'audit.k8s.io/v1', items: [] };
  const ask = async (path: string, token: string, at = url): Promise<readonly [number, string]> => {
    const answer = await fetch(`${at}${path}`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(path.startsWith('/resync') ? order : events),
    });
    return [answer.status, await answer.text()];
  };

  for (const path of ['/audit', '/resync']) {
    const asked = ['none', 'b'].map((name) => ask(`${path}/${name}`, tokenOf('a')));
    const [refused, ofB] = await Promise.all(asked);
    expect(refused?.[0]).toBe(401);
    expect(ofB).toEqual(refused);
    expect((await ask(`${path}/none`, DEPLOYMENT_TOKEN))[0]).toBe(404);
    for (const token of [tokenOf('b'), DEPLOYMENT_TOKEN])
      expect((await ask(`${path}/b`, token))[0]).toBe(path === '/audit' ? 202 : 200);
  }
  expect((await ask('/resync', DEPLOYMENT_TOKEN))[0]).toBe(404);

  const withoutTokens = await running({ a: entries.a }, {});
  for (const path of ['/audit', '/resync']) {
    const asked = ['none', 'a'].map((name) => ask(`${path}/${name}`, 'a-token', withoutTokens.url));
    const [refused, ofA] = await Promise.all(asked);
    expect(ofA).toEqual(refused);
  }
});

test('what was measured of a cluster ends with what served it, also when its entry only changed', async () => {
  const [a, b] = await twoSandboxes();
  a.kube.apply(aService('web'));
  const serving = await running({ a: textsOf('a', a, a) });
  const isMeasured = async (): Promise<boolean> =>
    /^levelset_load_balancers\{.*cluster="a".*\} 1$/m.test(
      await (await fetch(`${serving.url}/metrics`)).text(),
    );
  const swept = (): number => serving.lines.filter((line) => line.startsWith('["swept"')).length;
  const all = { method: 'POST', body: '{"all":true}' };
  const headers = { Authorization: `Bearer ${DEPLOYMENT_TOKEN}`, 'Content-Type': 'application/json' };
  await until('it has its address', hasAddress(a));
  await fetch(`${serving.url}/resync/a`, { ...all, headers });
  await until('the load balancer is counted', isMeasured);

  serving.entries.set('a', textsOf('a', b, b));
  const before = swept();
  await until('the other cluster is swept', () => swept() > before);
  expect(await isMeasured()).toBe(false);
});

test('a broken entry is named in /readyz while another cluster’s side does not answer, and nobody waits for that', async () => {
  const { sandbox: a } = await sandboxWorld({ pendingMs: 2 });
  const { sandbox: b } = await sandboxWorld({ pendingMs: 2 });
  const serving = await running({ a: textsOf('a', a, a), b: textsOf('b', b, b) });
  await until('it is idle', serving.idle);
  a.fault({ match: { side: 'kube' }, kind: 'hang', times: 100_000 });
  serving.entries.set('b', { ...textsOf('b', b, b), flags: 'nonsense' });
  await until('it was read', async () => (await pageOf(serving))[1]?.problems.length === 1);
  const began = performance.now();
  const answer = await (await fetch(`${serving.url}/readyz`)).text();
  expect(performance.now() - began).toBeLessThan(3_000);
  expect(answer.split('\n').slice(0, 3)).toEqual([
    'ok',
    'a: its kube-apiserver or its OpenStack did not answer within a second',
    expect.stringContaining('b: flags:1: '),
  ]);
});
