/** What must not happen to Nodes, whatever Nova, the apiserver and other controllers do meanwhile. */
import { beforeEach, expect, test } from 'vitest';
import { sweep } from '../../../shared/sweep.ts';
import { joinNodes } from '../../support/nodes.ts';
import { startNodeWorld } from '../../support/node-world.ts';
import { inEachTest, runAll } from '../../support/sandbox-world.ts';

const it = inEachTest(() => startNodeWorld());
beforeEach(async () => {
  joinNodes(it.sandbox, 3);
  await it.sweepUntilSettled();
});

const SHUTDOWN = 'node.cloudprovider.kubernetes.io/shutdown';
const GONE = 'levelset.openstack.org/server-gone';
const ZONE = 'topology.kubernetes.io/zone';
const MINUTE = 61_000;
const change = (name: string, part: object): void => {
  it.sandbox.kube.apply({ kind: 'Node', metadata: { name }, ...part });
};

test('a Node that a sweep found, and another writer changed meanwhile, is done when its key is requeued', async () => {
  change('worker-1', { metadata: { name: 'worker-1', labels: { [ZONE]: 'wrong' } } });
  it.sandbox.fault({
    match: { side: 'kube', method: 'PATCH', path: /nodes\/worker-1/ },
    kind: 'call',
    before: () => {
      change('worker-1', { metadata: { name: 'worker-1', labels: { other: 'label' } } });
    },
  });
  const { outcome } = await it.reconcile('worker-1', { trigger: 'sweep' });
  expect(outcome).toMatchObject({ status: 'progressing' });
  await it.reconcile('worker-1', { trigger: 'requeue' });
  expect(it.node('worker-1').metadata.labels?.[ZONE]).toBe('az1');
});

test('a Node whose deletion waits for a finalizer of others is deleted once, and takes up no more of the budget', async () => {
  change('worker-1', { metadata: { name: 'worker-1', finalizers: ['example.org/wait'] } });
  it.loseServer('worker-1');
  await it.reconcile('worker-1');
  await it.reconcile('worker-1', {}, it.later(MINUTE));
  expect(it.node('worker-1').metadata.deletionTimestamp).toBeDefined();
  const drawn = await it.world.kube.deletions.nodes.load();

  const { applied, outcome } = await it.reconcile('worker-1', {}, it.later(3 * MINUTE));
  expect([applied, outcome]).toEqual([[], { status: 'settled' }]);
  expect((await sweep(it.later(3 * MINUTE))).requests).toEqual([]);
  expect((await it.world.kube.deletions.nodes.load()).deletions).toEqual(drawn.deletions);
});

test('a server that one answer of Nova misses and another one shows is not gone', async () => {
  it.sandbox.kube.setReady('worker-1', false);
  const { id } = it.server('worker-1');
  const body = { itemNotFound: { code: 404, message: `Instance ${id} could not be found.` } };
  it.sandbox.fault({
    match: { path: new RegExp(`servers/${id}`) },
    times: 9,
    kind: 'fail-before',
    status: 404,
    body,
  });
  const other = await it.another(it.world.config);
  await it.reconcile('worker-1', {}, other);
  expect(it.node('worker-1').metadata.annotations?.[GONE]).toBeDefined();
  await it.reconcile('worker-1', {}, { ...other, clock: it.later(MINUTE).clock });
  expect(it.isThere('worker-1')).toBe(true);
});

test('where the lifecycle is for others to look after, their taint stays', async () => {
  change('worker-1', { spec: { taints: [{ key: SHUTDOWN, effect: 'NoSchedule' }] } });
  const config = { ...it.world.config, controllers: ['cloud-node-controller'] as const };
  await it.reconcile('worker-1', { trigger: 'sweep' }, await it.another(config));
  expect(it.node('worker-1').spec?.taints?.map(({ key }) => key)).toEqual([SHUTDOWN]);
});

test('an approval is for this time: a server that came back and is gone again is another matter', async () => {
  for (const { metadata } of await it.world.kube.listNodes()) it.loseServer(metadata.name);
  await it.reconcile('worker-1');
  const { plan } = await it.reconcile('worker-1', { dryRun: true }, it.later(MINUTE));
  const annotations = { 'levelset.openstack.org/approve': plan?.refused[0]?.approval ?? '' };
  change('worker-1', { metadata: { name: 'worker-1', annotations } });
  it.sandbox.kube.setReady('worker-1', true);
  await it.reconcile('worker-1', {}, it.later(MINUTE));

  it.sandbox.kube.setReady('worker-1', false);
  await it.reconcile('worker-1', {}, it.later(10 * MINUTE));
  await it.reconcile('worker-1', {}, it.later(11 * MINUTE));
  expect(it.isThere('worker-1')).toBe(true);
});

test('a Node of another region than that of cloud.conf is not looked for here', async () => {
  const config = { ...it.world.config, openstack: { ...it.world.config.openstack, region: 'RegionOne' } };
  const labels = { 'topology.kubernetes.io/region': 'RegionTwo' };
  change('worker-1', { metadata: { name: 'worker-1', labels } });
  it.loseServer('worker-1');
  const here = await it.another(config);
  await it.reconcile('worker-1', {}, here);
  await it.reconcile('worker-1', {}, { ...here, clock: it.later(MINUTE).clock });
  expect(it.isThere('worker-1')).toBe(true);
});

test('a Node that is ready, and whose server is not there, keeps what it has, and its condition says so once', async () => {
  it.sandbox.cloud.removeNovaServer(it.server('worker-1').id);
  const before = it.node('worker-1');
  await runAll(await sweep(it.world), it.world);
  const { metadata, spec, status } = it.node('worker-1');
  expect([metadata.labels, spec, status?.addresses]).toEqual([
    before.metadata.labels,
    before.spec,
    before.status?.addresses,
  ]);
  expect([...it.events('worker-1')].sort()).toEqual(['SyncNodeFailed', 'Synced']);
  expect((await sweep(it.world)).requests).toEqual([]);
});

test('a Node whose providerID names another region is left alone, and costs no call', async () => {
  const providerID = `openstack://elsewhere/${it.server('worker-1').id}`;
  it.sandbox.kube.registerNode('far', { ready: false, spec: { providerID } });
  it.calls();
  const { outcome } = await it.reconcile('far');
  expect([outcome.status, it.calls()]).toEqual(['blocked', []]);
});

test('a Node that was written and whose condition could not be moves members all the same', async () => {
  it.sandbox.kube.registerNode('late');
  await it.reconcile('late');
  it.sandbox.cloud.addNovaServer('late');
  it.sandbox.fault({
    match: { side: 'kube', method: 'PATCH', path: /nodes\/late\/status/, nth: 2 },
    kind: 'fail-before',
    status: 409,
  });
  const report = await it.reconcile('late');
  expect(it.node('late').spec?.providerID).toBeDefined();
  expect(report).toMatchObject({ outcome: { status: 'progressing' }, membersMoved: true });
  await it.reconcile('late', { trigger: 'requeue' });
  const told = it.node('late').status?.conditions?.find(({ type }) => type.startsWith('levelset'));
  expect(told?.status).toBe('True');
});

test.each([true, false])('who asks for a Node that is not there hears so, dry run: %s', async (dryRun) => {
  const { missing } = await it.reconcile('no-such-node', { trigger: 'resync', dryRun });
  expect(missing).toBe(true);
  expect((await it.reconcile('worker-1', { trigger: 'resync', dryRun })).missing).toBeUndefined();
});
