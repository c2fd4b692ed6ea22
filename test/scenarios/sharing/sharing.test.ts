import { describe, expect, test } from 'vitest';
import { aConfig } from '../../support/config.ts';
import { inEachTest, run } from '../../support/sandbox-world.ts';
import { LOAD_BALANCER_ID, startSharedWorld } from '../../support/shared-world.ts';
import { addressOf, forceDelete, leftovers, ingressOf, readyOf, serviceOf } from '../../support/told.ts';

const INTERNAL = 'service.beta.kubernetes.io/openstack-internal-load-balancer';

const it = inEachTest(() => startSharedWorld());

describe('a Service that names the load balancer of another one', () => {
  test('is on it again, with its address, when the one that it was made for is made again', async () => {
    const id = await it.owner();
    const address = addressOf(it.sandbox);
    await it.join('api', 81);
    await it.remove('web');

    it.apply('web', 8080, { [LOAD_BALANCER_ID]: id });
    await it.settle('web');

    expect(it.sandbox.cloud.loadbalancers).toHaveLength(1);
    expect(it.ports()).toEqual([81, 8080]);
    expect(addressOf(it.sandbox)).toBe(address);
    expect(it.lb().tags).toContain(`levelset-service=${serviceOf(it.sandbox)?.metadata.uid ?? ''}`);
    for (const name of ['api', 'web']) {
      await it.remove(name);
    }
    await it.sweepUntilSettled();
    expect(leftovers(it.sandbox)).toEqual({});
  });

  test('keeps its address that somebody takes off while the one that it was made for has another load balancer', async () => {
    await it.owner();
    const address = addressOf(it.sandbox);
    await it.join('api', 81);
    await it.remove('web');
    await it.sweepUntilSettled();
    it.apply('web', 8080);
    for (const ip of it.sandbox.cloud.floatingips) ip.port_id = null;

    for (const name of ['web', 'api']) await it.settle(name);
    await it.sweepUntilSettled();

    expect([addressOf(it.sandbox, 'api'), it.sandbox.cloud.floatingips.length]).toEqual([address, 2]);
  });

  test('is refused beyond max-shared-lb, and nothing is published', async () => {
    const id = await it.owner();
    const world = await it.another(aConfig(it.sandbox.authUrl, { maxSharedLb: 1 }));
    it.apply('api', 81, { [LOAD_BALANCER_ID]: id });

    const { outcome } = await run({ key: 'service/default/api', trigger: 'audit' }, world);

    expect(outcome).toMatchObject({ status: 'blocked' });
    expect('reason' in outcome && outcome.reason).toContain('max-shared-lb');
    expect(ingressOf(it.sandbox, 'api')).toEqual([]);
    expect(it.ports()).toEqual([80]);
  });

  test('is refused when it is internal and the load balancer is open', async () => {
    const id = await it.owner();
    it.apply('api', 81, { [LOAD_BALANCER_ID]: id, [INTERNAL]: 'true' });

    expect(await it.statusOf('api')).toBe('blocked');
    expect(it.ports()).toEqual([80]);
  });

  test('stays where it is when it names another one later', async () => {
    const id = await it.owner();
    it.apply('api', 81);
    await it.settle('api');
    const own = serviceOf(it.sandbox, 'api')?.metadata.annotations?.[LOAD_BALANCER_ID];

    it.apply('api', 81, { [LOAD_BALANCER_ID]: id });
    const { plan, loadBalancerId } = await it.settle('api');

    expect(loadBalancerId).toBe(own);
    expect(plan?.problems[0]?.message).toContain('levelset does not move it');
    expect(serviceOf(it.sandbox, 'api')?.metadata.annotations?.[LOAD_BALANCER_ID]).toBe(id);
  });
});

test('whoever left is named by no tag any more, nor in the condition of those who stay', async () => {
  const id = await it.owner();
  const uid = serviceOf(it.sandbox)?.metadata.uid ?? '';
  const flavor = { 'loadbalancer.openstack.org/flavor-id': '5b4f0d8e-1d1a-4f4a-9a51-0d7a2a3b4c5d' };
  it.apply('api', 81, { [LOAD_BALANCER_ID]: id, ...flavor });
  await it.settle('api');
  expect(readyOf(it.sandbox, 'api')?.message).toContain('since default/web is on it');

  await it.remove('web');
  await it.sweepUntilSettled();

  const named = it.lb().tags.filter((tag) => tag.endsWith('web') || tag.includes(uid));
  expect(named).toEqual([]);
  expect(it.sandbox.cloud.floatingips[0]?.tags.filter((tag) => tag.includes(uid))).toEqual([]);
  expect(readyOf(it.sandbox, 'api')?.message).toContain('flavor_id');
  expect(readyOf(it.sandbox, 'api')?.message).not.toContain('default/web');
});

test('the owner leaves a load balancer that somebody gave another name, and is let go', async () => {
  it.apply('web', 80);
  await it.settle('web');
  const { id } = it.lb();
  it.apply('api', 81, { [LOAD_BALANCER_ID]: id });
  await it.settle('api');
  Object.assign(it.lb(), { name: 'the edge', updated_at: it.sandbox.cloud.octaviaTime() });

  expect((await it.remove('web')).outcome.status).toBe('settled');

  expect(it.sandbox.kube.get('Service', 'default', 'web')).toBeUndefined();
  expect(it.ports()).toEqual([81]);
  const { tags } = it.lb();
  expect(tags.filter((tag) => tag.startsWith('levelset-service='))).toEqual([]);
  expect(tags).toContain('levelset-name=default/api');
});

test.each(['that stays shared', 'that it had alone'])(
  'on a user’s own load balancer %s a Service has OCCM’s tag, and takes it along, however long its name is',
  async (what) => {
    const subnet = it.sandbox.cloud.subnets.find(({ cidr }) => cidr.startsWith('10.'))?.id;
    const made = await it.world.cloud.create('loadbalancer', {
      name: 'mine',
      vip_subnet_id: subnet,
      tags: ['team=edge', 'levelset-allow=*'],
    });
    const clusterName = 'c'.repeat(250);
    const world = await it.another({ ...it.world.config, clusterName });
    const lb = () => it.sandbox.cloud.loadbalancers.find((one) => one.id === made.id);
    const goTags = () => (lb()?.tags ?? []).filter((tag) => tag.startsWith('kube_service_'));
    const names = what === 'that stays shared' ? ['api', 'dns'] : ['api'];
    for (const [at, name] of names.entries()) {
      it.apply(name, 81 + at, { [LOAD_BALANCER_ID]: made.id });
      await it.sweepUntilSettled(world);
    }
    expect(goTags()).toHaveLength(names.length);

    it.sandbox.kube.delete('Service', 'default', 'api');
    await it.sweepUntilSettled(world);

    expect(goTags()).toHaveLength(names.length - 1);
    expect(lb()?.tags).toEqual(expect.arrayContaining(['team=edge', 'levelset-allow=*']));
    expect((lb()?.tags ?? []).filter((tag) => tag.includes('default/api'))).toEqual([]);
  },
);

test('a Service that vanished without its finalizer loses its listeners to the sweep, and the others keep theirs', async () => {
  await it.owner();
  for (const [at, name] of ['api', 'dns'].entries()) {
    await it.join(name, 81 + at);
  }
  forceDelete(it.sandbox, 'api');

  await it.sweepUntilSettled();

  expect(it.ports()).toEqual([80, 82]);
  expect(it.sandbox.cloud.pools).toHaveLength(2);
  forceDelete(it.sandbox, 'web');
  await it.sweepUntilSettled();
  expect(it.ports()).toEqual([82]);
  expect(it.sandbox.cloud.floatingips).toHaveLength(1);
});

test('a tag that was lost from the load balancer is put back from the listeners', async () => {
  const id = await it.owner();
  await it.join('api', 81);
  const lost = ['levelset-name=default/api', 'kube_service_kubernetes_default_api'];
  it.lb().tags = it.lb().tags.filter((tag) => !lost.includes(tag));
  it.lb().updated_at = it.sandbox.cloud.octaviaTime();

  await it.remove('web');

  expect(it.ports()).toEqual([81]);
  expect(it.lb().id).toBe(id);
  await it.settle('api');
  await it.sweepUntilSettled();
  expect(it.lb().tags).toEqual(expect.arrayContaining(lost));
});
