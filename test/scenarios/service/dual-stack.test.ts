import { expect, test } from 'vitest';
import { sweep } from '../../../shared/sweep.ts';
import { inEachTest, startSandboxWorld } from '../../support/sandbox-world.ts';
import { cloudWrites, ingressOf, leftovers } from '../../support/told.ts';

/** Nodes have both of the addresses of their ports, as OCCM writes them. */
const it = inEachTest(async () => {
  const world = await startSandboxWorld();
  for (const { metadata, spec } of world.kube.list('Node')) {
    const server = String(spec?.['providerID']).replace('openstack:///', '');
    const port = world.cloud.ports.find(({ device_id }) => device_id === server);
    const all = (port?.fixed_ips ?? []).map(({ ip_address: address }) => ({ type: 'InternalIP', address }));
    world.kube.apply({ kind: 'Node', metadata: { name: metadata.name }, status: { addresses: all } });
  }
  return world;
});

const ADDITIONAL = 'levelset.openstack.org/additional-vip-subnet-ids';
const dual = (spec: object = {}, annotations: Record<string, string> = {}, name = 'web') =>
  it.make({ name, annotations, spec: { ipFamilyPolicy: 'RequireDualStack', ...spec } });
const lb = () => it.cloud.loadbalancers[0];
/** The first of the further VIPs. */
const vip6 = (of = lb()) =>
  (of?.['additional_vips'] as { ip_address: string }[] | undefined)?.[0]?.ip_address;
const floatingIP = () => it.cloud.floatingips[0]?.floating_ip_address;
const families = () => it.cloud.members.map(({ address }) => (address.includes(':') ? 6 : 4)).sort();

test('a dual-stack Service is published at its floating IP and at an IPv6 VIP, in one go', async () => {
  await dual();

  expect(ingressOf(it)).toEqual([floatingIP(), vip6()].map((ip) => ({ ip, ipMode: 'VIP' })));
  expect(vip6()).toMatch(/^fd00:10::/);
  expect(it.told()).toContain(`serves at ${floatingIP() ?? ''} and ${vip6() ?? ''}`);
  // haproxy speaks to either family, so members are of the first one
  expect(families()).toEqual([4, 4, 4]);
  expect(cloudWrites(it)).toEqual(['POST loadbalancers', 'POST floatingips', 'PUT floatingips/ID/tags']);

  const writes = cloudWrites(it).length;
  await it.settle('web', { trigger: 'resync' });
  await it.sweepUntilSettled();
  expect(cloudWrites(it)).toHaveLength(writes);

  await it.remove('web');
  expect(leftovers(it)).toEqual({});
});

test('an internal Service that prefers two families has no global IPv6 address unless its subnet is named', async () => {
  const six = it.cloud.subnets.find(({ ip_version: version }) => version === 6);
  Object.assign(six ?? {}, { cidr: '2001:db8:10::/64' });
  const internal = { 'service.beta.kubernetes.io/openstack-internal-load-balancer': 'true' };
  const ipFamilies = ['IPv4', 'IPv6'];
  await dual({ ipFamilyPolicy: 'PreferDualStack', ipFamilies }, internal);
  await dual({ ipFamilies }, { ...internal, [ADDITIONAL]: six?.id ?? '' }, 'named');

  expect(ingressOf(it)).toEqual([{ ip: lb()?.vip_address, ipMode: 'VIP' }]);
  expect(it.told()).toContain(`subnet ${six?.id ?? ''} has global addresses: name it in ${ADDITIONAL}`);
  expect(ingressOf(it, 'named')).toHaveLength(2);
});

test('approved, it is made anew with the VIPs of both families, and keeps its floating IP', async () => {
  await it.make();
  const [address, old] = [floatingIP(), lb()?.id];
  await dual();
  const [, approve = ''] = /until ([0-9a-f]{12}) is approved/.exec(it.told()) ?? [];
  await dual({}, { 'levelset.openstack.org/approve': approve });

  expect(lb()?.id).not.toBe(old);
  expect(ingressOf(it).map(({ ip }) => ip)).toEqual([address, vip6()]);
  expect(it.told()).toBe(`load balancer ${lb()?.id ?? ''} serves at ${address ?? ''} and ${vip6() ?? ''}`);
});

test('turned to SingleStack, the second address is kept by the load balancer and published no more', async () => {
  await dual();
  const kept = vip6() ?? '';
  await dual({ ipFamilyPolicy: 'SingleStack' });
  expect(ingressOf(it).map(({ ip }) => ip)).toEqual([floatingIP()]);
  expect(it.told()).toContain(`does not name the family of ${kept}, which the load balancer keeps`);
});

test('an address that ports make themselves cannot be chosen', async () => {
  const spec = { ipFamilies: ['IPv6'], loadBalancerIP: 'fd00:10::5' };
  expect((await it.make({ spec })).outcome.status).toBe('blocked');
  expect(it.told()).toContain('spec.loadBalancerIP "fd00:10::5" cannot be chosen');
  expect(cloudWrites(it)).toEqual([]);
});

test('a QoS policy that is not there is named, and the rest is served', async () => {
  const key = 'levelset.openstack.org/vip-qos-policy-id';
  const id = 'aaaaaaaa-0000-4000-8000-000000000001';
  await it.make({ annotations: { [key]: id } });
  expect(ingressOf(it)).toHaveLength(1);
  expect(it.told()).toContain(`"${id}" is not visible to the project of cloud.conf, or Neutron has no QoS`);
  expect(it.told()).toContain(key);
});

test('with several IPv4 VIPs the floating IP is on the first one', async () => {
  const { cloud } = it;
  const [, four] = cloud.subnets;
  if (!four) throw new Error('no private subnet');
  cloud.subnets.push({ ...four, id: cloud.newId(), cidr: '10.77.0.0/24', gateway_ip: '10.77.0.1' });
  const further = { [ADDITIONAL]: cloud.subnets.at(-1)?.id ?? '' };
  await it.make({ annotations: further });
  expect(cloud.floatingips[0]?.fixed_ip_address).toBe(lb()?.vip_address);
  expect(ingressOf(it).map(({ ip }) => ip)).toEqual([floatingIP()]);

  // behind an IPv6 one the address is known when the load balancer is there
  const both = { [ADDITIONAL]: [four.id, further[ADDITIONAL]].join() };
  await dual({ ipFamilies: ['IPv6', 'IPv4'] }, both, 'six');
  expect(cloudWrites(it).filter((write) => write === 'POST floatingips')).toHaveLength(2);
  const [six, ip] = [cloud.loadbalancers[1], cloud.floatingips[1]];
  expect(ip?.fixed_ip_address).toBe(vip6(six));
  expect(ingressOf(it, 'six').map((one) => one.ip)).toEqual([six?.vip_address, ip?.floating_ip_address]);
});

test('loadBalancerIP of IPv6 is no floating IP', async () => {
  for (const subnet of it.cloud.subnets) subnet['ipv6_address_mode'] = null;
  await dual({ loadBalancerIP: 'fd00:10::5' });
  expect(ingressOf(it).map(({ ip }) => ip)).toEqual([floatingIP(), 'fd00:10::5']);
});

test('in an IPv6-only cluster no node is waited for', async () => {
  const { kube } = it;
  for (const { metadata, status } of kube.list('Node')) {
    const addresses = status?.['addresses'] as { address: string }[];
    const six = addresses.filter(({ address }) => address.includes(':'));
    kube.apply({ kind: 'Node', metadata: { name: metadata.name }, status: { addresses: six } });
  }
  expect((await it.make({ spec: { ipFamilies: ['IPv6'] } })).nodesWithoutAddress).toBeUndefined();
  expect((await sweep(it.world)).nodesWithoutAddress).toEqual([]);
  expect(families()).toEqual([6, 6, 6]);
});
