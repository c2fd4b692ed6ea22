import { beforeEach, expect, test } from 'vitest';
import { aService } from '../../support/service.ts';
import { inEachTest, startSandboxWorld } from '../../support/sandbox-world.ts';
import { cloudWrites, ingressOf, leftovers, readyOf } from '../../support/told.ts';

const it = inEachTest(() => startSandboxWorld());
/** Nodes have both of the addresses of their ports, as OCCM writes them. */
beforeEach(() => {
  const { kube, cloud } = it.sandbox;
  for (const { metadata, spec } of kube.list('Node')) {
    const server = String(spec?.['providerID']).replace('openstack:///', '');
    const port = cloud.ports.find(({ device_id }) => device_id === server);
    const addresses = port?.fixed_ips.map((ip) => ({ type: 'InternalIP', address: ip.ip_address }));
    kube.apply({ kind: 'Node', metadata: { name: metadata.name }, status: { addresses } });
  }
});

const ADDITIONAL = 'levelset.openstack.org/additional-vip-subnet-ids';
const dual = (spec: object = {}, annotations: Record<string, string> = {}, name = 'web') =>
  aService({ name, annotations, spec: { ipFamilyPolicy: 'RequireDualStack', ...spec } });
const lb = () => it.sandbox.cloud.loadbalancers[0];
const vip6 = () => {
  const vips = (lb()?.['additional_vips'] ?? []) as { ip_address: string }[];
  return vips[0]?.ip_address;
};
const floatingIP = () => it.sandbox.cloud.floatingips[0]?.floating_ip_address;
const message = () => readyOf(it.sandbox)?.message ?? '';

test('a dual-stack Service is published at its floating IP and at an IPv6 VIP, in one go; the second one is published no more when it turns to SingleStack', async () => {
  it.sandbox.kube.apply(dual());
  await it.settle('web');

  expect(ingressOf(it.sandbox)).toEqual([
    { ip: floatingIP(), ipMode: 'VIP' },
    { ip: vip6(), ipMode: 'VIP' },
  ]);
  expect(vip6()).toMatch(/^fd00:10::/);
  expect(message()).toContain(`serves at ${floatingIP() ?? ''} and ${vip6() ?? ''}`);
  // haproxy speaks to either family, so members are of the first one
  expect(it.sandbox.cloud.members.filter(({ address }) => address.includes(':'))).toEqual([]);
  expect(cloudWrites(it.sandbox)).toEqual([
    'POST loadbalancers',
    'POST floatingips',
    'PUT floatingips/ID/tags',
  ]);

  const writes = cloudWrites(it.sandbox).length;
  await it.settle('web', { trigger: 'resync' });
  await it.sweepUntilSettled();
  expect(cloudWrites(it.sandbox)).toHaveLength(writes);

  const kept = vip6() ?? '';
  it.sandbox.kube.apply(dual({ ipFamilyPolicy: 'SingleStack' }));
  await it.settle('web');
  expect(ingressOf(it.sandbox).map(({ ip }) => ip)).toEqual([floatingIP()]);
  expect(message()).toContain(`does not name the family of ${kept}, which the load balancer keeps`);

  await it.remove('web');
  expect(leftovers(it.sandbox)).toEqual({});
});

test('approved, it is made anew with the VIPs of both families, and keeps its floating IP', async () => {
  it.sandbox.kube.apply(aService());
  await it.settle('web');
  const [address, old] = [floatingIP(), lb()?.id];
  it.sandbox.kube.apply(dual());
  await it.settle('web');
  const [, approve = ''] = /until ([0-9a-f]{12}) is approved/.exec(message()) ?? [];
  it.sandbox.kube.apply(dual({}, { 'levelset.openstack.org/approve': approve }));
  await it.settle('web');

  expect(lb()?.id).not.toBe(old);
  expect(ingressOf(it.sandbox).map(({ ip }) => ip)).toEqual([address, vip6()]);
  expect(message()).toBe(`load balancer ${lb()?.id ?? ''} serves at ${address ?? ''} and ${vip6() ?? ''}`);
});

test('with several IPv4 VIPs the floating IP is on the first one', async () => {
  const { cloud, kube } = it.sandbox;
  const [, four] = cloud.subnets;
  if (!four) throw new Error('no private subnet');
  cloud.subnets.push({ ...four, id: cloud.newId(), cidr: '10.77.0.0/24', gateway_ip: '10.77.0.1' });
  const further = { [ADDITIONAL]: cloud.subnets.at(-1)?.id ?? '' };
  kube.apply(aService({ annotations: further }));
  await it.settle('web');
  expect(cloud.floatingips[0]?.fixed_ip_address).toBe(lb()?.vip_address);
  expect(ingressOf(it.sandbox).map(({ ip }) => ip)).toEqual([floatingIP()]);

  // behind an IPv6 one the address is known when the load balancer is there
  const both = { [ADDITIONAL]: [four.id, further[ADDITIONAL]].join() };
  kube.apply(dual({ ipFamilies: ['IPv6', 'IPv4'] }, both, 'six'));
  await it.settle('six');
  expect(cloudWrites(it.sandbox).filter((write) => write === 'POST floatingips')).toHaveLength(2);
  const six = cloud.loadbalancers[1];
  const [first] = (six?.['additional_vips'] ?? []) as { ip_address: string }[];
  expect(cloud.floatingips[1]?.fixed_ip_address).toBe(first?.ip_address);
  expect(ingressOf(it.sandbox, 'six').map(({ ip }) => ip)).toEqual([
    six?.vip_address,
    cloud.floatingips[1]?.floating_ip_address,
  ]);
});
