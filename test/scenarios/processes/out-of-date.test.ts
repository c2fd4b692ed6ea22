/** What was read a moment ago, or is not whole, makes nothing twice and takes no address away; and what many runs want is read once. */
import { expect, test } from 'vitest';
import { reconcile } from '../../../shared/reconcile.ts';
import { sweep } from '../../../shared/sweep.ts';
import { inEachTest, run, startSandboxWorld } from '../../support/sandbox-world.ts';
import { aService } from '../../support/service.ts';
import { addressOf, cloudWrites, forceDelete, serviceOf } from '../../support/told.ts';

const it = inEachTest(() => startSandboxWorld());

const request = { key: 'service/default/web', trigger: 'audit' } as const;

const listsOfNodes = (): number =>
  it.sandbox.requests.filter(({ path }) => path.startsWith('/api/v1/nodes?')).length;

test.each(['audit', 'sweep'] as const)(
  'an empty list of load balancers makes no second one in a run that %s started',
  async (trigger) => {
    // what was made a moment ago may be missing in a list
    it.sandbox.advanceClock(-60_000);
    it.sandbox.kube.apply(aService());
    await it.sweepUntilSettled();
    const made = cloudWrites(it.sandbox);
    const restore = it.sandbox.fault({
      match: { side: 'openstack', method: 'GET', path: /\/lbaas\/loadbalancers\?/ },
      kind: 'fail-before',
      status: 200,
      body: { loadbalancers: [] },
      times: Infinity,
    });

    for (const found of (await sweep(it.world)).requests) await run({ ...found, trigger }, it.world);
    const { outcome } = await it.settle('web', { trigger });
    restore();

    expect(outcome).toEqual({ status: 'settled' });
    expect(cloudWrites(it.sandbox)).toEqual(made);
  },
);

test('a Service that names a load balancer of another project gets one of its own, and goes when it is deleted', async () => {
  const { cloud } = it.sandbox;
  const vip_subnet_id = cloud.subnets.find(({ ip_version }) => ip_version === 4)?.id;
  const { id } = await it.world.cloud.create('loadbalancer', { name: 'theirs', vip_subnet_id });
  const theirs = cloud.loadbalancers.find((lb) => lb.id === id);
  Object.assign(theirs ?? {}, { project_id: 'another-project' });
  const [named, address] = ['load-balancer-id', 'load-balancer-address'].map(
    (name) => `loadbalancer.openstack.org/${name}`,
  );
  it.sandbox.kube.apply(aService({ annotations: { [named ?? '']: id, [address ?? '']: '203.0.113.99' } }));

  const { outcome } = await it.settle('web');

  expect(outcome).toEqual({ status: 'settled' });
  const ours = it.sandbox.cloud.loadbalancers.filter((lb) => lb !== theirs);
  expect(ours).toHaveLength(1);
  await it.remove('web');
  await it.sweepUntilSettled();
  expect(serviceOf(it.sandbox)).toBeUndefined();
  expect(it.sandbox.cloud.loadbalancers).toEqual([theirs]);
});

test.each([
  [
    'force-deleted',
    () => {
      forceDelete(it.sandbox);
    },
  ],
  ['made a ClusterIP', () => it.sandbox.kube.apply(aService({ spec: { type: 'ClusterIP' } }))],
])(
  'a Service that changes while a run plans to delete its load balancer %s and applied again keeps its load balancer and its address',
  async (_how, leave) => {
    it.sandbox.kube.apply(aService());
    await it.settle('web');
    const address = addressOf(it.sandbox);
    const [{ id } = { id: '' }] = it.sandbox.cloud.loadbalancers;
    leave();
    await sweep(it.world);
    it.sandbox.fault({
      match: { side: 'kube', method: 'GET', path: /services\/web/, nth: 2 },
      kind: 'call',
      before: () => void it.sandbox.kube.apply(aService()),
    });

    const { outcome } = await run({ ...request, trigger: 'sweep' }, it.world);
    await it.settle('web');

    expect(outcome).toMatchObject({ reason: 'the Service has changed since it was read' });
    expect(it.sandbox.cloud.loadbalancers).toMatchObject([{ id }]);
    expect(addressOf(it.sandbox)).toBe(address);
    expect(cloudWrites(it.sandbox).filter((write) => write.startsWith('DELETE'))).toEqual([]);
  },
);

test('the Nodes are listed once for the runs of many Services', async () => {
  const names = Array.from({ length: 20 }, (_, n) => `web-${n}`);
  for (const name of names) it.sandbox.kube.apply(aService({ name }));
  const before = listsOfNodes();
  const clock = { now: () => 0 };

  for (const name of names)
    await reconcile(
      { key: `service/default/${name}`, trigger: 'audit' },
      { ...it.world, clock },
      { remainingMs: () => 60_000 },
    );
  expect(listsOfNodes() - before).toBe(1);

  await sweep({ ...it.world, clock });
  expect(listsOfNodes() - before).toBe(2);
});
