import { expect, test } from 'vitest';
import { failing } from '../../support/failing.ts';
import { inEachTest, startSandboxWorld } from '../../support/sandbox-world.ts';
import { addressOf, cloudWrites, readyOf, serviceOf } from '../../support/told.ts';

const it = inEachTest(() => startSandboxWorld());

const KEEP = { 'loadbalancer.openstack.org/keep-floatingip': 'true' };
const INTERNAL = { 'service.beta.kubernetes.io/openstack-internal-load-balancer': 'true' };
const BY_NAME = { 'loadbalancer.openstack.org/floating-subnet': 'public-*' };
const onPort = (id: string): Record<string, string> => ({ 'loadbalancer.openstack.org/port-id': id });
const ask = (loadBalancerIP: string, annotations: Record<string, string> = {}) =>
  it.make({ annotations, spec: { loadBalancerIP } });

/** A port that a person made in the network of the Nodes; its id. */
async function aPort(addresses = 1): Promise<string> {
  const { cloud } = it;
  const inner = cloud.networks.find((network) => !network['router:external']);
  const subnet = cloud.subnets.find((one) => one.network_id === inner?.id && one.ip_version === 4);
  const fixed_ips = Array.from({ length: addresses }, () => ({ subnet_id: subnet?.id }));
  return (await it.world.cloud.create('port', { network_id: inner?.id, fixed_ips })).id;
}

test.each([
  ['of nobody', '203.0.113.201', 403],
  ['of no external network', '192.168.7.9', 400],
  ['of another project', '203.0.113.202', 409],
])('a loadBalancerIP %s is a mistake named with its field, and no alert', async (_, address, status) => {
  const body = { NeutronError: { type: 'Refused', message: 'Not this one.', detail: '' } };
  failing(it, 'POST', /floatingips$/, status, { body });
  expect((await ask(address)).outcome).toMatchObject({ status: 'blocked' });
  expect(it.told()).toContain(`spec.loadBalancerIP ${address} is not a floating IP of this project`);
  expect(it.told()).not.toContain('role');
});

test('a floating IP that the Service names is given back too when the load balancer under it was removed behind our back', async () => {
  const mine = it.cloud.addFloatingIp();
  await ask(mine.floating_ip_address);
  it.cloud.removeLoadBalancer(it.cloud.loadbalancers[0]?.id ?? '');

  await it.remove('web');

  expect(it.cloud.floatingips).toEqual([mine]);
  expect(mine.tags).toEqual([]);
  expect(serviceOf(it)).toBeUndefined();
});

test('a port of the user’s with two IPv4 addresses gets a floating IP for the one that is the VIP', async () => {
  const { cloud } = it;
  const port = await aPort(2);
  await it.make({ annotations: onPort(port) });

  const [lb] = cloud.loadbalancers;
  expect(cloud.floatingips).toMatchObject([{ port_id: port, fixed_ip_address: lb?.vip_address }]);
  expect(addressOf(it)).toBe(cloud.floatingips[0]?.floating_ip_address);
});

test('the floating IP that a port of the user’s has already stays there when a Service goes, also with keep-floatingip, and leaves it when the next one becomes internal', async () => {
  const port = await aPort();
  const mine = it.cloud.addFloatingIp(undefined, 'by Terraform');
  await it.world.cloud.update('floatingip', mine.id, { port_id: port });
  await it.make({ annotations: { ...onPort(port), ...KEEP } });
  expect(addressOf(it)).toBe(mine.floating_ip_address);
  expect(it.cloud.floatingips).toEqual([mine]);

  await it.remove('web');
  expect(mine).toMatchObject({ port_id: port, tags: [], description: 'by Terraform' });
  expect(it.cloud.loadbalancers).toEqual([]);

  await it.make({ annotations: onPort(port) });
  expect(addressOf(it)).toBe(mine.floating_ip_address);

  await it.make({ annotations: INTERNAL });
  expect(mine).toMatchObject({ port_id: null, tags: [] });
});

test('a floating IP that was made on a port of the user’s is kept where the Service says so', async () => {
  await it.make({ annotations: { ...KEEP, ...onPort(await aPort()) } });
  await it.remove('web');

  expect(it.cloud.floatingips).toMatchObject([
    { port_id: null, tags: expect.arrayContaining([expect.stringMatching(/^levelset-kept=/)]) as unknown },
  ]);
});

test('a floating IP that the Service names leaves the port of the user’s with the Service', async () => {
  const mine = it.cloud.addFloatingIp();
  const port = await aPort();
  await ask(mine.floating_ip_address, onPort(port));
  expect(mine.port_id).toBe(port);

  await it.remove('web');
  expect(mine.port_id).toBeNull();
});

test('on a cloud without external networks the VIP is the address, as with OCCM, and the condition says why', async () => {
  const external = it.cloud.networks.find((network) => network['router:external']);
  Object.assign(external ?? {}, { 'router:external': false });
  await it.make();

  expect(addressOf(it)).toBe(it.cloud.loadbalancers[0]?.vip_address);
  expect(readyOf(it)?.status).toBe('True');
  expect(it.told()).toContain('no external network with IPv4');
});

/** An external subnet without one usable address, and the first by name. */
function addFullSubnet(): void {
  const [subnet] = it.cloud.subnets;
  const full = { id: it.cloud.newId(), name: 'public-a', cidr: '198.51.100.0/29' };
  if (subnet) it.cloud.subnets.push({ ...subnet, ...full });
}

test('the next subnet of the plan gives the floating IP in the same run when the first one is full', async () => {
  addFullSubnet();
  await it.make({ annotations: BY_NAME });

  expect(cloudWrites(it).filter((write) => write === 'POST floatingips')).toHaveLength(2);
  expect(it.cloud.floatingips).toHaveLength(1);
  expect(addressOf(it)).toMatch(/^203\.0\.113\./);
  expect(readyOf(it)).toMatchObject({ status: 'True' });
});

test('a full subnet without another one is reported, and tried again', async () => {
  addFullSubnet();
  const report = await it.make({ annotations: { 'loadbalancer.openstack.org/floating-subnet': 'public-a' } });

  expect(report.outcome).toMatchObject({ status: 'failed', code: 'ADDRESSES_EXHAUSTED' });
  expect(it.told()).toContain('No more IP addresses available');
  expect(addressOf(it)).toBeUndefined();

  await it.make({ annotations: BY_NAME });

  expect(addressOf(it)).toMatch(/^203\.0\.113\./);
});

test.each([
  [0, {}],
  [1, KEEP],
])('%i floating IPs stay that were detached before a Service became internal', async (left, more) => {
  await it.make();
  const { floatingips } = it.cloud;
  for (const ip of floatingips) ip.port_id = null;

  await it.make({ annotations: { ...INTERNAL, ...more } });
  await it.sweepUntilSettled();

  expect(floatingips).toHaveLength(left);
});

test('a floating network that does not exist blocks the Service, with its name, and asks for nothing more', async () => {
  const missing = '00000000-0000-4000-8000-000000000000';
  const annotations = { 'loadbalancer.openstack.org/floating-network-id': missing };
  const { outcome } = await it.make({ annotations });

  expect(outcome).toMatchObject({ status: 'blocked', reason: expect.stringContaining(missing) as string });
  expect(readyOf(it)).toMatchObject({ status: 'False', reason: 'LoadBalancerBlocked' });
});
