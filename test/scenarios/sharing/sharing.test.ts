import { expect, test, describe } from 'vitest';
import { aConfig } from '../../support/config.ts';
import { inEachTest, run } from '../../support/sandbox-world.ts';
import { LOAD_BALANCER_ID, LOAD_BALANCER_NAME, startSharedWorld } from '../../support/shared-world.ts';
import { addressOf, forceDelete, leftovers, ingressOf, serviceOf, readyOf } from '../../support/told.ts';
import { aService } from '../../support/service.ts';

const it = inEachTest(() => startSharedWorld());

test('a Service that is made again is on the load balancer that was made for it, and that another one is on, with its address', async () => {
  const id = await it.owner();
  const address = addressOf(it);
  await it.join('api', 81);
  await it.remove('web');

  await it.put('web', 8080, { [LOAD_BALANCER_ID]: id });

  expect(it.cloud.loadbalancers).toHaveLength(1);
  expect(it.ports()).toEqual([81, 8080]);
  expect(addressOf(it)).toBe(address);
  expect(it.lb().tags).toContain(`levelset-service=${serviceOf(it)?.metadata.uid ?? ''}`);
  for (const name of ['api', 'web']) await it.remove(name);
  await it.sweepUntilSettled();
  expect(leftovers(it)).toEqual({});
});

test('a Service beyond max-shared-lb is refused, and nothing is published', async () => {
  const id = await it.owner();
  const world = await it.another(aConfig(it.sandbox.authUrl, { maxSharedLb: 1 }));
  it.apply('api', 81, { [LOAD_BALANCER_ID]: id });

  const { outcome } = await run({ key: 'service/default/api', trigger: 'audit' }, world);

  expect(outcome).toMatchObject({ status: 'blocked' });
  expect('reason' in outcome && outcome.reason).toContain('max-shared-lb');
  expect(ingressOf(it, 'api')).toEqual([]);
  expect(it.ports()).toEqual([80]);
});

test('whoever left is named by no tag any more, nor in the condition of those who stay', async () => {
  const id = await it.owner();
  const uid = serviceOf(it)?.metadata.uid ?? '';
  const flavor = { 'loadbalancer.openstack.org/flavor-id': '5b4f0d8e-1d1a-4f4a-9a51-0d7a2a3b4c5d' };
  await it.put('api', 81, { [LOAD_BALANCER_ID]: id, ...flavor });
  expect(it.told('api')).toContain('since default/web is on it');

  await it.remove('web');
  await it.sweepUntilSettled();

  const named = it.lb().tags.filter((tag) => tag.endsWith('web') || tag.includes(uid));
  expect(named).toEqual([]);
  expect(it.cloud.floatingips[0]?.tags.filter((tag) => tag.includes(uid))).toEqual([]);
  expect(it.told('api')).toContain('flavor_id');
  expect(it.told('api')).not.toContain('default/web');
});

test('the owner leaves a load balancer that somebody gave another name, and is forgotten', async () => {
  await it.owner();
  await it.join('api', 81);
  Object.assign(it.lb(), { name: 'the edge', updated_at: it.cloud.octaviaTime() });

  expect((await it.remove('web')).outcome.status).toBe('settled');

  expect(it.kube.get('Service', 'default', 'web')).toBeUndefined();
  expect(it.ports()).toEqual([81]);
  const { tags } = it.lb();
  expect(tags.filter((tag) => tag.startsWith('levelset-service='))).toEqual([]);
  expect(tags).toContain('levelset-name=default/api');
});

test('on a user’s own load balancer a Service has OCCM’s tag, and takes it along, however long its name is', async () => {
  const subnet = it.cloud.subnets.find(({ cidr }) => cidr.startsWith('10.'))?.id;
  const tags = ['team=edge', 'levelset-allow=*'];
  const { id } = await it.world.cloud.create('loadbalancer', { name: 'mine', vip_subnet_id: subnet, tags });
  const world = await it.another({ ...it.world.config, clusterName: 'c'.repeat(250) });
  const ofGo = () => it.lb().tags.filter((tag) => tag.startsWith('kube_service_'));
  for (const [at, name] of ['api', 'dns'].entries()) {
    it.apply(name, 81 + at, { [LOAD_BALANCER_ID]: id });
    await it.sweepUntilSettled(world);
  }
  expect(ofGo()).toHaveLength(2);

  it.kube.delete('Service', 'default', 'api');
  await it.sweepUntilSettled(world);

  expect(ofGo()).toHaveLength(1);
  expect(it.lb().tags).toEqual(expect.arrayContaining(tags));
  expect(it.lb().tags.filter((tag) => tag.includes('default/api'))).toEqual([]);
});

test('a Service that vanished without its finalizer loses its listeners to the sweep, and the others keep theirs', async () => {
  await it.owner();
  for (const [at, name] of ['api', 'dns'].entries()) await it.join(name, 81 + at);
  forceDelete(it, 'api');

  await it.sweepUntilSettled();

  expect(it.ports()).toEqual([80, 82]);
  expect(it.cloud.pools).toHaveLength(2);
  forceDelete(it, 'web');
  await it.sweepUntilSettled();
  expect(it.ports()).toEqual([82]);
  expect(it.cloud.floatingips).toHaveLength(1);
});

test('#3032, #2327, #3149: tags that a Service asks for stay while others come, and go with it, and those of a person stay', async () => {
  const shared = { [LOAD_BALANCER_NAME]: 'shop' };
  await it.put('web', 80, { ...shared, 'levelset.openstack.org/tags': 'paid' });
  Object.assign(it.lb(), { tags: [...it.lb().tags, 'by hand'] });
  await it.put('api', 8080, shared);
  expect(it.cloud.loadbalancers).toHaveLength(1);
  expect(it.lb().tags).toEqual(expect.arrayContaining(['paid', 'by hand']));

  await it.remove('web');
  expect(it.lb().tags).toContain('by hand');
  expect(it.lb().tags.filter((tag) => tag.includes('paid'))).toEqual([]);
});

test('an id under which there is no load balancer does not count when a controller noted it', async () => {
  it.apply('web', 80, {
    [LOAD_BALANCER_ID]: '0b4f0d8e-1d1a-4f4a-9a51-0d7a2a3b4c5d',
    'loadbalancer.openstack.org/load-balancer-address': '192.0.2.1',
  });

  expect(await it.statusOf('web')).toBe('settled');
  expect(serviceOf(it)?.metadata.annotations).toMatchObject({ [LOAD_BALANCER_ID]: it.lb().id });
});

test('a Service that becomes ClusterIP loses all that levelset gave it; its id is no hindrance on the way back, and one that joins joins again', async () => {
  const id = await it.owner();
  await it.join('api', 81);

  for (const name of ['web', 'api']) {
    it.kube.apply(aService({ name, spec: { type: 'ClusterIP' } }));
    await it.settle(name);
  }
  expect(leftovers(it)).toEqual({});
  const { metadata, status } = serviceOf(it) ?? {};
  expect([metadata?.annotations ?? {}, metadata?.finalizers ?? []]).toEqual([{}, []]);
  expect([readyOf(it), status?.loadBalancer ?? {}]).toEqual([undefined, {}]);
  expect(serviceOf(it, 'api')?.metadata.annotations).toEqual({ [LOAD_BALANCER_ID]: id });

  it.apply('web', 80);
  expect(await it.statusOf('web')).toBe('settled');
  expect(it.cloud.loadbalancers).toHaveLength(1);
});

test('Services of two namespaces that share by a name are two, unless the name is the cluster’s and there is consent', async () => {
  it.apply('web', 80, { [LOAD_BALANCER_NAME]: 'edge' });
  it.apply('web', 81, { [LOAD_BALANCER_NAME]: 'edge' }, 'other');
  await it.sweepUntilSettled();
  expect(it.cloud.loadbalancers).toHaveLength(2);

  await it.put('all', 82, { [LOAD_BALANCER_NAME]: 'cluster/edge' });
  it.apply('all', 83, { [LOAD_BALANCER_NAME]: 'cluster/edge' }, 'other');
  expect(await it.statusOf('other/all')).toBe('blocked');
  const all = it.cloud.loadbalancers.find(({ name }) => name.endsWith('default_all'));
  if (all) all.tags = [...all.tags, 'levelset-allow=other'];
  expect(await it.statusOf('other/all')).toBe('settled');
  expect(it.cloud.loadbalancers).toHaveLength(3);
});

test('Services that share by a name have one floating IP, also after the load balancer of the owner was deleted and another one made the next', async () => {
  for (const [at, name] of ['web', 'api'].entries()) {
    await it.put(name, 80 + at, { [LOAD_BALANCER_NAME]: 'edge' });
  }
  const { vip_port_id: vip } = it.lb();
  const { loadbalancers, listeners, pools, healthmonitors, floatingips } = it.cloud;
  for (const table of [loadbalancers, listeners, pools, healthmonitors]) table.splice(0);
  for (const ip of floatingips) if (ip.port_id === vip) ip.port_id = null;

  await it.settle('api');
  await it.sweepUntilSettled();
  await it.sweepUntilSettled();

  expect(it.lb().name).toMatch(/_api$/);
  expect(floatingips.map(({ port_id: port }) => port)).toEqual([it.lb().vip_port_id]);
});

describe('a Service applied again under another name, with all that levelset wrote on the first', () => {
  const copy = async (name: string, drop: readonly string[] = []): Promise<void> => {
    await it.owner();
    const annotations = { ...serviceOf(it)?.metadata.annotations };
    for (const key of drop) Reflect.deleteProperty(annotations, key);
    await it.put(name, 80, annotations);
  };

  test('has a load balancer of its own, and says which from then on', async () => {
    await copy('again');

    const [first, second] = it.cloud.loadbalancers;
    expect(second?.name).toMatch(/_again$/);
    expect(first?.tags.join()).not.toContain('again');
    expect(readyOf(it, 'again')).toMatchObject({ status: 'True' });
    expect(serviceOf(it, 'again')?.metadata.annotations).toMatchObject({ [LOAD_BALANCER_ID]: second?.id });
  });

  test('joins the first by the id alone, and the condition names the way out', async () => {
    await copy('joined', ['loadbalancer.openstack.org/load-balancer-address']);

    expect(it.cloud.loadbalancers).toHaveLength(1);
    expect(ingressOf(it, 'joined')).toEqual([]);
    expect(it.told('joined')).toContain('is taken on this load balancer by default/web');
    expect(it.told('joined')).toContain(
      'set spec.type to ClusterIP, remove the annotation load-balancer-id, and set spec.type to LoadBalancer again',
    );
  });
});
