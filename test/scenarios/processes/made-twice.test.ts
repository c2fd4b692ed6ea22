/** Lists that are empty or late, and creates that land when another process leads: one load balancer and one floating IP in the end. */
import { beforeEach, describe, expect, test } from 'vitest';
import { reconcile } from '../../../shared/reconcile.ts';
import { sweep } from '../../../shared/sweep.ts';
import type { World } from '../../../shared/ports.ts';
import { inEachTest, pause, run, startSandboxWorld } from '../../support/sandbox-world.ts';
import { aService } from '../../support/service.ts';
import { addressOf, cloudWrites, serviceOf } from '../../support/told.ts';

const it = inEachTest(() => startSandboxWorld());
beforeEach(() => {
  it.sandbox.advanceClock(-60_000);
});

const request = { key: 'service/default/web', trigger: 'audit' } as const;
const floatingIPs = (): readonly unknown[] =>
  it.sandbox.cloud.floatingips.map((ip) => [ip.floating_ip_address, ip.port_id ? 'attached' : 'free']);

test.each(['audit', 'sweep'] as const)(
  'an empty list of load balancers makes no second one in a run that %s started',
  async (trigger) => {
    it.sandbox.kube.apply(aService());
    await it.sweepUntilSettled();
    const [made, shown] = [cloudWrites(it.sandbox).length, floatingIPs()];
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
    expect(cloudWrites(it.sandbox)).toHaveLength(made);
    expect(floatingIPs()).toEqual(shown);
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

/** Another process leads and makes another one while the answer to this one's POST is on its way. */
async function makeTwice(): Promise<World> {
  const other = await it.another();
  it.sandbox.kube.apply(aService());
  const uid = serviceOf(it.sandbox)?.metadata.uid ?? '';
  let started = '';
  let leads = true;
  it.sandbox.fault({
    match: { side: 'openstack', method: 'POST', path: /\/lbaas\/loadbalancers$/ },
    kind: 'call',
    before: async () => {
      started = it.sandbox.cloud.octaviaTime();
      leads = false;
      it.sandbox.advanceClock(20_000);
      for (let runs = 0; runs < 20; runs += 1) {
        if ((await run(request, other)).outcome.status === 'settled') break;
        await pause(5);
      }
    },
  });
  await reconcile(request, it.world, { remainingMs: () => (leads ? 60_000 : 0) });
  Object.assign(it.sandbox.cloud.loadbalancers.at(-1) ?? {}, { created_at: started });
  expect(it.sandbox.cloud.loadbalancers).toHaveLength(2);
  expect(addressOf(it.sandbox)).toBeDefined();
  // without the note of which one was published, the older one stays
  const own = 'loadbalancer.openstack.org/load-balancer-id';
  it.sandbox.kube.apply({
    kind: 'Service',
    metadata: { name: 'web', namespace: 'default', uid, annotations: { [own]: null } },
  });
  return other;
}

test('two load balancers of one Service are one again, which has the address that was published', async () => {
  const other = await makeTwice();
  const address = addressOf(it.sandbox);

  for (let rounds = 0; rounds < 8; rounds += 1) {
    for (const world of [await it.another(), other]) await run(request, world);
    await pause(10);
  }

  expect(it.sandbox.cloud.loadbalancers).toHaveLength(1);
  expect(floatingIPs()).toEqual([[address, 'attached']]);
  expect(addressOf(it.sandbox)).toBe(address);
});

describe('a floating IP of a Service that has another one on its load balancer', () => {
  async function leave(more: object): Promise<void> {
    it.sandbox.kube.apply(aService());
    await it.sweepUntilSettled();
    const [ip] = it.sandbox.cloud.floatingips;
    if (!ip) throw new Error('nothing was made');
    it.sandbox.cloud.floatingips.push({
      ...ip,
      ...{ id: it.sandbox.cloud.newId(), floating_ip_address: '203.0.113.99', port_id: null },
      ...more,
    });
  }

  test('is found and deleted by a sweep, and by no other run', async () => {
    await leave({});

    await it.settle('web');
    expect(it.sandbox.cloud.floatingips).toHaveLength(2);
    await it.sweepUntilSettled();

    expect(floatingIPs()).toEqual([[addressOf(it.sandbox), 'attached']]);
  });

  test.each([
    ['is kept for a namespace', { tags: ['levelset-kept=x/default'] }],
    [
      'says otherwise whose it is',
      { description: 'Floating IP for Kubernetes external service default/web from cluster x' },
    ],
  ])('stays if it %s', async (_what, more) => {
    await leave(more);

    await it.sweepUntilSettled();

    expect(it.sandbox.cloud.floatingips).toHaveLength(2);
  });
});
