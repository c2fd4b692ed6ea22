import { expect, test } from 'vitest';
import { scopeOf } from '../../../shared/model/request.ts';
import { sweep } from '../../../shared/sweep.ts';
import { joinNode, joinNodes, type JoinedNode } from '../../support/nodes.ts';
import { startNodeWorld } from '../../support/node-world.ts';
import { inEachTest, runAll } from '../../support/sandbox-world.ts';

const it = inEachTest(() => startNodeWorld());

const UNINITIALIZED = 'node.cloudprovider.kubernetes.io/uninitialized';
const taintsOf = (name: string): readonly string[] => it.node(name).spec?.taints?.map(({ key }) => key) ?? [];

test('a Node that has just registered gets addresses, then providerID and labels, and its taint goes, by two calls', async () => {
  const { server } = joinNode(it, 'worker-1');
  it.calls();
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
  expect(it.calls()).toEqual(['GET /compute/v2.1/servers/ID', 'GET /network/v2.0/ports']);
  const writes = it.requests.filter(({ side, write }) => side === 'kube' && write);
  expect(writes.map(({ method, path }) => `${method} ${path.split('?')[0]}`)).toEqual([
    'PATCH /api/v1/nodes/worker-1/status',
    'PATCH /api/v1/nodes/worker-1',
    'POST /api/v1/namespaces/default/events',
  ]);
});

test('a hundred at once cost some four calls', async () => {
  joinNodes(it, 100);
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

test('a resync sees a port that changed a moment ago, although others have just been listed', async () => {
  const nodes = joinNodes(it, 3);
  for (const { name } of nodes) await it.reconcile(name);
  const [{ name, server } = { name: '', server: undefined }] = nodes;
  const port = it.cloud.ports.find(({ device_id }) => device_id === server?.id);
  const [fixed] = port?.fixed_ips ?? [];
  Object.assign(fixed ?? {}, { ip_address: '10.0.0.222' });

  await it.reconcile(name, { trigger: 'resync' });

  const addresses = (it.node(name).status?.addresses ?? []).map(({ address }) => address);
  expect(addresses.filter((address) => address.startsWith('10.'))).toEqual(['10.0.0.222']);
});

test('a sweep over Nodes at rest lists servers and ports once, and finds nothing; one for the members of load balancers lists none', async () => {
  joinNodes(it, 5);
  await it.sweepUntilSettled();
  it.calls();
  expect((await sweep(it.world)).requests).toEqual([]);
  const lists = () => it.calls().filter((call) => /servers|ports/.test(call));
  expect(lists()).toEqual(['GET /compute/v2.1/servers/detail', 'GET /network/v2.0/ports']);

  expect(await sweep(it.world, scopeOf('nodeset'))).toMatchObject({ requests: [], nodes: 0 });
  expect(lists()).toEqual([]);
});

test('an event about a Node that is at work costs nothing in OpenStack', async () => {
  joinNode(it, 'worker-1');
  await it.reconcile('worker-1');
  it.calls();
  expect((await it.reconcile('worker-1')).outcome.status).toBe('settled');
  expect(it.calls()).toEqual([]);
});

test('a Node whose server nobody knows waits, says so once, and is initialised by the sweep after its server came', async () => {
  const condition = () =>
    it.node('late').status?.conditions?.find(({ type }) => type === 'levelset.openstack.org/Ready');
  it.kube.registerNode('late');
  expect((await it.reconcile('late')).outcome).toMatchObject({ status: 'blocked' });
  expect((await it.reconcile('late')).outcome).toMatchObject({ status: 'blocked' });

  expect(taintsOf('late')).toContain(UNINITIALIZED);
  expect(it.events('late')).toEqual(['SyncNodeFailed']);
  expect(condition()).toMatchObject({ status: 'False', message: /no server of the project/ as never });

  it.cloud.addNovaServer('late');
  await it.sweepUntilSettled();
  expect(taintsOf('late')).not.toContain(UNINITIALIZED);
  expect(condition()).toMatchObject({ status: 'True' });
});

test('two Nodes that claim one server: neither is changed, and the conditions of both say so', async () => {
  const { server } = joinNode(it, 'first');
  it.kube.registerNode('second', { systemUUID: server.id });

  for (const name of ['first', 'second']) {
    expect((await it.reconcile(name)).outcome).toMatchObject({ status: 'blocked' });
    expect(it.node(name).spec?.providerID).toBeUndefined();
    expect(it.events(name)).toEqual(['SyncNodeFailed']);
  }
});

test('a Node gets all that it needs from an old Nova, which tells only ids of flavors', async () => {
  Object.assign(it.cloud.nova, { newest: 38 });
  joinNode(it, 'worker-1');
  expect(await it.reconcile('worker-1')).toMatchObject({ outcome: { status: 'settled' } });
  const labels = { 'node.kubernetes.io/instance-type': 'm1.small' };
  expect(it.node('worker-1').metadata.labels).toMatchObject(labels);
});

/** Each sub-port is made as a port of a server that the Node knows nothing of. */
const giveTrunk = ({ server }: JoinedNode, size: number): void => {
  const { cloud } = it;
  if (!cloud.networks.some(({ name }) => name === 'vlan')) cloud.addNetwork('vlan', '10.50.0.0/22');
  const before = new Set(cloud.ports);
  for (let made = 0; made < size; made += 1) cloud.addNovaServer('trunk', { networks: ['vlan'] });
  const subports = cloud.ports.filter((port) => !before.has(port));
  const parent = cloud.ports.find(({ device_id: id }) => id === server.id);
  for (const port of subports) Object.assign(port, { device_id: 'trunk', device_owner: 'trunk:subport' });
  Object.assign(parent ?? {}, {
    trunk_details: { trunk_id: 'trunk', sub_ports: subports.map(({ id }) => ({ port_id: id })) },
  });
};
const vlanIPs = (name: string): number =>
  it.node(name).status?.addresses?.filter(({ address }) => address.startsWith('10.50.')).length ?? 0;

test('a sweep lists the sub-ports of all Nodes at once, which are no ports of their servers', async () => {
  const workers = joinNodes(it, 4);
  for (const worker of workers) giveTrunk(worker, 2);
  await it.sweepUntilSettled();
  expect(workers.map(({ name }) => vlanIPs(name))).toEqual([2, 2, 2, 2]);

  it.calls();
  expect((await sweep(it.world)).requests).toEqual([]);
  expect(it.calls().filter((call) => call.includes('/ports'))).toHaveLength(2);
});

test('a trunk with very many sub-ports makes no URL that nobody takes', async () => {
  for (const worker of joinNodes(it, 2)) giveTrunk(worker, 120);
  await it.sweepUntilSettled();
  await it.reconcile('worker-1', { trigger: 'sweep' });
  expect([vlanIPs('worker-1'), vlanIPs('worker-2')]).toEqual([120, 120]);
  expect(Math.max(...it.requests.map(({ path }) => path.length))).toBeLessThan(4_000);
});
