import { expect, test } from 'vitest';
import { aWorld } from '../../support/for-one-test.ts';
import { pause, type SandboxWorld } from '../../support/sandbox-world.ts';

const MEMBER_SUBNET = 'loadbalancer.openstack.org/member-subnet-id';
const OTHER = '7d7d7d7d-0000-4000-8000-000000000002';
const THIRD = '7d7d7d7d-0000-4000-8000-000000000003';

let it: SandboxWorld;
/** With two more subnets in the network of the Nodes. */
async function start(...given: Parameters<typeof aWorld>): Promise<void> {
  it = await aWorld(...given);
  const { subnets } = it.cloud;
  const [first] = subnets.filter(({ cidr }) => cidr.startsWith('10.'));
  if (!first) throw new Error('no subnet');
  subnets.push({ ...first, id: OTHER, cidr: '10.8.0.0/16' }, { ...first, id: THIRD, cidr: '10.9.0.0/16' });
}

/** Null takes the annotation away. */
const ask = (subnet: string | null) => it.edit({ annotations: { [MEMBER_SUBNET]: subnet } });
const poolInUse = (): unknown => it.cloud.listeners[0]?.default_pool_id;
const subnetsIn = (pool: unknown): readonly unknown[] =>
  it.cloud.members.filter(({ pool_id }) => pool_id === pool).map((member) => member['subnet_id']);

/** What the pool in use had of subnets after each run, until it came to rest or that was there. */
async function runs(isEnough = (): boolean => false): Promise<readonly string[]> {
  const seen: string[] = [];
  for (let count = 0; count < 100 && !isEnough(); count += 1) {
    const { outcome } = await it.once();
    seen.push(subnetsIn(poolInUse()).join());
    if (outcome.status !== 'progressing') break;
    await pause(100);
  }
  return seen;
}

test('another member subnet that is changed again on the way is never turned to', async () => {
  await start({ pendingMs: 300 });
  await it.make();
  const theirs = subnetsIn(poolInUse()).join();
  ask(OTHER);
  await runs(() => it.cloud.members.some((member) => member['subnet_id'] === OTHER));
  ask(THIRD);

  const seen = await runs();

  expect([...new Set(seen)]).toEqual([theirs, [THIRD, THIRD, THIRD].join()]);
  expect(it.cloud.pools.map(({ id }) => id)).toEqual([poolInUse()]);
});

test('the security group stays open to members that stay, when their subnet is not asked for any more', async () => {
  await start({}, { manageSecurityGroups: true });
  const opened = (): readonly string[] =>
    it.cloud.securityGroupRules
      .filter((rule) => rule['direction'] === 'ingress' && String(rule['remote_ip_prefix']).startsWith('10.'))
      .map((rule) => `${String(rule['port_range_min'])} ${String(rule['remote_ip_prefix'])}`)
      .sort();
  const spec = { ports: [{ name: 'a', port: 80, nodePort: 30_080 }] };
  await it.make({ annotations: { [MEMBER_SUBNET]: OTHER }, spec });
  expect(opened()).toEqual(['30080 10.8.0.0/16']);

  ask(null);
  await it.settle('web');
  await it.sweepUntilSettled();
  expect(subnetsIn(poolInUse())).toEqual([OTHER, OTHER, OTHER]);
  expect(opened()).toEqual(['30080 10.0.0.0/24', '30080 10.8.0.0/16']);
});

/** A Node whose server has ports in these networks; the addresses of the ports. */
function addNode(
  networks: readonly string[],
  addressesOf: (ips: readonly string[]) => object,
): readonly string[] {
  const { id } = it.cloud.addNovaServer('a', { networks });
  const ports = it.cloud.ports.filter(({ device_id: device }) => device === id);
  const ips = ports.map(({ fixed_ips: fixed }) => fixed[0]?.ip_address ?? '');
  const [spec, status] = [{ providerID: `openstack:///${id}` }, { addresses: addressesOf(ips) }];
  it.kube.apply({ kind: 'Node', metadata: { name: 'a' }, spec, status });
  it.kube.setReady('a', true);
  return ips;
}

test.each([
  [true, '10.60.0.', 'serves at'],
  [false, '10.0.0.', '"10.60.0.200" is not taken, although it lies in 10.60.0.0/24'],
])('ExternalIPs in a member subnet are members, or named; on port: %s', async (isOnPort, start, told) => {
  it = await aWorld({ nodes: 0 });
  it.cloud.addNetwork('data', '10.60.0.0/24');
  addNode(['private', 'data'], ([inside, data]) => [
    { type: 'InternalIP', address: inside },
    { type: 'ExternalIP', address: isOnPort ? data : '10.60.0.200' },
  ]);
  const { id = '' } = it.cloud.subnets.find(({ cidr }) => cidr === '10.60.0.0/24') ?? {};

  await it.make({ annotations: { [MEMBER_SUBNET]: id } });

  expect(it.cloud.members.map(({ address }) => address.startsWith(start))).toEqual([true]);
  expect(it.told()).toContain(told);
});

test('a Node that names its address in another network of the same range first is a member at its port in the member subnet', async () => {
  it = await aWorld({ nodes: 0 });
  const { id = '' } = it.cloud.subnets.find(({ cidr }) => cidr === '10.0.0.0/24') ?? {};
  it.cloud.addNetwork('data', '10.0.0.0/24');
  const ips = addNode(['data', 'private'], (all) => all.map((address) => ({ type: 'InternalIP', address })));

  await it.make({ annotations: { [MEMBER_SUBNET]: id } });

  expect(it.cloud.members).toMatchObject([{ address: ips[1], subnet_id: id }]);
});
