import { describe, expect, test } from 'vitest';
import { manifestProblems } from '../../../shared/service/desired/desire-service.ts';
import { aService } from '../../support/service.ts';
import { inEachTest, startSandboxWorld } from '../../support/sandbox-world.ts';
import { addressOf, readyOf, serviceOf } from '../../support/told.ts';

const it = inEachTest(() => startSandboxWorld());

const KEEP = { 'loadbalancer.openstack.org/keep-floatingip': 'true' };
const asking = (loadBalancerIP: string, namespace = 'default') =>
  aService({ namespace, spec: { loadBalancerIP } });

describe('spec.loadBalancerIP', () => {
  test.each([
    ['of nobody', '203.0.113.201', 403],
    ['of no external network', '192.168.7.9', 400],
    ['of another project', '203.0.113.202', 409],
  ])(
    '%s is the mistake of whoever wrote it, named with its field, and no alert',
    async (_, address, status) => {
      const match = { method: 'POST', path: /floatingips$/ };
      const body = { NeutronError: { type: 'Refused', message: 'Not this one.', detail: '' } };
      it.sandbox.fault({ match, kind: 'fail-before', status, body, times: 9 });
      it.sandbox.kube.apply(asking(address));

      const { outcome } = await it.settle('web');

      expect(outcome).toMatchObject({ status: 'blocked' });
      expect(readyOf(it.sandbox)?.message).toContain(
        `spec.loadBalancerIP ${address} is not a floating IP of this project`,
      );
      expect(readyOf(it.sandbox)?.message).not.toContain('role');
    },
  );

  test.each(['app.example.org', ' 203.0.113.9', '203.0.113.0/24', '2001:db8::'])(
    'a run and lint say the same of %j',
    async (loadBalancerIP) => {
      const service = aService({ spec: { loadBalancerIP, ipFamilies: ['IPv4'] } });
      it.sandbox.kube.apply(service);
      await it.settle('web');

      const stored = await it.world.kube.getService('default', 'web');
      if (!stored) throw new Error('it is gone');
      const [problem] = manifestProblems(stored, it.world.config);
      expect(problem).toMatchObject({ field: 'spec.loadBalancerIP', value: loadBalancerIP, blocking: true });
      expect(readyOf(it.sandbox)?.message).toContain(problem?.message);
    },
  );

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

describe('the floating IP that a port of the user’s has already', () => {
  const inPlace = async (annotations = {}) => {
    const { cloud } = it.sandbox;
    const mine = cloud.addFloatingIp(undefined, 'by Terraform');
    const inner = cloud.networks.find((network) => !network['router:external']);
    const port = await it.world.cloud.create('port', { network_id: inner?.id });
    await it.world.cloud.update('floatingip', mine.id, { port_id: port.id });
    const onPort = { 'loadbalancer.openstack.org/port-id': port.id, ...annotations };
    it.sandbox.kube.apply(aService({ annotations: onPort }));
    return { mine, port, onPort };
  };

  test('is the Service’s at once, and stays on the port', async () => {
    const { mine } = await inPlace();

    const { outcome } = await it.settle('web');

    expect(outcome.status).toBe('settled');
    expect(addressOf(it.sandbox)).toBe(mine.floating_ip_address);
    expect(it.sandbox.cloud.floatingips).toHaveLength(1);
  });

  test.each([['', {}] as const, [', also with keep-floatingip', KEEP] as const])(
    'stays there when the Service goes, and is the next one’s%s',
    async (_, annotations) => {
      const { mine, port, onPort } = await inPlace(annotations);
      await it.settle('web');
      await it.remove('web');

      expect(mine).toMatchObject({ port_id: port.id, tags: [], description: 'by Terraform' });
      expect(it.sandbox.cloud.loadbalancers).toEqual([]);

      it.sandbox.kube.apply(aService({ annotations: onPort }));
      await it.settle('web');
      expect(addressOf(it.sandbox)).toBe(mine.floating_ip_address);
    },
  );

  test('leaves it when the Service becomes internal', async () => {
    const { mine, onPort } = await inPlace();
    await it.settle('web');
    const internal = { 'service.beta.kubernetes.io/openstack-internal-load-balancer': 'true' };
    it.sandbox.kube.apply(aService({ annotations: { ...onPort, ...internal } }));
    await it.settle('web');

    expect(mine).toMatchObject({ port_id: null, tags: [] });
  });
});

test('a floating IP that was made on a port of the user’s is kept where the Service says so', async () => {
  const inner = it.sandbox.cloud.networks.find((network) => !network['router:external']);
  const port = await it.world.cloud.create('port', { network_id: inner?.id });
  it.sandbox.kube.apply(
    aService({ annotations: { ...KEEP, 'loadbalancer.openstack.org/port-id': port.id } }),
  );
  await it.settle('web');
  await it.remove('web');

  expect(it.sandbox.cloud.floatingips).toMatchObject([
    { port_id: null, tags: expect.arrayContaining([expect.stringMatching(/^levelset-kept=/)]) as unknown },
  ]);
});

test('a floating IP that the Service names leaves the port of the user’s with the Service', async () => {
  const mine = it.sandbox.cloud.addFloatingIp();
  const inner = it.sandbox.cloud.networks.find((network) => !network['router:external']);
  const port = await it.world.cloud.create('port', { network_id: inner?.id });
  const annotations = { 'loadbalancer.openstack.org/port-id': port.id };
  it.sandbox.kube.apply(aService({ annotations, spec: { loadBalancerIP: mine.floating_ip_address } }));
  await it.settle('web');
  const before = mine.port_id;
  await it.remove('web');

  expect([before, mine.port_id]).toEqual([port.id, null]);
});

describe('on a cloud without external networks', () => {
  const external = () => it.sandbox.cloud.networks.find((network) => network['router:external']);
  const vip = () => it.sandbox.cloud.loadbalancers[0]?.vip_address;

  test('the VIP is the address, as with OCCM, and the condition says why', async () => {
    Object.assign(external() ?? {}, { 'router:external': false });
    it.sandbox.kube.apply(aService());

    await it.settle('web');

    expect(addressOf(it.sandbox)).toBe(vip());
    expect(readyOf(it.sandbox)?.status).toBe('True');
    expect(readyOf(it.sandbox)?.message).toContain('no external network with IPv4');
  });

  test('a floating IP that is there stays the address', async () => {
    it.sandbox.kube.apply(aService());
    await it.settle('web');
    const before = addressOf(it.sandbox);
    Object.assign(external() ?? {}, { 'router:external': false });

    await it.settle('web', { trigger: 'resync' }, await it.another());

    expect([before, addressOf(it.sandbox)]).toEqual([
      before,
      it.sandbox.cloud.floatingips[0]?.floating_ip_address,
    ]);
    expect(before).not.toBe(vip());
  });
});

test('a floating network that does not exist blocks the Service, with its name, and asks for nothing more', async () => {
  const missing = '00000000-0000-4000-8000-000000000000';
  const annotations = { 'loadbalancer.openstack.org/floating-network-id': missing };
  it.sandbox.kube.apply(aService({ annotations }));

  const { outcome } = await it.settle('web');

  expect(outcome).toMatchObject({ status: 'blocked', reason: expect.stringContaining(missing) as string });
  expect(readyOf(it.sandbox)).toMatchObject({ status: 'False', reason: 'LoadBalancerBlocked' });
});
