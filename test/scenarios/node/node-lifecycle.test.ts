import { beforeEach, expect, test } from 'vitest';
import { sweep } from '../../../shared/sweep.ts';
import { joinNode, joinNodes } from '../../support/nodes.ts';
import { startNodeWorld, type NodeWorld } from '../../support/node-world.ts';
import { replaced } from '../../support/in-process.ts';
import { inEachTest, run } from '../../support/sandbox-world.ts';

const it = inEachTest(() => startNodeWorld());
beforeEach(async () => {
  joinNodes(it.sandbox, 3);
  await it.sweepUntilSettled();
});

let lost: readonly ReturnType<NodeWorld['server']>[] = [];
const SHUTDOWN = 'node.cloudprovider.kubernetes.io/shutdown';
const GONE = 'levelset.openstack.org/server-gone';
const MINUTE = 61_000;
const isTainted = (name: string): boolean =>
  it.node(name).spec?.taints?.some(({ key }) => key === SHUTDOWN) ?? false;
const stop = (name: string, status = 'SHUTOFF'): void => {
  it.server(name).status = status;
  it.sandbox.kube.setReady(name, false);
};
/** Looked at twice, a minute apart. */
const reconcileTwice = async (name: string): ReturnType<NodeWorld['reconcile']> => {
  await it.reconcile(name);
  return it.reconcile(name, {}, it.later(MINUTE));
};

test('a server that is switched off taints its Node, and the taint goes when the Node is ready again', async () => {
  stop('worker-1');
  await it.reconcile('worker-1');
  expect(isTainted('worker-1')).toBe(true);
  await it.reconcile('worker-1');
  expect(it.node('worker-1').spec?.taints?.filter(({ key }) => key === SHUTDOWN)).toEqual([
    { key: SHUTDOWN, effect: 'NoSchedule' },
  ]);

  it.server('worker-1').status = 'ACTIVE';
  it.sandbox.kube.setReady('worker-1', true);
  await it.reconcile('worker-1');
  expect(isTainted('worker-1')).toBe(false);
});

test.each([
  'ACTIVE',
  'PAUSED',
  'SUSPENDED',
  'SHELVED_OFFLOADED',
  'ERROR',
  'REBUILD',
  'VERIFY_RESIZE',
  'MIGRATING',
])('a Node that is not ready while its server is %s stays as it is', async (status) => {
  stop('worker-1', status);
  const before = it.node('worker-1');
  await reconcileTwice('worker-1');
  expect(it.node('worker-1')).toEqual(before);
});

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

test('a sweep finds a Node without an event, and deletes it', async () => {
  it.loseServer('worker-1');
  await runFound(it.world);
  await runFound(it.later(MINUTE));
  expect(it.isThere('worker-1')).toBe(false);
  expect(await runFound(it.later(MINUTE))).toEqual([]);
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
  await approve('worker-1');
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

test('two functions that reserve a deletion at once: one deletes, the other one reads that it did', async () => {
  for (const name of ['worker-1', 'worker-2']) it.loseServer(name);
  const other = await it.another(it.world.config);
  for (const name of ['worker-1', 'worker-2']) await it.reconcile(name);
  const clock = it.later(MINUTE).clock;
  const reports = await Promise.all([
    it.reconcile('worker-1', {}, { ...it.world, clock }),
    it.reconcile('worker-2', {}, { ...other, clock }),
  ]);
  expect(reports.map(({ outcome }) => outcome.status).sort()).toEqual(['blocked', 'settled']);
  expect(reports.flatMap(({ applied }) => applied)).toMatchObject([{ verb: 'delete' }]);
  expect(['worker-1', 'worker-2'].filter((name) => it.isThere(name))).toHaveLength(1);
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

async function approve(name: string): Promise<void> {
  const { plan } = await it.reconcile(name, { dryRun: true, trigger: 'command' }, it.later(MINUTE));
  const approval = plan?.refused[0]?.approval ?? '';
  const annotations = { 'levelset.openstack.org/approve': approval };
  it.sandbox.kube.apply({ kind: 'Node', metadata: { name, annotations } });
  await it.reconcile(name, {}, it.later(MINUTE));
}

async function runFound(world: NodeWorld['world']): Promise<readonly string[]> {
  const { requests } = await sweep(world);
  for (const request of requests) await run(request, world);
  return requests.map(({ key }) => key);
}

test('only the lifecycle is looked after: a new Node keeps its taint', async () => {
  const config = { ...it.world.config, controllers: ['cloud-node-lifecycle-controller'] as const };
  joinNode(it.sandbox, 'new');
  await it.reconcile('new', {}, await it.another(config));
  expect(it.node('new').spec?.providerID).toBeUndefined();
});
