/** When Nodes go, and what must not happen to them, whatever Nova, the apiserver and other controllers do meanwhile. */
import { beforeEach, expect, test } from 'vitest';
import type { ControllerName } from '../../../shared/config/config.ts';
import { sweep } from '../../../shared/sweep.ts';
import { joinNode, joinNodes } from '../../support/nodes.ts';
import { startNodeWorld, type NodeWorld } from '../../support/node-world.ts';
import { replaced } from '../../support/in-process.ts';
import { inEachTest, runAll } from '../../support/sandbox-world.ts';

const it = inEachTest(() => startNodeWorld());
beforeEach(async () => {
  joinNodes(it.sandbox, 3);
  await it.sweepUntilSettled();
});

let lost: readonly ReturnType<NodeWorld['server']>[] = [];
const SHUTDOWN = 'node.cloudprovider.kubernetes.io/shutdown';
const GONE = 'levelset.openstack.org/server-gone';
const MINUTE = 61_000;
const change = (name: string, part: object): void => {
  it.sandbox.kube.apply({ kind: 'Node', metadata: { name }, ...part });
};
/** Looked at twice, a minute apart. */
const reconcileTwice = async (name: string): ReturnType<NodeWorld['reconcile']> => {
  await it.reconcile(name);
  return it.reconcile(name, {}, it.later(MINUTE));
};

test.each(['ACTIVE', 'PAUSED', 'SHELVED_OFFLOADED', 'ERROR'])(
  'a Node that is not ready while its server is %s stays as it is',
  async (status) => {
    it.server('worker-1').status = status;
    it.sandbox.kube.setReady('worker-1', false);
    const before = it.node('worker-1');
    await reconcileTwice('worker-1');
    expect(it.node('worker-1')).toEqual(before);
  },
);

test('a server that is gone is noted, looked for again a minute later, and then its Node goes', async () => {
  const { id } = it.server('worker-1');
  it.loseServer('worker-1');
  expect((await it.reconcile('worker-1')).outcome).toMatchObject({
    status: 'progressing',
    retryAfterMs: 60_000,
  });
  expect(it.node('worker-1').metadata.annotations?.[GONE]).toContain(id);
  expect((await it.reconcile('worker-1')).outcome).toMatchObject({ status: 'progressing' });
  expect(it.isThere('worker-1')).toBe(true);

  const { applied } = await it.reconcile('worker-1', {}, it.later(MINUTE));
  expect(applied).toMatchObject([{ verb: 'delete', kind: 'node' }]);
  expect(it.isThere('worker-1')).toBe(false);
  expect(it.events('worker-1')).toContain('DeletingNode');
});

test.each([
  ['is ready', () => it.sandbox.kube.setReady('worker-1', true)],
  ['has its server again', () => it.sandbox.cloud.servers.push(...lost)],
])('a Node that %s stays, and the note goes', async (_, comesBack) => {
  lost = [it.server('worker-1')];
  it.loseServer('worker-1');
  await it.reconcile('worker-1');
  comesBack();
  await it.reconcile('worker-1', {}, it.later(MINUTE));
  expect(it.isThere('worker-1')).toBe(true);
  expect(it.node('worker-1').metadata.annotations?.[GONE]).toBeUndefined();
});

test('a Node that is not found by its name stays', async () => {
  it.sandbox.kube.registerNode('stranger', { ready: false });
  await reconcileTwice('stranger');
  expect(it.isThere('stranger')).toBe(true);
});

test.each([500, 503, 401, 403, 404])('while Nova answers %d, nothing is deleted', async (status) => {
  it.loseServer('worker-1');
  await it.reconcile('worker-1');
  const body = { message: 'no Route matched with those values' };
  it.sandbox.fault({ match: { path: /compute/ }, times: 9, kind: 'fail-before', status, body });
  const { outcome } = await it.reconcile('worker-1', {}, it.later(MINUTE));
  expect(outcome.status).toBe('failed');
  expect(it.node('worker-1').metadata.annotations?.[GONE]).toBeDefined();
});

test('when Nova shows no server at all, no Node goes, and the Node says how it may', async () => {
  for (const { metadata } of await it.world.kube.listNodes()) it.loseServer(metadata.name);
  const { outcome } = await reconcileTwice('worker-1');
  expect(outcome).toMatchObject({ status: 'blocked', reason: /no server of any Node/ as never });
  expect(it.isThere('worker-1')).toBe(true);
  await giveApproval();
  await it.reconcile('worker-1', {}, it.later(MINUTE));
  expect(it.isThere('worker-1')).toBe(false);
});

test('other credentials, another project: nothing is known to be gone there', async () => {
  it.loseServer('worker-1');
  await it.reconcile('worker-1');
  const elsewhere = {
    ...it.later(MINUTE),
    cloud: replaced(it.world.cloud, () => ({ projectId: () => Promise.resolve('other') })),
  };
  expect((await it.reconcile('worker-1', {}, elsewhere)).outcome).toMatchObject({ status: 'progressing' });
  expect(it.isThere('worker-1')).toBe(true);
});

test('the deletion budget: one of three within an hour, by any trigger; the others wait for an approval, or for the hour to pass', async () => {
  for (const name of ['worker-1', 'worker-2']) it.loseServer(name);
  await reconcileTwice('worker-1');
  expect(it.isThere('worker-1')).toBe(false);

  const { outcome, plan } = await reconcileTwice('worker-2');
  expect(outcome).toMatchObject({
    status: 'blocked',
    reason: /levelset.openstack.org\/approve: [0-9a-f]{12}/ as never,
  });
  expect(plan?.steps).toEqual([]);
  expect(it.isThere('worker-2')).toBe(true);
  expect(it.events('worker-2')).toContain('SyncNodeFailed');

  await it.reconcile('worker-2', {}, it.later(3_600_000 + 2 * MINUTE));
  expect(it.isThere('worker-2')).toBe(false);
});

test('a Node that changed since it was read is not deleted', async () => {
  it.loseServer('worker-1');
  await it.reconcile('worker-1');
  it.sandbox.fault({
    match: { method: 'DELETE', path: /nodes/ },
    kind: 'call',
    before: () => void it.sandbox.kube.setReady('worker-1', true),
  });
  await it.reconcile('worker-1', {}, it.later(MINUTE));
  expect(it.isThere('worker-1')).toBe(true);
});

/** What `worker-1` waits for is approved. */
async function giveApproval(): Promise<void> {
  const { plan } = await it.reconcile('worker-1', { dryRun: true, trigger: 'command' }, it.later(MINUTE));
  const annotations = { 'levelset.openstack.org/approve': plan?.refused[0]?.approval ?? '' };
  change('worker-1', { metadata: { name: 'worker-1', annotations } });
}

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

test('where one of the two controllers of Nodes is for others, their taints stay', async () => {
  const only = (controller: ControllerName) => it.another({ ...it.world.config, controllers: [controller] });
  const taintsOf = (name: string) => it.node(name).spec?.taints?.map(({ key }) => key);
  change('worker-1', { spec: { taints: [{ key: SHUTDOWN, effect: 'NoSchedule' }] } });
  await it.reconcile('worker-1', { trigger: 'sweep' }, await only('cloud-node-controller'));
  expect(taintsOf('worker-1')).toEqual([SHUTDOWN]);

  joinNode(it.sandbox, 'new');
  const before = taintsOf('new');
  await it.reconcile('new', {}, await only('cloud-node-lifecycle-controller'));
  expect(taintsOf('new')).toEqual(before);
});

test('an approval is for this time: a server that came back and is gone again is another matter', async () => {
  for (const { metadata } of await it.world.kube.listNodes()) it.loseServer(metadata.name);
  await it.reconcile('worker-1');
  await giveApproval();
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
