import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { aService } from '../../support/service.ts';
import { startSandboxWorld } from '../../support/sandbox-world.ts';
import type { SandboxWorld } from '../../support/sandbox-world.ts';
import { addressOf, readyOf, serviceOf } from '../../support/told.ts';

let it: SandboxWorld;
beforeEach(async () => {
  it = await startSandboxWorld();
});
afterEach(() => it.close());

const KEEP = { 'loadbalancer.openstack.org/keep-floatingip': 'true' };
const asking = (loadBalancerIP: string, namespace = 'default') =>
  aService({ namespace, spec: { loadBalancerIP } });

describe('spec.loadBalancerIP', () => {
  test('takes a floating IP that is free', async () => {
    const mine = it.sandbox.cloud.addFloatingIp();
    it.sandbox.kube.apply(asking(mine.floating_ip_address));

    await it.settle('web');

    expect(addressOf(it.sandbox)).toBe(mine.floating_ip_address);
    expect(it.sandbox.cloud.floatingips).toHaveLength(1);
    expect(mine.port_id).toBe(it.sandbox.cloud.loadbalancers[0]?.vip_port_id);
  });

  test('gives a floating IP of the user back at the end: detached, not deleted, without our tags', async () => {
    const mine = it.sandbox.cloud.addFloatingIp(undefined, 'for the shop');
    mine.tags = ['shop'];
    it.sandbox.kube.apply(asking(mine.floating_ip_address));
    await it.settle('web');
    expect(mine.tags).toHaveLength(3);

    await it.remove('web');

    expect(it.sandbox.cloud.floatingips).toEqual([mine]);
    expect(mine).toMatchObject({ port_id: null, tags: ['shop'], description: 'for the shop' });
    expect(serviceOf(it.sandbox)).toBeUndefined();
  });

  test('gives it back too when the load balancer under it was removed behind our back', async () => {
    const mine = it.sandbox.cloud.addFloatingIp();
    it.sandbox.kube.apply(asking(mine.floating_ip_address));
    await it.settle('web');
    it.sandbox.cloud.removeLoadBalancer(it.sandbox.cloud.loadbalancers[0]?.id ?? '');

    await it.remove('web');

    expect(it.sandbox.cloud.floatingips).toEqual([mine]);
    expect(mine.tags).toEqual([]);
    expect(serviceOf(it.sandbox)).toBeUndefined();
  });

  test('that somebody asks for later is refused, and the address that people use stays', async () => {
    it.sandbox.kube.apply(aService());
    await it.settle('web');
    const address = addressOf(it.sandbox);
    const mine = it.sandbox.cloud.addFloatingIp();

    it.sandbox.kube.apply(asking(mine.floating_ip_address));
    await it.settle('web');

    expect(addressOf(it.sandbox)).toBe(address);
    expect(mine.port_id).toBeNull();
    expect(readyOf(it.sandbox)?.message).toContain('the change would take the address away');
  });

  test('is refused in words when the floating IP is attached to something else', async () => {
    it.sandbox.kube.apply(aService({ name: 'first' }));
    await it.settle('first');
    const [taken] = it.sandbox.cloud.floatingips;
    const port = taken?.port_id;
    it.sandbox.kube.apply(asking(taken?.floating_ip_address ?? ''));

    await it.settle('web');

    expect(readyOf(it.sandbox)).toMatchObject({ status: 'False' });
    expect(readyOf(it.sandbox)?.message).toContain('attached to something else');
    expect(taken?.port_id).toBe(port);
    expect(addressOf(it.sandbox)).toBeUndefined();
  });

  test('is refused in words when the floating IP is kept for another namespace', async () => {
    it.sandbox.kube.apply({ kind: 'Namespace', metadata: { name: 'other' } });
    it.sandbox.kube.apply(aService({ namespace: 'other', annotations: KEEP }));
    await it.settle('other/web');
    await it.remove('other/web');
    const [kept] = it.sandbox.cloud.floatingips;
    it.sandbox.kube.apply(asking(kept?.floating_ip_address ?? ''));

    await it.settle('web');

    expect(readyOf(it.sandbox)?.message).toContain('kept for another namespace');
    expect(kept?.port_id).toBeNull();
    expect(addressOf(it.sandbox)).toBeUndefined();
  });
});

describe('keep-floatingip', () => {
  test('keeps the floating IP, marks it, and the next Service of that name gets it again', async () => {
    it.sandbox.kube.apply(aService({ annotations: KEEP }));
    await it.settle('web');
    const address = addressOf(it.sandbox);
    await it.remove('web');
    await it.sweepUntilSettled();

    expect(it.sandbox.cloud.loadbalancers).toEqual([]);
    const [kept] = it.sandbox.cloud.floatingips;
    expect(kept).toMatchObject({ floating_ip_address: address, port_id: null });
    expect(kept?.tags.some((tag) => /^levelset-kept=.*\/default$/.test(tag))).toBe(true);

    it.sandbox.kube.apply(aService());
    await it.settle('web');

    expect(addressOf(it.sandbox)).toBe(address);
    expect(it.sandbox.cloud.floatingips).toHaveLength(1);
    expect(kept?.tags.some((tag) => tag.startsWith('levelset-kept='))).toBe(false);
  });
});

test('a port of the user’s with two IPv4 addresses gets a floating IP for the one that is the VIP', async () => {
  const { cloud } = it.sandbox;
  const inner = cloud.networks.find((network) => !network['router:external']);
  const subnet = cloud.subnets.find((one) => one.network_id === inner?.id && one.ip_version === 4);
  const fixed = { subnet_id: subnet?.id };
  const port = await it.world.cloud.create('port', { network_id: inner?.id, fixed_ips: [fixed, fixed] });
  it.sandbox.kube.apply(aService({ annotations: { 'loadbalancer.openstack.org/port-id': port.id } }));

  await it.settle('web');

  const [lb] = cloud.loadbalancers;
  expect(cloud.floatingips).toMatchObject([{ port_id: port.id, fixed_ip_address: lb?.vip_address }]);
  expect(addressOf(it.sandbox)).toBe(cloud.floatingips[0]?.floating_ip_address);
});

test('a floating network that does not exist blocks the Service, with its name, and asks for nothing more', async () => {
  const missing = '00000000-0000-4000-8000-000000000000';
  const annotations = { 'loadbalancer.openstack.org/floating-network-id': missing };
  it.sandbox.kube.apply(aService({ annotations }));

  const { outcome } = await it.settle('web');

  expect(outcome).toMatchObject({ status: 'blocked', reason: expect.stringContaining(missing) as string });
  expect(readyOf(it.sandbox)).toMatchObject({ status: 'False', reason: 'LoadBalancerBlocked' });
});
