import { expect, test } from 'vitest';
import { aConfig } from '../../support/config.ts';
import { inEachTest, run } from '../../support/sandbox-world.ts';
import { LOAD_BALANCER_ID, LOAD_BALANCER_NAME, startSharedWorld } from '../../support/shared-world.ts';
import { addressOf, forceDelete, leftovers, ingressOf, readyOf, serviceOf } from '../../support/told.ts';

const it = inEachTest(() => startSharedWorld());

test('a Service that is made again is on the load balancer that was made for it, and that another one is on, with its address', async () => {
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
  for (const name of ['api', 'web']) await it.remove(name);
  await it.sweepUntilSettled();
  expect(leftovers(it.sandbox)).toEqual({});
});

test('a Service beyond max-shared-lb is refused, and nothing is published', async () => {
  const id = await it.owner();
  const world = await it.another(aConfig(it.sandbox.authUrl, { maxSharedLb: 1 }));
  it.apply('api', 81, { [LOAD_BALANCER_ID]: id });

  const { outcome } = await run({ key: 'service/default/api', trigger: 'audit' }, world);

  expect(outcome).toMatchObject({ status: 'blocked' });
  expect('reason' in outcome && outcome.reason).toContain('max-shared-lb');
  expect(ingressOf(it.sandbox, 'api')).toEqual([]);
  expect(it.ports()).toEqual([80]);
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

test('on a user’s own load balancer a Service has OCCM’s tag, and takes it along, however long its name is', async () => {
  const subnet = it.sandbox.cloud.subnets.find(({ cidr }) => cidr.startsWith('10.'))?.id;
  const tags = ['team=edge', 'levelset-allow=*'];
  const { id } = await it.world.cloud.create('loadbalancer', { name: 'mine', vip_subnet_id: subnet, tags });
  const world = await it.another({ ...it.world.config, clusterName: 'c'.repeat(250) });
  const ofGo = () => it.lb().tags.filter((tag) => tag.startsWith('kube_service_'));
  for (const [at, name] of ['api', 'dns'].entries()) {
    it.apply(name, 81 + at, { [LOAD_BALANCER_ID]: id });
    await it.sweepUntilSettled(world);
  }
  expect(ofGo()).toHaveLength(2);

  it.sandbox.kube.delete('Service', 'default', 'api');
  await it.sweepUntilSettled(world);

  expect(ofGo()).toHaveLength(1);
  expect(it.lb().tags).toEqual(expect.arrayContaining(tags));
  expect(it.lb().tags.filter((tag) => tag.includes('default/api'))).toEqual([]);
});

test('a Service that vanished without its finalizer loses its listeners to the sweep, and the others keep theirs', async () => {
  await it.owner();
  for (const [at, name] of ['api', 'dns'].entries()) await it.join(name, 81 + at);
  forceDelete(it.sandbox, 'api');

  await it.sweepUntilSettled();

  expect(it.ports()).toEqual([80, 82]);
  expect(it.sandbox.cloud.pools).toHaveLength(2);
  forceDelete(it.sandbox, 'web');
  await it.sweepUntilSettled();
  expect(it.ports()).toEqual([82]);
  expect(it.sandbox.cloud.floatingips).toHaveLength(1);
});

test('tags that a Service asks for stay while others come, and go with it, and those of a person stay', async () => {
  const { cloud } = it.sandbox;
  const shared = { [LOAD_BALANCER_NAME]: 'shop' };
  it.apply('web', 80, { ...shared, 'levelset.openstack.org/tags': 'paid' });
  await it.settle('web');
  Object.assign(it.lb(), { tags: [...it.lb().tags, 'by hand'] });
  it.apply('api', 8080, shared);
  await it.settle('api');
  expect(cloud.loadbalancers).toHaveLength(1);
  expect(it.lb().tags).toEqual(expect.arrayContaining(['paid', 'by hand']));

  await it.remove('web');
  expect(it.lb().tags).toContain('by hand');
  expect(it.lb().tags.filter((tag) => tag.includes('paid'))).toEqual([]);
});
