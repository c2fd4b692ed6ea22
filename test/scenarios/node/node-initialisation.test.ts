import { expect, test } from 'vitest';
import { scopeOf } from '../../../shared/model/request.ts';
import { sweep } from '../../../shared/sweep.ts';
import { joinNode, joinNodes } from '../../support/nodes.ts';
import { startNodeWorld } from '../../support/node-world.ts';
import { inEachTest, runAll } from '../../support/sandbox-world.ts';

const it = inEachTest(() => startNodeWorld());

const UNINITIALIZED = 'node.cloudprovider.kubernetes.io/uninitialized';
const taintsOf = (name: string): readonly string[] => it.node(name).spec?.taints?.map(({ key }) => key) ?? [];

test('a Node that has just registered gets providerID, labels and addresses, and its taint goes', async () => {
  const { server } = joinNode(it.sandbox, 'worker-1');
  const report = await it.reconcile('worker-1');

  expect(report).toMatchObject({ outcome: { status: 'settled' }, membersMoved: true });
  const { metadata, spec, status } = it.node('worker-1');
  expect(spec?.providerID).toBe(`openstack:///${server.id}`);
  expect(taintsOf('worker-1')).not.toContain(UNINITIALIZED);
  expect(status?.addresses?.map(({ type }) => type)).toContain('InternalIP');
  expect(metadata.labels).toMatchObject({
    'kubernetes.io/hostname': 'worker-1',
    'node.kubernetes.io/instance-type': 'm1.small',
    'beta.kubernetes.io/instance-type': 'm1.small',
    'topology.kubernetes.io/zone': 'az1',
    'failure-domain.beta.kubernetes.io/zone': 'az1',
  });
  expect(it.events('worker-1')).toEqual(['Synced']);
});

test('one Node costs two calls, and the addresses are there before the taint goes', async () => {
  joinNode(it.sandbox, 'worker-1');
  it.calls();
  await it.reconcile('worker-1');

  expect(it.calls()).toEqual(['GET /compute/v2.1/servers/ID', 'GET /network/v2.0/ports']);
  const writes = it.sandbox.requests.filter(({ side, write }) => side === 'kube' && write);
  expect(writes.map(({ method, path }) => `${method} ${path.split('?')[0]}`)).toEqual([
    'PATCH /api/v1/nodes/worker-1/status',
    'PATCH /api/v1/nodes/worker-1',
    'POST /api/v1/namespaces/default/events',
  ]);
});

test('a hundred at once cost some four calls', async () => {
  joinNodes(it.sandbox, 100);
  const found = await sweep(it.world);
  expect(found.requests).toHaveLength(100);
  it.calls();
  const reports = await runAll(found, it.world);

  expect(new Set(reports.map(({ outcome }) => outcome.status))).toEqual(new Set(['settled']));
  // four, where all runs read at the same moment, which a busy machine does not ensure
  expect(it.calls().length).toBeLessThanOrEqual(10);
  it.calls();
  expect((await sweep(it.world)).requests).toEqual([]);
});

test('ten at once that have nothing but a name share their lists', async () => {
  const names = Array.from({ length: 10 }, (_, index) => `named-${index}`);
  for (const name of names) {
    it.sandbox.cloud.addNovaServer(name);
    it.sandbox.kube.registerNode(name);
  }
  it.calls();
  await Promise.all(names.map((name) => it.reconcile(name)));
  // alone each costs two; two for all, where they read at the same moment, which a busy machine does not ensure
  expect(it.calls().length).toBeLessThan(2 * names.length);
  for (const name of names) expect(taintsOf(name)).not.toContain(UNINITIALIZED);
});

test('many that come one after another do not each list all Nodes of the cluster', async () => {
  const nodes = joinNodes(it.sandbox, 20);
  for (const { name } of nodes) await it.reconcile(name);
  const lists = it.sandbox.requests.filter(({ path }) => /^\/api\/v1\/nodes(\?|$)/.test(path));
  expect(lists.length).toBeLessThan(nodes.length / 2);
});

test('a resync sees a port that changed a moment ago, although others have just been listed', async () => {
  const nodes = joinNodes(it.sandbox, 3);
  for (const { name } of nodes) await it.reconcile(name);
  const [{ name, server } = { name: '', server: undefined }] = nodes;
  const port = it.sandbox.cloud.ports.find(({ device_id }) => device_id === server?.id);
  const [fixed] = port?.fixed_ips ?? [];
  Object.assign(fixed ?? {}, { ip_address: '10.0.0.222' });

  await it.reconcile(name, { trigger: 'resync' });

  const addresses = (it.node(name).status?.addresses ?? []).map(({ address }) => address);
  expect(addresses.filter((address) => address.startsWith('10.'))).toEqual(['10.0.0.222']);
});

test('a sweep over Nodes at rest lists servers and ports once, and finds nothing', async () => {
  joinNodes(it.sandbox, 5);
  await it.sweepUntilSettled();
  it.calls();
  expect((await sweep(it.world)).requests).toEqual([]);
  const lists = it.calls().filter((call) => /servers|ports/.test(call));
  expect(lists).toEqual(['GET /compute/v2.1/servers/detail', 'GET /network/v2.0/ports']);
});

test('a sweep for the members of load balancers asks nothing about servers', async () => {
  joinNodes(it.sandbox, 2);
  it.calls();
  expect(await sweep(it.world, scopeOf('nodeset'))).toMatchObject({ requests: [], nodes: 0 });
  expect(it.calls().filter((call) => /servers|ports/.test(call))).toEqual([]);
});

test('an event about a Node that is at work costs nothing in OpenStack', async () => {
  joinNode(it.sandbox, 'worker-1');
  await it.reconcile('worker-1');
  it.calls();
  expect((await it.reconcile('worker-1')).outcome.status).toBe('settled');
  expect(it.calls()).toEqual([]);
});

test.each([
  ['labels', { metadata: { name: 'worker-1', labels: { 'topology.kubernetes.io/zone': 'elsewhere' } } }],
  ['addresses', { metadata: { name: 'worker-1' }, status: { addresses: [] } }],
])('%s that somebody spoiled are put right by the next sweep', async (_, spoilt) => {
  joinNode(it.sandbox, 'worker-1');
  await it.reconcile('worker-1');
  const before = it.node('worker-1');
  it.sandbox.kube.apply({ kind: 'Node', ...spoilt });

  await it.sweepUntilSettled();
  const { metadata, status } = it.node('worker-1');
  expect(metadata.labels).toEqual(before.metadata.labels);
  expect(status?.addresses).toEqual(before.status?.addresses);
});

test('the taint put back by hand runs it again', async () => {
  joinNode(it.sandbox, 'worker-1');
  await it.reconcile('worker-1');
  const taints = [{ key: UNINITIALIZED, value: 'true', effect: 'NoSchedule' }];
  it.sandbox.kube.apply({
    kind: 'Node',
    metadata: { name: 'worker-1', labels: { own: 'kept' } },
    spec: { taints },
  });

  await it.reconcile('worker-1');
  expect(taintsOf('worker-1')).toEqual([]);
  expect(it.node('worker-1').metadata.labels).toMatchObject({ own: 'kept' });
});

test('a Node whose server nobody knows waits, and says so once', async () => {
  it.sandbox.kube.registerNode('stranger');
  expect((await it.reconcile('stranger')).outcome).toMatchObject({ status: 'blocked' });
  expect((await it.reconcile('stranger')).outcome).toMatchObject({ status: 'blocked' });

  expect(taintsOf('stranger')).toContain(UNINITIALIZED);
  expect(it.events('stranger')).toEqual(['SyncNodeFailed']);
  expect(conditionOf('stranger')).toMatchObject({
    status: 'False',
    message: /no server of the project/ as never,
  });
});

test('once its server is there, the next sweep initialises it, and the condition says that all is well', async () => {
  it.sandbox.kube.registerNode('late');
  await it.reconcile('late');
  it.sandbox.cloud.addNovaServer('late');

  await it.sweepUntilSettled();
  expect(taintsOf('late')).not.toContain(UNINITIALIZED);
  expect(conditionOf('late')).toMatchObject({ status: 'True' });
});

test('two servers of one name: neither is taken', async () => {
  for (const name of ['twin', 'twin']) it.sandbox.cloud.addNovaServer(name);
  it.sandbox.kube.registerNode('twin');
  const { outcome } = await it.reconcile('twin');
  expect(outcome).toMatchObject({ status: 'blocked' });
  expect(it.node('twin').spec?.providerID).toBeUndefined();
});

test('two Nodes that claim one server: neither is changed, and the conditions of both say so', async () => {
  const { server } = joinNode(it.sandbox, 'first');
  it.sandbox.kube.registerNode('second', { systemUUID: server.id });

  for (const name of ['first', 'second']) {
    expect((await it.reconcile(name)).outcome).toMatchObject({ status: 'blocked' });
    expect(it.node(name).spec?.providerID).toBeUndefined();
    expect(it.events(name)).toEqual(['SyncNodeFailed']);
  }
});

test('a dry run shows the plan and changes nothing', async () => {
  joinNode(it.sandbox, 'worker-1');
  const { plan } = await it.reconcile('worker-1', { dryRun: true, trigger: 'command' });
  expect(plan?.steps.map(({ address }) => address)).toEqual(['nodestatus/worker-1', 'node/worker-1']);
  expect(taintsOf('worker-1')).toContain(UNINITIALIZED);
});

function conditionOf(name: string): object | undefined {
  return it.node(name).status?.conditions?.find(({ type }) => type === 'levelset.openstack.org/Ready');
}

test('where Nova tells only the id of a flavor, a sweep over Nodes at rest finds nothing either', async () => {
  it.sandbox.cloud.nova.newest = 46;
  joinNodes(it.sandbox, 2);
  await it.sweepUntilSettled();
  expect(it.node('worker-1').metadata.labels?.['node.kubernetes.io/instance-type']).toBe('m1.small');
  expect((await sweep(it.world)).requests).toEqual([]);
});

test.each([
  ['with the project in it', (project: string) => `/v2.1/${project}`, 93],
  ['of before 2.1', (project: string) => `/v2/${project}/`, 93],
  ['of an old Nova, which tells only ids of flavors', () => '/v2.1', 38],
])('a Node gets all that it needs at an endpoint of Nova %s', async (_what, endpoint, newest) => {
  const { cloud } = it.sandbox;
  Object.assign(cloud.nova, { endpoint: endpoint(cloud.projectId), newest });
  joinNodes(it.sandbox, 2);
  expect(await sweep(it.world)).toMatchObject({ requests: { length: 2 } });
  const [name = ''] = it.sandbox.kube.list('Node').map(({ metadata }) => metadata.name);
  expect(await it.reconcile(name)).toMatchObject({ outcome: { status: 'settled' } });
  expect(it.node(name).metadata.labels).toMatchObject({ 'node.kubernetes.io/instance-type': 'm1.small' });
});
