/** Drift that is only reported stays, whatever else the same run does, and is told of no longer than it lasts. */
import { describe, expect, test } from 'vitest';
import { startDriftWorld } from './drift-world.ts';
import type { DriftWorld } from './drift-world.ts';

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

const GONE: Readonly<Record<string, (it: DriftWorld) => Promise<void>>> = {
  'load balancer': ({ hand, inside }) =>
    hand.remove('loadbalancer', first(inside.cloud.loadbalancers), { cascade: true }),
  listener: ({ hand, inside }) => hand.remove('listener', first(inside.cloud.listeners)),
  pool: ({ hand, inside }) => hand.remove('pool', first(inside.cloud.pools)),
  monitor: ({ hand, inside }) => hand.remove('healthmonitor', first(inside.cloud.healthmonitors)),
  'floating IP': ({ hand, inside }) => hand.remove('floatingip', first(inside.cloud.floatingips)),
};

function first(rows: Iterable<{ readonly id: string }>): string {
  const [row] = rows;
  if (!row) throw new Error('nothing was made');
  return row.id;
}

describe('what is gone stays away', () => {
  test.each(Object.keys(GONE))('%s', async (what) => {
    const it = await startDriftWorld(['http', 'tls'], REPORT);
    it.inside.clock.advance(60_000);
    await GONE[what]?.(it);
    it.inside.clock.advance(60_000);
    const before = it.writes().length;
    const told: number[] = [];
    for (let sweeps = 0; sweeps < 4; sweeps += 1) {
      const { drift, reports } = await it.sweepOnce();
      told.push(drift.length);
      expect(reports.map(({ outcome }) => outcome.status).filter((status) => status !== 'settled')).toEqual(
        [],
      );
      it.inside.clock.advance(60_000);
    }
    expect(it.writes().slice(before)).toEqual([]);
    expect(told[0]).toBeGreaterThan(0);
  });
});

test('of a port in Neutron it costs no sweep a run, and a sweep tells of its end', async () => {
  const it = await startDriftWorld([], REPORT);
  const [port] = it.inside.cloud.ports.filter(({ device_owner: owner }) =>
    owner.startsWith('compute:'),
  ) as object[] as { security_groups: string[] }[];
  if (!port) throw new Error('there is no port');
  const before = port.security_groups;
  port.security_groups = [];
  const [changed, known] = [await it.sweepOnce(), await it.sweepOnce()];
  expect(changed.drift.map(({ kind, attribute }) => `${kind} ${attribute}`)).toEqual([
    'port security_groups',
  ]);
  expect(known.reports).toEqual([]);
  const condition = (): string => JSON.stringify(it.inside.kube.list('Service').map((one) => one.status));
  expect(condition()).toContain('drift: port/');
  port.security_groups = before;
  it.inside.clock.advance(300_000);
  await it.sweepOnce();
  expect(condition()).not.toContain('drift: port/');
});

test('of more members than are recorded one by one is told once, in a small record, and left as a whole', async () => {
  const it = await startDriftWorld([], REPORT, 65);
  const { members } = it.inside.cloud;
  const pool = members[0]?.pool_id;
  it.byHand(() => {
    for (const member of [...members].filter((one) => one.pool_id === pool).slice(0, 62))
      members.remove(member);
  });
  const [changed, known] = [await it.sweepOnce(), await it.sweepOnce()];
  expect(changed.drift).toHaveLength(62);
  expect(known.reports).toEqual([]);
  const states = it.inside.kube
    .list('ConfigMap', 'levelset')
    .filter(({ data }) => JSON.stringify(data).includes('inFull'));
  expect(JSON.stringify(states.map(({ data }) => data)).length).toBeLessThan(500);
  const condition = JSON.stringify(it.inside.kube.list('Service').map(({ status }) => status));
  expect(condition).toMatch(
    /changes nothing about members at tcp\/(80|443|5432) any more; drift: repair ends that/,
  );

  it.inside.kube.addNode('node-more');
  it.inside.clock.advance(60_000);
  await it.sweepOnce();
  const withMore = members.filter(({ name }) => name.includes('node-more')).map(({ pool_id: id }) => id);
  expect(withMore).toHaveLength(2);
  expect(withMore).not.toContain(pool);

  it.apply({ 'levelset.openstack.org/drift': 'repair' });
  await it.sweepOnce();
  expect(members.filter((one) => one.pool_id === pool)).toHaveLength(66);
});
