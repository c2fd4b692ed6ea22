import { afterEach, beforeEach, expect, test } from 'vitest';
import type { NodeCidrConfig } from '../../../shared/config/config.ts';
import type { Report } from '../../../shared/model/outcome.ts';
import type { World } from '../../../shared/ports.ts';
import { sweep } from '../../../shared/sweep.ts';
import { joinNode, joinNodes } from '../../support/nodes.ts';
import { startNodeWorld } from '../../support/node-world.ts';
import type { NodeWorld } from '../../support/node-world.ts';
import { pause } from '../../support/sandbox-world.ts';

const V4 = { clusterCidr: '10.244.0.0/20', family: 4, maskSize: 24 } as const;
const V6 = { clusterCidr: 'fd00:244::/48', family: 6, maskSize: 64 } as const;
const SMALL = { clusterCidr: '10.244.0.0/23', family: 4, maskSize: 24 } as const;

let it: NodeWorld;
const start = async (...ranges: NodeCidrConfig['ranges'] | []): Promise<void> => {
  await it.close();
  it = await startNodeWorld(() => ({ nodeCidrs: { ranges, serviceCidrs: ['10.244.1.0/24'] } }));
};
beforeEach(async () => {
  it = await startNodeWorld(() => ({ nodeCidrs: { ranges: [V4], serviceCidrs: [] } }));
});
afterEach(() => it.close());

const cidrsOf = (name: string): readonly string[] | undefined => it.node(name).spec?.podCIDRs;
/** `CIDR NODE`, in order. */
const claims = async (): Promise<readonly string[]> =>
  (await it.world.kube.cidrs.list()).map(({ cidr, node }) => `${cidr} ${node}`).sort();
/** Runs the key as the queue does: a run that was overtaken is requeued. */
const untilSettled = async (name: string, by: World): Promise<Report> => {
  for (let tries = 0; tries < 50; tries += 1) {
    const report = await it.reconcile(name, {}, by);
    if (report.outcome.status === 'settled') return report;
    await pause(10);
  }
  throw new Error(`${name} did not settle`);
};
const writesOf = (): readonly string[] =>
  it.sandbox.requests
    .filter(({ side, write, path }) => side === 'kube' && write && !path.includes('/events'))
    .map(({ method, path }) => `${method} ${path.split('?')[0] ?? ''}`);

test('a Node that has just registered gets its CIDR in the PATCH that initialises it, after the claim', async () => {
  joinNode(it.sandbox, 'worker-1');
  expect((await it.reconcile('worker-1')).outcome.status).toBe('settled');
  expect(it.node('worker-1').spec).toMatchObject({ podCIDR: '10.244.0.0/24', podCIDRs: ['10.244.0.0/24'] });
  expect(writesOf()).toEqual([
    'POST /apis/coordination.k8s.io/v1/namespaces/levelset/leases',
    'PATCH /api/v1/nodes/worker-1/status',
    'PATCH /api/v1/nodes/worker-1',
  ]);
  expect(await claims()).toEqual(['10.244.0.0/24 worker-1']);
  expect((await sweep(it.world)).requests).toEqual([]);
});

test('switched off, nobody lists claims, and nothing is given out', async () => {
  await it.close();
  it = await startNodeWorld();
  joinNode(it.sandbox, 'worker-1');
  await it.sweepUntilSettled();
  expect(cidrsOf('worker-1')).toBeUndefined();
  expect(it.sandbox.requests.filter(({ path }) => path.includes('cidr'))).toEqual([]);
});

test('two families, and none of the addresses of Services', async () => {
  await start(V4, V6);
  joinNodes(it.sandbox, 2);
  for (const name of ['worker-1', 'worker-2']) await it.reconcile(name);
  expect(cidrsOf('worker-1')).toEqual(['10.244.0.0/24', 'fd00:244::/64']);
  expect(cidrsOf('worker-2')).toEqual(['10.244.2.0/24', 'fd00:244:0:1::/64']);
  expect(await claims()).toHaveLength(4);
});

test('ten Nodes at once, in two processes each: no two share, and ten claims are left', async () => {
  await start(V4, V6);
  const nodes = joinNodes(it.sandbox, 10);
  const other = await it.another(it.world.config);
  await Promise.all(nodes.flatMap(({ name }) => [untilSettled(name, it.world), untilSettled(name, other)]));
  const given = nodes.flatMap(({ name }) => cidrsOf(name));
  expect(new Set(given).size).toBe(20);
  expect(given).toContain('fd00:244:0:9::/64');
  await it.sweepUntilSettled();
  expect(await claims()).toHaveLength(20);
});

test('ten Nodes at once in one process cost no more than two tries each', async () => {
  joinNodes(it.sandbox, 10);
  await it.sweepUntilSettled();
  const tries = it.sandbox.requests.filter(
    ({ method, path }) => method === 'POST' && path.includes('leases'),
  );
  expect(tries.length).toBeLessThanOrEqual(20);
});

test('a Node without the taint gets its CIDR, too; one that waits to be initialised waits with it', async () => {
  it.sandbox.kube.addNode('plain');
  it.sandbox.kube.registerNode('stranger');
  await it.reconcile('plain');
  await it.reconcile('stranger');
  expect(cidrsOf('plain')).toEqual(['10.244.0.0/24']);
  expect(cidrsOf('stranger')).toBeUndefined();
  expect(await claims()).toEqual(['10.244.0.0/24 plain']);
});

test('a Node that is being deleted takes none any more', async () => {
  it.sandbox.kube.addNode('leaving');
  it.sandbox.kube.apply({ kind: 'Node', metadata: { name: 'leaving', finalizers: ['example.org/wait'] } });
  it.sandbox.kube.delete('Node', undefined, 'leaving');
  await it.reconcile('leaving', { trigger: 'sweep' });
  expect([cidrsOf('leaving'), await claims()]).toEqual([undefined, []]);
});

test('where the other Node controllers are off, CIDRs are all that Nodes get, and no server is looked for', async () => {
  await it.close();
  const nodeCidrs = { ranges: [V4], serviceCidrs: [] };
  it = await startNodeWorld(() => ({ nodeCidrs, controllers: ['service-lb-controller'] }));
  it.sandbox.kube.registerNode('stranger');
  it.calls();
  expect((await it.reconcile('stranger')).outcome.status).toBe('settled');
  expect(it.calls()).toEqual([]);
  expect(it.node('stranger').spec).toMatchObject({ podCIDRs: ['10.244.0.0/24'] });
  expect(it.node('stranger').spec?.taints?.[0]?.key).toBe('node.cloudprovider.kubernetes.io/uninitialized');
});

test.each([
  ['node-route-controller', []],
  ['cloud-node-lifecycle-controller', ['keystone', 'nova']],
  ['cloud-node-controller', ['keystone', 'nova', 'neutron']],
] as const)('where %s is on besides, a sweep asks only %j', async (controller, services) => {
  await it.close();
  const nodeCidrs = { ranges: [V4], serviceCidrs: [] };
  it = await startNodeWorld(() => ({ nodeCidrs, controllers: [controller] }));
  joinNode(it.sandbox, 'worker-1');
  const before = it.sandbox.requests.length;
  expect((await sweep(it.world)).warnings).toEqual([]);
  const asked = it.sandbox.requests.slice(before).filter(({ side }) => side === 'openstack');
  expect(asked.map(({ service }) => service)).toEqual(services);
});

test('what others gave is left alone and given to nobody else; the sweep claims it where it is of our range', async () => {
  joinNode(it.sandbox, 'theirs', {}, { spec: { podCIDR: '10.244.0.0/24', podCIDRs: ['10.244.0.0/24'] } });
  joinNode(it.sandbox, 'far', {}, { spec: { podCIDR: '192.168.0.0/24', podCIDRs: ['192.168.0.0/24'] } });
  joinNode(it.sandbox, 'worker-1');
  await it.sweepUntilSettled();
  expect([cidrsOf('theirs'), cidrsOf('far')]).toEqual([['10.244.0.0/24'], ['192.168.0.0/24']]);
  expect(cidrsOf('worker-1')).toEqual(['10.244.1.0/24']);
  expect(await claims()).toEqual(['10.244.0.0/24 theirs', '10.244.1.0/24 worker-1']);
});

test('claims that somebody deleted are made again by the next sweep', async () => {
  joinNodes(it.sandbox, 2);
  await it.sweepUntilSettled();
  const before = await claims();
  for (const claim of await it.world.kube.cidrs.list()) await it.world.kube.cidrs.release(claim);
  await it.sweepUntilSettled();
  expect(await claims()).toEqual(before);
});

test('who dies between the claim and the PATCH is followed by somebody who finds the claim', async () => {
  joinNode(it.sandbox, 'worker-1');
  it.sandbox.fault({
    match: { side: 'kube', path: /nodes\/worker-1\?/, method: 'PATCH' },
    kind: 'fail-before',
  });
  expect((await it.reconcile('worker-1')).outcome.status).toBe('failed');
  expect(cidrsOf('worker-1')).toBeUndefined();
  joinNode(it.sandbox, 'worker-2');
  await it.reconcile('worker-2');
  await it.reconcile('worker-1', {}, await it.another(it.world.config));
  expect([cidrsOf('worker-1'), cidrsOf('worker-2')]).toEqual([['10.244.0.0/24'], ['10.244.1.0/24']]);
  expect(await claims()).toEqual(['10.244.0.0/24 worker-1', '10.244.1.0/24 worker-2']);
});

test.each(['an event', 'a sweep'])(
  '%s releases the claims of a Node that is gone, and the next one gets it',
  async (how) => {
    joinNodes(it.sandbox, 2);
    await it.sweepUntilSettled();
    const [first] = ['worker-1', 'worker-2'].filter((name) => cidrsOf(name)?.[0] === '10.244.0.0/24');
    it.sandbox.kube.delete('Node', undefined, first ?? '');
    if (how === 'an event') await it.reconcile(first ?? '');
    else await it.sweepUntilSettled();
    expect(await claims()).toHaveLength(1);
    joinNode(it.sandbox, 'worker-3');
    await it.reconcile('worker-3');
    expect(cidrsOf('worker-3')).toEqual(['10.244.0.0/24']);
  },
);

test('the last Node gone, too', async () => {
  joinNode(it.sandbox, 'worker-1');
  await it.reconcile('worker-1');
  it.sandbox.kube.delete('Node', undefined, 'worker-1');
  await it.sweepUntilSettled();
  expect(await claims()).toEqual([]);
});

test('a namesake gets what is free, and the claim of the one before it goes', async () => {
  joinNode(it.sandbox, 'worker-1');
  await it.reconcile('worker-1');
  const [{ uid } = { uid: '' }] = await it.world.kube.cidrs.list();
  it.sandbox.kube.removeNode('worker-1');
  joinNode(it.sandbox, 'worker-1');
  await it.sweepUntilSettled();
  const left = await it.world.kube.cidrs.list();
  expect(left.map(({ cidr }) => cidr)).toEqual(cidrsOf('worker-1'));
  expect(left[0]?.uid).not.toBe(uid);
});

test('whoever registers while the claims of the one before it are looked for keeps its own', async () => {
  const other = await it.another(it.world.config);
  let done: Promise<unknown> | undefined;
  it.sandbox.fault({
    match: { side: 'kube', method: 'GET', path: /leases/ },
    times: 1,
    kind: 'call',
    before: async () => {
      joinNode(it.sandbox, 'worker-1');
      await (done ??= it.reconcile('worker-1', {}, other));
    },
  });
  await it.reconcile('worker-1');
  expect(cidrsOf('worker-1')).toEqual(['10.244.0.0/24']);
  expect(await claims()).toEqual(['10.244.0.0/24 worker-1']);
});

test('used up: the Node is initialised, says so once, and gets its CIDR when another one has gone', async () => {
  await start(SMALL);
  joinNodes(it.sandbox, 2);
  await it.reconcile('worker-1');
  const { outcome } = await it.reconcile('worker-2');
  const told = '--cluster-cidr "10.244.0.0/23" is used up: none of its 2 CIDRs of size /24 is free';
  expect(outcome).toMatchObject({ status: 'blocked', reason: expect.stringContaining(told) as unknown });
  await it.reconcile('worker-2');
  expect(it.node('worker-2').spec).toMatchObject({
    providerID: expect.stringContaining('openstack:') as unknown,
  });
  expect(it.events('worker-2').filter((reason) => reason === 'SyncNodeFailed')).toHaveLength(1);
  expect((await sweep(it.world)).requests).toEqual([]);

  it.sandbox.kube.removeNode('worker-1');
  expect(await it.reconcile('worker-1')).toMatchObject({ membersMoved: true });
  await it.sweepUntilSettled();
  expect(cidrsOf('worker-2')).toEqual(['10.244.0.0/24']);
  const condition = it.node('worker-2').status?.conditions?.find(({ type }) => type.startsWith('levelset'));
  expect(condition).toMatchObject({ status: 'True' });
});

test('used up: a wider range with the old one in it has room, and nobody changes', async () => {
  await start(SMALL);
  joinNodes(it.sandbox, 3);
  for (const name of ['worker-1', 'worker-2', 'worker-3']) await it.reconcile(name);
  expect(cidrsOf('worker-3')).toBeUndefined();

  const nodeCidrs = { ranges: [{ ...SMALL, clusterCidr: '10.244.0.0/22' }], serviceCidrs: [] } as const;
  await it.sweepUntilSettled(await it.another({ ...it.world.config, nodeCidrs }));
  expect(['worker-1', 'worker-2', 'worker-3'].map(cidrsOf)).toEqual([
    ['10.244.0.0/24'],
    ['10.244.1.0/24'],
    ['10.244.2.0/24'],
  ]);
});

test('a dry run shows the CIDR, claims nothing and releases nothing', async () => {
  joinNodes(it.sandbox, 2);
  await it.reconcile('worker-1');
  it.sandbox.kube.removeNode('worker-1');
  const before = writesOf().length;
  for (const name of ['worker-1', 'worker-2']) {
    const { plan } = await it.reconcile(name, { dryRun: true, trigger: 'command' });
    if (name === 'worker-2')
      expect(plan?.steps.at(-1)).toMatchObject({
        changes: expect.arrayContaining([
          { attribute: 'podCIDRs', from: [], to: ['10.244.1.0/24'] },
        ]) as unknown,
      });
  }
  await sweep(it.world);
  expect(writesOf()).toHaveLength(before);
});
