import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { FaultRule } from '../../../infra/sandbox/fault-rules.ts';
import { aConfig } from '../../support/config.ts';
import { aService } from '../../support/service.ts';
import { startCluster, type Cluster } from '../../support/clusters/cluster.ts';
import { untouchable, whatIsThere } from '../../support/clusters/untouchable.ts';
import { THOROUGH } from '../seed.ts';

const DELAY_MS = 600_000;
const NAMES = ['s0', 's1', 's2'] as const;
const ID = 'loadbalancer.openstack.org/load-balancer-id';

const octaviaFails = (more: object): FaultRule => ({
  match: { side: 'openstack', method: 'GET', path: /\/lbaas\/loadbalancers\?/ },
  kind: 'fail-before',
  times: Infinity,
  ...more,
});

/** What goes wrong with a list: a service that is down, one without rights, and a second page that never comes. */
const FAULTS: Readonly<Record<string, FaultRule | undefined>> = {
  nothing: undefined,
  octavia: octaviaFails({ status: 503 }),
  'one page': octaviaFails({
    status: 200,
    body: { loadbalancers: [], loadbalancers_links: [{ rel: 'next', href: 'http://any/?marker=' }] },
  }),
  neutron: {
    match: { side: 'openstack', method: 'GET', path: /\/floatingips\?/ },
    kind: 'fail-before',
    times: Infinity,
    status: 403,
    body: { NeutronError: { type: 'Forbidden', message: 'no', detail: '' } },
  },
};

const WORLDS = fc.record({
  lost: fc.uniqueArray(fc.constantFrom(...NAMES), { minLength: 1, maxLength: 3 }),
  /** s1 is on the load balancer of s0. */
  shares: fc.boolean(),
  fault: fc.constantFrom(...Object.keys(FAULTS)),
  percent: fc.constantFrom(0, 34, 100),
});

async function start({ shares, percent }: { shares: boolean; percent: number }): Promise<{
  ours: Cluster;
  theirs: Cluster;
}> {
  const loadBalancer = { ...aConfig().loadBalancer, manageSecurityGroups: true };
  const ours = startCluster({ orphanDelayMs: DELAY_MS, deletionPercent: percent, loadBalancer });
  await ours.create('s0', 's2');
  const [s0] = ours.inside.cloud.loadbalancers;
  const ports = [{ name: 'other', port: 81, nodePort: 30_081, protocol: 'TCP' }];
  const annotations = shares ? { [ID]: s0?.id ?? '' } : {};
  ours.inside.kube.apply(aService({ name: 's1', annotations, spec: { ports } }));
  await ours.run({ key: 'service/default/s1', trigger: 'audit' });
  const theirs = startCluster({}, ours);
  await theirs.create('s0', 's9');
  await untouchable(ours);
  for (let sweeps = 0; sweeps < 2; sweeps += 1) {
    ours.inside.advanceClock(3_000);
    await ours.sweep();
  }
  return { ours, theirs };
}

test('what becomes of what Services have left nothing of others goes, nothing in quarantine, nothing while a list fails; then all that the budget allows', () =>
  fc.assert(
    fc.asyncProperty(WORLDS, async ({ lost, shares, fault, percent }) => {
      const { ours } = await start({ shares, percent });
      const before = whatIsThere(ours.inside);
      ours.lose(...lost);
      await ours.sweep();
      ours.inside.advanceClock(DELAY_MS - 1_000);
      await ours.sweep();
      expect(whatIsThere(ours.inside)).toEqual(before);

      const rule = FAULTS[fault];
      ours.inside.advanceClock(2_000);
      if (rule) {
        const restore = ours.inside.fault(rule);
        await ours.sweep();
        await ours.sweep();
        expect(whatIsThere(ours.inside)).toEqual(before);
        restore();
      }
      await ours.sweep();
      await ours.sweep();

      const isShared = shares && lost.includes('s0') !== lost.includes('s1');
      const isLost = (name: string): boolean => NAMES.some((one) => one === name && lost.includes(one));
      const loadBalancers = new Set(shares ? lost.map((name) => (name === 's1' ? 's0' : name)) : lost).size;
      const all = shares ? 2 : 3;
      const most = percent === 0 ? 0 : Math.max(1, Math.floor((all * percent) / 100));
      const after = whatIsThere(ours.inside);
      const stays = before.filter(({ of }) => !of.startsWith('ours/') || !isLost(of.slice('ours/'.length)));
      const areThere = (list: typeof before): number =>
        list.filter(({ of, kind }) => of.startsWith('ours/') && kind === 'loadbalancer').length;
      if (most === 0) expect(after).toEqual(before);
      else if (!isShared && loadBalancers > most) expect(areThere(before) - areThere(after)).toBe(most);
      else if (!isShared) expect(after).toEqual(stays);
      // a load balancer that another Service is on stays, with the address
      else {
        expect(after.filter(({ of }) => of === 'others')).toEqual(before.filter(({ of }) => of === 'others'));
        const ids = after.map(({ id }) => id);
        const kept = before.filter(({ of, kind }) => of === 'ours/s0' && kind === 'loadbalancer');
        for (const { id } of kept) expect(ids).toContain(id);
      }
    }),
    { numRuns: THOROUGH ? 150 : 5 },
  ));
