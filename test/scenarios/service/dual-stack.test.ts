import { afterEach, expect, test } from 'vitest';
import type { SandboxOptions } from '../../../infra/sandbox/sandbox.ts';
import type { Config } from '../../../shared/config/config.ts';
import { sweep } from '../../../shared/sweep.ts';
import { makeAsGoProvider } from '../../support/old-controllers.ts';
import { aService } from '../../support/service.ts';
import { startSandboxWorld, type SandboxWorld } from '../../support/sandbox-world.ts';
import { cloudWrites, ingressOf, leftovers, readyOf } from '../../support/told.ts';

let it: SandboxWorld;
afterEach(() => it.close());

/** Nodes have both of the addresses of their ports, as OCCM writes them. */
async function start(options: SandboxOptions = {}, config?: Partial<Config['loadBalancer']>): Promise<void> {
  it = await startSandboxWorld(options, config);
  const { kube, cloud } = it.sandbox;
  for (const { metadata, spec } of kube.list('Node')) {
    const server = String(spec?.['providerID']).replace('openstack:///', '');
    const port = cloud.ports.find(({ device_id }) => device_id === server);
    const addresses = (port?.fixed_ips ?? []).map(({ ip_address }) => ({
      type: 'InternalIP',
      address: ip_address,
    }));
    kube.apply({ kind: 'Node', metadata: { name: metadata.name }, status: { addresses } });
  }
}

const ADDITIONAL = 'levelset.openstack.org/additional-vip-subnet-ids';
const dual = (spec: object = {}, annotations: Record<string, string> = {}, name = 'web') =>
  aService({ name, annotations, spec: { ipFamilyPolicy: 'RequireDualStack', ...spec } });
const lb = () => it.sandbox.cloud.loadbalancers[0];
const vip6 = () => {
  const vips = (lb()?.['additional_vips'] ?? []) as { ip_address: string }[];
  return vips[0]?.ip_address;
};
const floatingIP = () => it.sandbox.cloud.floatingips[0]?.floating_ip_address;
const families = () => it.sandbox.cloud.members.map(({ address }) => (address.includes(':') ? 6 : 4)).sort();
const message = () => readyOf(it.sandbox)?.message ?? '';

test('a dual-stack Service is published at its floating IP and at an IPv6 VIP, in one go', async () => {
  await start();
  it.sandbox.kube.apply(dual());
  await it.settle('web');

  expect(ingressOf(it.sandbox)).toEqual([
    { ip: floatingIP(), ipMode: 'VIP' },
    { ip: vip6(), ipMode: 'VIP' },
  ]);
  expect(vip6()).toMatch(/^fd00:10::/);
  expect(message()).toContain(`serves at ${floatingIP() ?? ''} and ${vip6() ?? ''}`);
  // haproxy speaks to either family, so members are of the first one
  expect(families()).toEqual([4, 4, 4]);
  expect(cloudWrites(it.sandbox)).toEqual([
    'POST loadbalancers',
    'POST floatingips',
    'PUT floatingips/ID/tags',
  ]);

  const writes = cloudWrites(it.sandbox).length;
  await it.settle('web', { trigger: 'resync' });
  await it.sweepUntilSettled();
  expect(cloudWrites(it.sandbox)).toHaveLength(writes);

  await it.remove('web');
  expect(leftovers(it.sandbox)).toEqual({});
});

test('an internal Service that prefers two families has no global IPv6 address unless its subnet is named', async () => {
  await start();
  const six = it.sandbox.cloud.subnets.find(({ ip_version: version }) => version === 6);
  Object.assign(six ?? {}, { cidr: '2001:db8:10::/64' });
  const internal = { 'service.beta.kubernetes.io/openstack-internal-load-balancer': 'true' };
  it.sandbox.kube.apply(dual({ ipFamilyPolicy: 'PreferDualStack', ipFamilies: ['IPv4', 'IPv6'] }, internal));
  it.sandbox.kube.apply(
    dual({ ipFamilies: ['IPv4', 'IPv6'] }, { ...internal, [ADDITIONAL]: six?.id ?? '' }, 'named'),
  );

  await it.settle('web');
  await it.settle('named');

  expect(ingressOf(it.sandbox)).toEqual([{ ip: lb()?.vip_address, ipMode: 'VIP' }]);
  expect(message()).toContain(`subnet ${six?.id ?? ''} has global addresses: name it in ${ADDITIONAL}`);
  expect(ingressOf(it.sandbox, 'named')).toHaveLength(2);
});

test('approved, it is made anew with the VIPs of both families, and keeps its floating IP', async () => {
  await start();
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

test('turned to SingleStack, the second address is kept by the load balancer and published no more', async () => {
  await start();
  it.sandbox.kube.apply(dual());
  await it.settle('web');
  const kept = vip6() ?? '';
  it.sandbox.kube.apply(dual({ ipFamilyPolicy: 'SingleStack' }));
  await it.settle('web');
  expect(ingressOf(it.sandbox).map(({ ip }) => ip)).toEqual([floatingIP()]);
  expect(message()).toContain(`does not name the family of ${kept}, which the load balancer keeps`);
});

test('an address that ports make themselves cannot be chosen', async () => {
  await start();
  const spec = { ipFamilies: ['IPv6'], loadBalancerIP: 'fd00:10::5' };
  it.sandbox.kube.apply(aService({ spec }));
  expect((await it.settle('web')).outcome.status).toBe('blocked');
  expect(message()).toContain('spec.loadBalancerIP "fd00:10::5" cannot be chosen');
  expect(cloudWrites(it.sandbox)).toEqual([]);
});

test('a QoS policy that is not there is named, and the rest is served', async () => {
  await start();
  const key = 'levelset.openstack.org/vip-qos-policy-id';
  const id = 'aaaaaaaa-0000-4000-8000-000000000001';
  it.sandbox.kube.apply(aService({ annotations: { [key]: id } }));
  await it.settle('web');
  expect(ingressOf(it.sandbox)).toHaveLength(1);
  expect(message()).toContain(
    `${key} "${id}" is not visible to the project of cloud.conf, or Neutron has no QoS`,
  );
});

test('with several IPv4 VIPs the floating IP is on the first one', async () => {
  await start();
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

test('loadBalancerIP of IPv6 is no floating IP', async () => {
  await start();
  for (const subnet of it.sandbox.cloud.subnets) subnet['ipv6_address_mode'] = null;
  it.sandbox.kube.apply(dual({ loadBalancerIP: 'fd00:10::5' }));
  await it.settle('web');
  expect(ingressOf(it.sandbox).map(({ ip }) => ip)).toEqual([floatingIP(), 'fd00:10::5']);
});

test('in an IPv6-only cluster no node is waited for', async () => {
  await start();
  const { kube } = it.sandbox;
  for (const { metadata, status } of kube.list('Node')) {
    const addresses = status?.['addresses'] as { address: string }[];
    const six = addresses.filter(({ address }) => address.includes(':'));
    kube.apply({ kind: 'Node', metadata: { name: metadata.name }, status: { addresses: six } });
  }
  kube.apply(aService({ spec: { ipFamilies: ['IPv6'] } }));
  expect((await it.settle('web')).nodesWithoutAddress).toBeUndefined();
  expect((await sweep(it.world)).nodesWithoutAddress).toEqual([]);
  expect(families()).toEqual([6, 6, 6]);
});

test('taken over, a dual-stack Service keeps the one address that OCCM gave it', async () => {
  await start();
  await makeAsGoProvider(it);
  const metadata = { name: 'web', namespace: 'default' };
  it.sandbox.kube.apply({ kind: 'Service', metadata, spec: { ipFamilyPolicy: 'PreferDualStack' } });
  const [before, writes] = [ingressOf(it.sandbox), cloudWrites(it.sandbox).length];
  await it.settle('web');

  expect(ingressOf(it.sandbox)).toEqual(before);
  expect(before.map(({ ip }) => ip)).toEqual([floatingIP()]);
  const tagged = ['PUT loadbalancers/ID', 'PUT listeners/ID', 'PUT floatingips/ID/tags'];
  expect(cloudWrites(it.sandbox).slice(writes).sort()).toEqual(tagged.sort());
  expect(message()).toMatch(/levelset keeps lb as it is.*additional_vips/);
});
