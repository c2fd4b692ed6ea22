/** An API of OpenStack is stopped for a minute, or a child is left in ERROR: what does not need it goes on, and a sweep makes up for the rest. */
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, expect, it } from 'vitest';
import { forThisTest, storeContainer } from '../fixtures/barbican.ts';
import { startCloudFront } from '../fixtures/cloud-front.ts';
import {
  addressOf,
  apply,
  aService,
  cloud,
  joinCluster,
  kubectl,
  leaveCluster,
  loadBalancersOf,
  readyOf,
  serviceGone,
  startLevelset,
  sweepUntilSettled,
  treeOf,
  uidOf,
  until,
  type Levelset,
  type Tree,
} from '../lab/lab.ts';
import { labWorld } from '../lab/lab-world.ts';
import { labctl } from '../lab/labctl.ts';

const MINUTE = 60_000;
/** Nearly all of a minute is the outage itself. */

const front = await startCloudFront();
const world = labWorld({
  nodes: ['e2e-trouble-1'],
  servers: ['e2e-trouble-2'],
  cloudConfig: { Global: { 'auth-url': front.authUrl } },
  levelsetByTest: true,
  withPassword: true,
});
afterAll(() => front.close());
afterEach(async () => {
  for (const service of ['identity', 'key-manager', 'load-balancer', 'network'] as const)
    await front.inTrouble(service);
  for (const { name } of world.servers) await leaveCluster(name);
});

const start = (options = {}): Promise<Levelset> =>
  startLevelset({ cloudConfig: world.cloudConfig, ...options });
const deploy = (name: string, ports: readonly number[], annotations: Record<string, string> = {}) =>
  apply([
    aService(
      world.namespace,
      name,
      ports.map((port) => ({ port })),
      { annotations },
    ),
  ]);
const remove = (name: string) => kubectl(['-n', world.namespace, 'delete', 'service', name, '--wait=false']);
const address = (name: string) => addressOf(world.namespace, name);
const tree = (name: string): Promise<Tree> => treeOf(world.namespace, name);
const isReady = async (name: string): Promise<boolean> =>
  (await readyOf(world.namespace, name))?.status === 'True';
const restOfMinute = (since: number): Promise<void> => pause(Math.max(0, since + MINUTE - Date.now()));

/** A pool for each port, with so many members in each. */
const serves = (name: string, ports: number, members: number) =>
  until(`${name} to have ${ports} ports with ${members} members each`, async () => {
    const { listeners, pools } = await tree(name);
    return (
      listeners.length === ports &&
      pools.length === ports &&
      pools.every((pool) => pool.members.length === members)
    );
  });

/** A load balancer a day is rebuilt in a world as small as this one, and each test has a day of its own. */
const forgetRepairs = () =>
  kubectl(['-n', 'levelset', 'delete', 'configmap', 'levelset-deletions', '--ignore-not-found']);

/** One sweep, and as many more as Octavia's work takes; the first one already fails nothing. */
async function level(): Promise<void> {
  const sweeps = await sweepUntilSettled({ cloudConfig: world.cloudConfig });
  console.log(`level after ${sweeps.length} sweeps`);
}

it('without Barbican, Services that need no certificate are made, changed and deleted, and get a new Node', async () => {
  const ref = forThisTest(await storeContainer('one'));
  const levelset = await start();
  await deploy('tls', [443], { 'loadbalancer.openstack.org/default-tls-container-ref': ref });
  await deploy('changed', [80]);
  await deploy('deleted', [80]);
  const served = await Promise.all(['tls', 'changed', 'deleted'].map(address));

  await front.inTrouble('key-manager', 'stopped');
  const stopped = Date.now();
  await Promise.all([deploy('made', [80]), deploy('changed', [80, 8080]), remove('deleted')]);
  for (const node of world.servers) await joinCluster(node);
  await address('made');
  await serviceGone(world.namespace, 'deleted');
  await serves('made', 1, 2);
  await serves('changed', 2, 2);
  console.log(`made, changed and deleted ${Date.now() - stopped} ms after Barbican was stopped`);
  await restOfMinute(stopped);
  expect((await levelset.get('/readyz')).status).toBe(200);

  await front.inTrouble('key-manager');
  await level();
  await serves('tls', 1, 2);
  expect(await Promise.all(['tls', 'changed'].map(address))).toEqual(served.slice(0, 2));
  expect(await Promise.all(['tls', 'changed', 'made'].map(isReady))).toEqual([true, true, true]);
});

it('without Neutron, a listener and the members of an internal Service change, and a new Node waits', async () => {
  const internal = { 'service.beta.kubernetes.io/openstack-internal-load-balancer': 'true' };
  for (const node of world.servers) await joinCluster(node);
  await start();
  await deploy('web', [80], internal);
  const served = await address('web');
  await serves('web', 1, 2);

  await front.inTrouble('network', 'stopped');
  const stopped = Date.now();
  await deploy('web', [80, 8080], internal);
  for (const { name } of world.servers) await leaveCluster(name);
  await serves('web', 2, 1);
  console.log(`changed ${Date.now() - stopped} ms after Neutron was stopped`);
  for (const node of world.servers) await joinCluster(node);
  await restOfMinute(stopped);
  await serves('web', 2, 1);

  await front.inTrouble('network');
  await level();
  await serves('web', 2, 2);
  expect(await address('web')).toBe(served);
  expect(await isReady('web')).toBe(true);
});

it('without Keystone, a process that starts lives, deletes nothing, and tries few logins', async () => {
  const before = await start();
  await deploy('kept', [80]);
  await deploy('deleted', [80]);
  const served = await Promise.all(['kept', 'deleted'].map(address));
  const asMade = async (): Promise<readonly unknown[]> =>
    Promise.all(['kept', 'deleted'].map(tree)).then((all) => all.map(withoutHealth));
  const trees = await asMade();
  await before.stop();

  await front.inTrouble('identity', 'stopped');
  const stopped = Date.now();
  const levelset = await start({ waitsUntilReady: false, sweepInterval: '10s' });
  await Promise.all([deploy('made', [80]), remove('deleted')]);
  for (const node of world.servers) await joinCluster(node);
  await restOfMinute(stopped);

  const readiness = await levelset.get('/readyz');
  console.log(`without Keystone /readyz says ${readiness.status} ${readiness.text}`);
  expect(readiness.status).toBe(503);
  expect(await asMade()).toEqual(trees);
  const logins = loginsOf((await levelset.get('/metrics')).text);
  console.log(`${logins} logins were tried in a minute`);
  expect(logins).toBeGreaterThan(0);
  expect(logins).toBeLessThanOrEqual(20);

  await front.inTrouble('identity');
  await until('levelset to be ready', async () => (await levelset.get('/readyz')).status === 200);
  await level();
  await serviceGone(world.namespace, 'deleted');
  await serves('kept', 1, 2);
  await serves('made', 1, 2);
  expect(await address('kept')).toBe(served[0]);
});

it('a listener, a pool and a member that Octavia left in ERROR are configured anew', async () => {
  const levelset = await start();
  await deploy('web', [80]);
  const served = await address('web');
  const { listeners, pools } = await tree('web');
  const children: [table: string, id: string | undefined][] = [
    ['listener', listeners[0]?.id],
    ['pool', pools[0]?.id],
    ['member', pools[0]?.members[0]?.id],
  ];
  for (const [table, id] of children) await labctl('prov', table, id ?? '', 'ERROR');

  await levelset.resync({ objects: [`service/${world.namespace}/web`] });

  const statuses = async (): Promise<readonly unknown[]> => {
    const now = await tree('web');
    const all = [...now.listeners, ...now.pools, ...now.pools.flatMap(({ members }) => members)];
    return all.map(({ provisioning_status }) => provisioning_status);
  };
  await until('all to be ACTIVE', async () => (await statuses()).every((status) => status === 'ACTIVE'));
  await level();
  expect((await tree('web')).listeners.map(({ id }) => id)).toEqual([listeners[0]?.id]);
  expect([await address('web'), await isReady('web')]).toEqual([served, true]);
  expect((await loadBalancersOf(await uidOf(world.namespace, 'web'))).length).toBe(1);
});

it('a load balancer in ERROR that serves nobody is rebuilt beside, and its floating IP stays', async () => {
  await forgetRepairs();
  const levelset = await start();
  await deploy('web', [80]);
  const served = await address('web');
  const before = await tree('web');
  const owned = async () => loadBalancersOf(await uidOf(world.namespace, 'web'));
  const failed = (await owned())[0]?.id ?? '';
  await labctl('break', failed);

  await levelset.resync({ objects: [`service/${world.namespace}/web`] });

  await until(
    'another load balancer',
    async () => {
      const [one, ...others] = await owned();
      return others.length === 0 && one?.id !== failed && one?.['provisioning_status'] === 'ACTIVE';
    },
    { timeoutMs: 90_000 },
  );
  await level();
  const now = await tree('web');
  expect([await address('web'), await isReady('web')]).toEqual([served, true]);
  expect(now.pools.map(({ members }) => members.length)).toEqual(
    before.pools.map(({ members }) => members.length),
  );
});

it('a load balancer whose VIP port somebody deleted is found by a sweep and rebuilt beside, and its floating IP stays', async () => {
  await forgetRepairs();
  const levelset = await start();
  await deploy('web', [80]);
  const served = await address('web');
  const owned = async () => loadBalancersOf(await uidOf(world.namespace, 'web'));
  await until('the Service to be ready', () => isReady('web'));
  const lost = (await owned())[0];
  await cloud().must('network', 'DELETE', `/v2.0/ports/${String(lost?.['vip_port_id'])}`);
  expect((await owned())[0]).toMatchObject({ id: lost?.id, provisioning_status: 'ACTIVE' });

  await levelset.resync({ all: true });

  await until(
    'another load balancer',
    async () => {
      const [one, ...others] = await owned();
      return others.length === 0 && one?.id !== lost?.id && one?.['provisioning_status'] === 'ACTIVE';
    },
    { timeoutMs: 90_000 },
  );
  await level();
  expect([await address('web'), await isReady('web')]).toEqual([served, true]);
});

/** What Octavia's monitors say comes and goes by itself. */
function withoutHealth(tree: Tree): unknown {
  return JSON.parse(
    JSON.stringify(tree, (name, value: unknown) =>
      name === 'operating_status' || name === 'updated_at' ? undefined : value,
    ),
  );
}

/** As the metric counts them, whatever became of them. */
function loginsOf(metrics: string): number {
  const lines = metrics.matchAll(/^levelset_openstack_requests_total\{(?<labels>.*)\} (?<count>\d+)$/gm);
  return [...lines]
    .filter(({ groups }) => groups?.['labels']?.includes('service="identity",method="POST"'))
    .reduce((sum, { groups }) => sum + Number(groups?.['count']), 0);
}
