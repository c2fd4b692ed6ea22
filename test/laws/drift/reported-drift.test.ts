/** Drift that is only reported stays, but for what is missing, and is told of no longer than it lasts. */
import { describe, expect, test } from 'vitest';
import { THOROUGH } from '../seed.ts';
import { startDriftWorld, withoutIds } from './drift-world.ts';
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

const isReady = ({ inside }: DriftWorld): boolean =>
  inside.kube
    .list('Service')
    .every(({ status }) =>
      JSON.stringify(status).includes('"type":"levelset.openstack.org/Ready","status":"True"'),
    );

async function sweepSome(it: DriftWorld): Promise<void> {
  for (let sweeps = 0; sweeps < 4; sweeps += 1) {
    await it.sweepOnce();
    it.inside.clock.advance(60_000);
  }
}

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

describe('what is missing is made', () => {
  test.each(Object.keys(GONE))('%s', async (what) => {
    const it = await startDriftWorld(['http', 'tls'], REPORT);
    const before = withoutIds(it.picture());
    it.inside.clock.advance(60_000);
    await GONE[what]?.(it);
    it.inside.clock.advance(60_000);
    expect((await it.sweepOnce()).drift).not.toEqual([]);
    await sweepSome(it);
    expect(withoutIds(it.picture())).toEqual(before);
    expect(isReady(it)).toBe(true);
    expect(JSON.stringify(it.inside.kube.list('Event'))).toContain('levelset undoes it');
  });

  test('members, while what is changed beside them stays', async () => {
    const it = await startDriftWorld([], REPORT);
    const { members, pools } = it.inside.cloud;
    const [member] = members;
    it.byHand(() => {
      if (member) members.remove(member);
      for (const pool of pools) pool['lb_algorithm'] = 'SOURCE_IP';
    });
    const count = members.length;
    await sweepSome(it);
    expect(members.length).toBe(count + 1);
    expect(pools.map((pool) => pool['lb_algorithm'])).toEqual(pools.map(() => 'SOURCE_IP'));
  });
});

/** What happens to a settled Service whose drift is only reported. */
const STORIES: Readonly<Record<string, (it: DriftWorld) => Promise<void> | void>> = {
  ...GONE,
  'asks for something else': (it) => {
    it.apply({
      'loadbalancer.openstack.org/connection-limit': '7',
      'levelset.openstack.org/member-weights': 'node-1=9',
    });
  },
  'gets a Node more': ({ inside }) => {
    inside.kube.addNode('node-more');
  },
  'is made anew': async (it) => {
    it.apply({}, 'ClusterIP');
    await it.sweepOnce();
    it.apply();
  },
};

describe('killed at any write, a Service becomes Ready as if nothing had happened, with the state emptied, too', () => {
  test.each(Object.keys(STORIES))('%s', async (name) => {
    const play = async (
      kind?: 'fail-before' | 'fail-after',
      nth = 1,
    ): Promise<readonly [unknown, number]> => {
      const it = await startDriftWorld(['http', 'tls'], REPORT);
      it.inside.clock.advance(60_000);
      await STORIES[name]?.(it);
      const writes = it.inside.requests.length;
      const match = { write: true, nth };
      const clear = kind ? it.inside.fault({ match, kind, times: Infinity }) : undefined;
      await it.sweepOnce().catch(() => undefined);
      const made = it.inside.requests.slice(writes).filter(({ write }) => write).length;
      clear?.();
      it.restart();
      it.inside.clock.advance(120_000);
      if (nth % 3 === 0)
        for (const { metadata } of it.inside.kube.list('ConfigMap', 'levelset'))
          if (metadata.name.startsWith('levelset-state'))
            it.inside.kube.delete('ConfigMap', 'levelset', metadata.name);
      await sweepSome(it);
      expect(isReady(it), `${kind ?? 'not killed'} at write ${nth}`).toBe(true);
      return [withoutIds(it.picture()), made];
    };
    const [whole, writes] = await play();
    expect(writes).toBeGreaterThan(0);
    for (let nth = 1; nth <= writes; nth += THOROUGH ? 1 : 3)
      for (const kind of ['fail-before', 'fail-after'] as const)
        expect((await play(kind, nth))[0], `${kind} at write ${nth}`).toEqual(whole);
  });
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
