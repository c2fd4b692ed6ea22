/** Drift that is only reported stays, but for what is missing, and is told of no longer than it lasts. */
import { describe, expect, test } from 'vitest';
import { startDriftWorld, type DriftWorld } from './drift-world.ts';

const REPORT = { 'levelset.openstack.org/drift': 'report' };

test('stays when the same run mends a listener in ERROR', async () => {
  const it = await startDriftWorld(['http'], REPORT);
  const [[pool], [listener]] = [[...it.inside.cloud.pools], [...it.inside.cloud.listeners]];
  if (!pool || !listener) throw new Error('nothing was made');
  it.byHand(() => {
    pool['lb_algorithm'] = 'SOURCE_IP';
    listener.provisioning_status = 'ERROR';
  });
  for (let sweeps = 0; sweeps < 3; sweeps += 1) {
    await it.sweepOnce();
    it.inside.clock.advance(60_000);
  }
  expect([pool['lb_algorithm'], listener.provisioning_status]).toEqual(['SOURCE_IP', 'ACTIVE']);
});

async function sweepSome(it: DriftWorld): Promise<void> {
  for (let sweeps = 0; sweeps < 4; sweeps += 1) {
    await it.sweepOnce();
    it.inside.clock.advance(60_000);
  }
}

describe('what only a new pool mends', () => {
  const OTHER = 'dddddddd-0000-4000-8000-000000000001';
  const twoSubnets = async (mode: string): Promise<DriftWorld> => {
    const it = await startDriftWorld([], { 'levelset.openstack.org/drift': mode }, 2, false);
    const [own] = it.inside.cloud.members;
    const subnet = [...it.inside.cloud.subnets].find(({ id }) => id === own?.['subnet_id']);
    if (!subnet) throw new Error('the members have no subnet');
    it.inside.cloud.subnets.push({ ...subnet, id: OTHER, name: 'second' });
    it.inside.clock.advance(60_000);
    return it;
  };
  const followsNodes = async (it: DriftWorld): Promise<void> => {
    it.inside.kube.addNode('node-more');
    it.inside.clock.advance(60_000);
    await sweepSome(it);
    const { members, pools } = it.inside.cloud;
    for (const { id } of pools)
      expect([...members].filter((one) => one.pool_id === id && one.name.includes('node-more'))).toHaveLength(
        1,
      );
    expect(it.isReady()).toBe(true);
  };

  test.each(['report', 'repair'])(
    'is made where the Service asks for it, and is no drift: %s',
    async (mode) => {
      const it = await twoSubnets(mode);
      it.apply({ 'loadbalancer.openstack.org/member-subnet-id': OTHER });
      expect((await it.sweepOnce()).drift).toEqual([]);
      await sweepSome(it);
      expect(new Set([...it.inside.cloud.members].map((one) => one['subnet_id']))).toEqual(new Set([OTHER]));
      await followsNodes(it);
    },
  );

  test('stays where a person made it, until a Node comes', async () => {
    const it = await twoSubnets('report');
    it.apply({ 'loadbalancer.openstack.org/member-subnet-id': OTHER });
    await sweepSome(it);
    const [member] = it.inside.cloud.members;
    it.byHand(() => Object.assign(member ?? {}, { subnet_id: null }));
    const { drift, reports } = await it.sweepOnce();
    expect(drift).not.toEqual([]);
    expect(reports.map(({ outcome }) => outcome.status)).toEqual(['settled']);
    expect(reports.flatMap(({ applied }) => applied)).toEqual([]);
    await followsNodes(it);
  });
});

test('of members that a person took away or changed, only the missing one is made, and their pool stays', async () => {
  const it = await startDriftWorld(['members'], REPORT, 3);
  const { members, pools } = it.inside.cloud;
  const [pool] = pools;
  const own = [...members].filter((one) => one.pool_id === pool?.id);
  it.byHand(() => {
    Object.assign(own[0] ?? {}, { weight: 0 });
    if (own[1]) members.remove(own[1]);
    for (const one of pools) one['lb_algorithm'] = 'SOURCE_IP';
  });
  await sweepSome(it);
  expect([...members].filter((one) => one.pool_id === pool?.id)).toHaveLength(3);
  expect(own[0]?.['weight']).toBe(0);
  expect(pools.map((one) => one['lb_algorithm'])).toEqual(pools.map(() => 'SOURCE_IP'));
});

test('of a port in Neutron is told, and a sweep tells of its end', async () => {
  const it = await startDriftWorld([], REPORT);
  const [port] = it.inside.cloud.ports.filter(({ device_owner: owner }) =>
    owner.startsWith('compute:'),
  ) as object[] as { security_groups: string[] }[];
  if (!port) throw new Error('there is no port');
  const before = port.security_groups;
  port.security_groups = [];
  expect(JSON.stringify((await it.sweepOnce()).drift)).toContain('"attribute":"security_groups"');
  const condition = (): string => JSON.stringify(it.inside.kube.list('Service').map((one) => one.status));
  expect(condition()).toContain('drift: ~ port/');
  port.security_groups = before;
  it.inside.clock.advance(300_000);
  await it.sweepOnce();
  expect(condition()).not.toContain('drift: ~ port/');
});
