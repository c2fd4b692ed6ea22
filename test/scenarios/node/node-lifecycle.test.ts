/** When Nodes go, and what must not happen to them, whatever Nova, the apiserver and other controllers do meanwhile. */
import { beforeEach, expect, test } from 'vitest';
import type { ControllerName } from '../../../shared/config/config.ts';
import type { Report } from '../../../shared/model/outcome.ts';
import { sweep } from '../../../shared/sweep.ts';
import { failing } from '../../support/failing.ts';
import { replaced } from '../../support/in-process.ts';
import { joinNode, joinNodes } from '../../support/nodes.ts';
import { startNodeWorld, type NodeWorld } from '../../support/node-world.ts';
import { inEachTest, runAll } from '../../support/sandbox-world.ts';

const it = inEachTest(() => startNodeWorld());
beforeEach(async () => {
  joinNodes(it, 3);
  await it.sweepUntilSettled();
});

const NAME = 'worker-1';
const SHUTDOWN = 'node.cloudprovider.kubernetes.io/shutdown';
const GONE = 'levelset.openstack.org/server-gone';
const MINUTE = 61_000;
let lost: readonly ReturnType<NodeWorld['server']>[] = [];
const change = (metadata: object, part: object = {}) =>
  it.kube.apply({ kind: 'Node', metadata: { name: NAME, ...metadata }, ...part });
/** A look at it, so much later. */
const look = (ms = 0, by = it.world, name = NAME): Promise<Report> =>
  it.reconcile(name, {}, { ...by, clock: it.later(ms).clock });
const lookTwice = async (by = it.world, name = NAME): Promise<Report> => {
  await look(0, by, name);
  return look(MINUTE, by, name);
};
const note = (): string | undefined => it.node(NAME).metadata.annotations?.[GONE];
const loseAll = async (): Promise<void> => {
  for (const { metadata } of await it.world.kube.listNodes()) it.loseServer(metadata.name);
};

test.each(['ACTIVE', 'PAUSED', 'SHELVED_OFFLOADED', 'ERROR'])(
  'a Node that is not ready while its server is %s stays as it is',
  async (status) => {
    it.server(NAME).status = status;
    it.kube.setReady(NAME, false);
    const before = it.node(NAME);
    await lookTwice();
    expect(it.node(NAME)).toEqual(before);
  },
);

test('a server that is gone is noted, looked for again a minute later, and then its Node goes', async () => {
  const { id } = it.server(NAME);
  it.loseServer(NAME);
  expect((await look()).outcome).toMatchObject({ status: 'progressing', retryAfterMs: 60_000 });
  expect(note()).toContain(id);
  expect((await look()).outcome).toMatchObject({ status: 'progressing' });
  expect(it.isThere(NAME)).toBe(true);

  expect((await look(MINUTE)).applied).toMatchObject([{ verb: 'delete', kind: 'node' }]);
  expect(it.isThere(NAME)).toBe(false);
  expect(it.events(NAME)).toContain('DeletingNode');
});

test.each([
  ['is ready', () => it.kube.setReady(NAME, true)],
  ['has its server again', () => it.cloud.servers.push(...lost)],
])('a Node that %s stays, and the note goes', async (_, comesBack) => {
  lost = [it.server(NAME)];
  it.loseServer(NAME);
  await look();
  comesBack();
  await look(MINUTE);
  expect(it.isThere(NAME)).toBe(true);
  expect(note()).toBeUndefined();
});

test.each([500, 503, 401, 403, 404])('while Nova answers %d, nothing is deleted', async (status) => {
  it.loseServer(NAME);
  await look();
  failing(it, 'GET', /compute/, status, { body: { message: 'no Route matched with those values' } });
  expect((await look(MINUTE)).outcome.status).toBe('failed');
  expect(note()).toBeDefined();
});

test('when Nova shows no server at all, no Node goes, and the Node says how it may', async () => {
  await loseAll();
  const { outcome } = await lookTwice();
  expect(outcome).toMatchObject({ status: 'blocked', reason: /no server of any Node/ as never });
  expect(it.isThere(NAME)).toBe(true);
  await giveApproval();
  await look(MINUTE);
  expect(it.isThere(NAME)).toBe(false);
});

test('other credentials, another project: nothing is known to be gone there', async () => {
  it.loseServer(NAME);
  await look();
  const cloud = replaced(it.world.cloud, () => ({ projectId: () => Promise.resolve('other') }));
  expect((await look(MINUTE, { ...it.world, cloud })).outcome).toMatchObject({ status: 'progressing' });
  expect(it.isThere(NAME)).toBe(true);
});

test('the deletion budget: one of three within an hour, by any trigger; the others wait for an approval, or for the hour to pass', async () => {
  for (const name of [NAME, 'worker-2']) it.loseServer(name);
  await lookTwice();
  expect(it.isThere(NAME)).toBe(false);

  const { outcome, plan } = await lookTwice(it.world, 'worker-2');
  const reason = /levelset.openstack.org\/approve: [0-9a-f]{12}/ as never;
  expect(outcome).toMatchObject({ status: 'blocked', reason });
  expect(plan?.steps).toEqual([]);
  expect(it.isThere('worker-2')).toBe(true);
  expect(it.events('worker-2')).toContain('SyncNodeFailed');

  await look(3_600_000 + 2 * MINUTE, it.world, 'worker-2');
  expect(it.isThere('worker-2')).toBe(false);
});

test('a Node that changed since it was read is not deleted', async () => {
  it.loseServer(NAME);
  await look();
  const before = () => void it.kube.setReady(NAME, true);
  it.fault({ match: { method: 'DELETE', path: /nodes/ }, kind: 'call', before });
  await look(MINUTE);
  expect(it.isThere(NAME)).toBe(true);
});

/** What the Node waits for is approved. */
async function giveApproval(): Promise<void> {
  const { plan } = await it.reconcile(NAME, { dryRun: true, trigger: 'command' }, it.later(MINUTE));
  change({ annotations: { 'levelset.openstack.org/approve': plan?.refused[0]?.approval ?? '' } });
}

test('a Node whose deletion waits for a finalizer of others is deleted once, and takes up no more of the budget', async () => {
  change({ finalizers: ['example.org/wait'] });
  it.loseServer(NAME);
  await lookTwice();
  expect(it.node(NAME).metadata.deletionTimestamp).toBeDefined();
  const drawn = await it.world.kube.deletions.nodes.load();

  const { applied, outcome } = await look(3 * MINUTE);
  expect([applied, outcome]).toEqual([[], { status: 'settled' }]);
  expect((await sweep(it.later(3 * MINUTE))).requests).toEqual([]);
  expect((await it.world.kube.deletions.nodes.load()).deletions).toEqual(drawn.deletions);
});

test('a server that one answer of Nova misses and another one shows is not gone', async () => {
  it.kube.setReady(NAME, false);
  const { id } = it.server(NAME);
  const body = { itemNotFound: { code: 404, message: `Instance ${id} could not be found.` } };
  failing(it, 'GET', new RegExp(`servers/${id}`), 404, { body });
  const other = await it.another();
  await look(0, other);
  expect(note()).toBeDefined();
  await look(MINUTE, other);
  expect(it.isThere(NAME)).toBe(true);
});

test('where one of the two controllers of Nodes is for others, their taints stay', async () => {
  const only = (controller: ControllerName) => it.another({ controllers: [controller] });
  const taintsOf = (name: string) => it.node(name).spec?.taints?.map(({ key }) => key);
  change({}, { spec: { taints: [{ key: SHUTDOWN, effect: 'NoSchedule' }] } });
  await it.reconcile(NAME, { trigger: 'sweep' }, await only('cloud-node-controller'));
  expect(taintsOf(NAME)).toEqual([SHUTDOWN]);

  joinNode(it, 'new');
  const before = taintsOf('new');
  await it.reconcile('new', {}, await only('cloud-node-lifecycle-controller'));
  expect(taintsOf('new')).toEqual(before);
});

test('an approval is for this time: a server that came back and is gone again is another matter', async () => {
  await loseAll();
  await look();
  await giveApproval();
  it.kube.setReady(NAME, true);
  await look(MINUTE);

  it.kube.setReady(NAME, false);
  await look(10 * MINUTE);
  await look(11 * MINUTE);
  expect(it.isThere(NAME)).toBe(true);
});

test('a Node of another region than that of cloud.conf is not looked for here', async () => {
  const { openstack } = it.world.config;
  change({ labels: { 'topology.kubernetes.io/region': 'RegionTwo' } });
  it.loseServer(NAME);
  await lookTwice(await it.another({ openstack: { ...openstack, region: 'RegionOne' } }));
  expect(it.isThere(NAME)).toBe(true);
});

test('a Node that is ready, and whose server is not there, keeps what it has, and its condition says so once', async () => {
  it.cloud.removeNovaServer(it.server(NAME).id);
  const its = () => {
    const { metadata, spec, status } = it.node(NAME);
    return [metadata.labels, spec, status?.addresses];
  };
  const before = its();
  await runAll(await sweep(it.world), it.world);
  expect(its()).toEqual(before);
  expect([...it.events(NAME)].sort()).toEqual(['SyncNodeFailed', 'Synced']);
  expect((await sweep(it.world)).requests).toEqual([]);
});

test('a Node that was written and whose condition could not be moves members all the same', async () => {
  it.kube.registerNode('late');
  await it.reconcile('late');
  it.cloud.addNovaServer('late');
  const match = { side: 'kube', method: 'PATCH', path: /nodes\/late\/status/, nth: 2 } as const;
  it.fault({ match, kind: 'fail-before', status: 409 });
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
  expect((await it.reconcile(NAME, { trigger: 'resync', dryRun })).missing).toBeUndefined();
});
