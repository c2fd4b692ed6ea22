import { afterEach, beforeEach, expect, test } from 'vitest';
import { aService } from '../../support/service.ts';
import { pause, run, startSandboxWorld, type SandboxWorld } from '../../support/sandbox-world.ts';
import { readyOf } from '../../support/told.ts';

const MEMBER_SUBNET = 'loadbalancer.openstack.org/member-subnet-id';
const OTHER = '7d7d7d7d-0000-4000-8000-000000000002';
const THIRD = '7d7d7d7d-0000-4000-8000-000000000003';

let it: SandboxWorld;
beforeEach(async () => {
  it = await startSandboxWorld({ pendingMs: 300 });
  const { subnets } = it.sandbox.cloud;
  const [first] = subnets.filter(({ cidr }) => cidr.startsWith('10.'));
  if (!first) throw new Error('no subnet');
  subnets.push({ ...first, id: OTHER, cidr: '10.8.0.0/16' }, { ...first, id: THIRD, cidr: '10.9.0.0/16' });
  it.sandbox.kube.apply(aService());
  await it.settle('web');
});
afterEach(() => it.close());

/** Null takes the annotation away. */
const ask = (subnet: string | null): void => {
  const metadata = { name: 'web', namespace: 'default', annotations: { [MEMBER_SUBNET]: subnet } };
  it.sandbox.kube.apply({ kind: 'Service', metadata });
};
const poolInUse = (): unknown => it.sandbox.cloud.listeners[0]?.default_pool_id;
const subnetsIn = (pool: unknown): readonly unknown[] =>
  it.sandbox.cloud.members.filter(({ pool_id }) => pool_id === pool).map((member) => member['subnet_id']);

/** What the pool in use had of subnets after each run, until it came to rest or that was there. */
async function runs(isEnough = (): boolean => false): Promise<readonly string[]> {
  const seen: string[] = [];
  for (let count = 0; count < 100 && !isEnough(); count += 1) {
    const { outcome } = await run({ key: 'service/default/web', trigger: 'audit' }, it.world);
    seen.push(subnetsIn(poolInUse()).join());
    if (outcome.status !== 'progressing') break;
    await pause(100);
  }
  return seen;
}

test('another member subnet that is changed again on the way is never turned to', async () => {
  const theirs = subnetsIn(poolInUse()).join();
  ask(OTHER);
  await runs(() => it.sandbox.cloud.members.some((member) => member['subnet_id'] === OTHER));
  ask(THIRD);

  const seen = await runs();

  expect([...new Set(seen)]).toEqual([theirs, [THIRD, THIRD, THIRD].join()]);
  expect(it.sandbox.cloud.pools.map(({ id }) => id)).toEqual([poolInUse()]);
});

test('the security group stays open to members that stay, when their subnet is not asked for any more', async () => {
  await it.close();
  it = await startSandboxWorld({}, { manageSecurityGroups: true });
  const { subnets } = it.sandbox.cloud;
  const [first] = subnets.filter(({ cidr }) => cidr.startsWith('10.'));
  if (first) subnets.push({ ...first, id: OTHER, cidr: '10.8.0.0/16' });
  const opened = (): readonly string[] =>
    it.sandbox.cloud.securityGroupRules
      .filter((rule) => rule['direction'] === 'ingress' && String(rule['remote_ip_prefix']).startsWith('10.'))
      .map((rule) => `${String(rule['port_range_min'])} ${String(rule['remote_ip_prefix'])}`)
      .sort();
  it.sandbox.kube.apply(aService({ spec: { ports: [{ name: 'a', port: 80, nodePort: 30_080 }] } }));
  ask(OTHER);
  await it.settle('web');
  expect(opened()).toEqual(['30080 10.8.0.0/16']);

  ask(null);
  await it.settle('web');
  await it.sweepUntilSettled();
  expect(subnetsIn(poolInUse())).toEqual([OTHER, OTHER, OTHER]);
  expect(opened()).toEqual(['30080 10.0.0.0/24', '30080 10.8.0.0/16']);
});

const DATA = '10.60.0.0/24';
/** Nodes with a port in the cluster's network and one in another, which is public to Nova. */
async function withDataNetwork(isOnPort: boolean): Promise<SandboxWorld> {
  const world = await startSandboxWorld({ nodes: 0 });
  const { cloud, kube } = world.sandbox;
  cloud.addNetwork('data', DATA);
  for (const name of ['a', 'b']) {
    const { id } = cloud.addNovaServer(name, { networks: ['private', 'data'] });
    const ports = cloud.ports.filter(({ device_id: device }) => device === id);
    const [inside = '', data = ''] = ports.map(({ fixed_ips: fixed }) => fixed[0]?.ip_address);
    kube.apply({
      kind: 'Node',
      metadata: { name },
      spec: { providerID: `openstack:///${id}` },
      status: {
        addresses: [
          { type: 'InternalIP', address: inside },
          { type: 'ExternalIP', address: isOnPort ? data : '10.60.0.200' },
        ],
      },
    });
  }
  const subnet = cloud.subnets.find(({ cidr }) => cidr === DATA);
  kube.apply(aService({ annotations: { [MEMBER_SUBNET]: subnet?.id ?? '' } }));
  await world.settle('web');
  return world;
}

test.each([
  [true, '10.60.0.', 'serves at'],
  [false, '10.0.0.', '"10.60.0.200" is not taken, although it lies in 10.60.0.0/24'],
])(
  'a member subnet in which Nodes have ExternalIPs has them as members if ports of their servers have them (%s), or the condition says why not',
  async (isOnPort, start, told) => {
    const world = await withDataNetwork(isOnPort);
    try {
      const { members } = world.sandbox.cloud;
      expect(members.map(({ address }) => address.startsWith(start))).toEqual([true, true]);
      expect(readyOf(world.sandbox)?.message).toContain(told);
    } finally {
      await world.close();
    }
  },
);

test.each([
  ['both networks have one range', '10.0.0.0/24', '10.0.0.0/24'],
  ['the range of the member subnet spans both', '10.60.0.0/24', '10.0.0.0/8'],
])(
  'a Node that names its address in another network first is a member at its port in the member subnet: %s',
  async (_, other, own) => {
    const world = await startSandboxWorld({ nodes: 0 });
    try {
      const { cloud, kube } = world.sandbox;
      cloud.addNetwork('data', other);
      const subnet = cloud.subnets.find(({ cidr, name }) => cidr === '10.0.0.0/24' && name !== 'data-v4');
      const inside: unknown[] = [];
      for (const networks of [['private'], ['data', 'private']]) {
        const name = networks.join('-');
        const { id } = cloud.addNovaServer(name, { networks });
        const ports = cloud.ports.filter(({ device_id: device }) => device === id);
        const addresses = ports.map(({ fixed_ips: fixed }) => ({
          type: 'InternalIP',
          address: fixed[0]?.ip_address ?? '',
        }));
        inside.push(addresses.at(-1)?.address);
        const spec = { providerID: `openstack:///${id}` };
        kube.apply({ kind: 'Node', metadata: { name }, spec, status: { addresses } });
        kube.setReady(name, true);
      }
      Object.assign(subnet ?? {}, { cidr: own });
      kube.apply(aService({ annotations: { [MEMBER_SUBNET]: subnet?.id ?? '' } }));
      await world.settle('web');

      const found = cloud.members.map((member) => [member.address, member['subnet_id']]);
      expect(found.sort()).toEqual(inside.map((address) => [address, subnet?.id]).sort());
    } finally {
      await world.close();
    }
  },
);
