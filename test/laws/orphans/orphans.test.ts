/** What becomes of what a cluster that is gone, or Services that are lost, have left in OpenStack. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { FaultRule } from '../../../infra/sandbox/fault-rules.ts';
import { observeBelongings } from '../../../shared/gc/belongings.ts';
import { planGc } from '../../../shared/gc/plan-gc.ts';
import { runGc } from '../../../shared/gc/run-gc.ts';
import { DAY_MS, gcPlanOf, startCluster, type Cluster } from '../../support/clusters/cluster.ts';
import { untouchable, whatIsThere } from '../../support/clusters/untouchable.ts';
import { aConfig } from '../../support/config.ts';
import { aService } from '../../support/service.ts';
import { forAll } from '../seed.ts';

const { loadBalancer: managed } = aConfig(undefined, { manageSecurityGroups: true });

/** What makes a load balancer of the cluster that is gone one that others may need. */
const SPOILS = {
  nothing: undefined,
  shared: 'levelset-shared=default/edge',
  owner: 'levelset-owner=default/s0',
  allowed: 'levelset-allow=*',
  'two names': 'levelset-name=default/another',
  'two clusters': 'levelset-cluster=0b9d8e7f-0000-4000-8000-00000000000c',
  'a foreign listener': undefined,
  'a foreign pool': undefined,
  'a name of a person': undefined,
} as const;
const kinds = Object.keys(SPOILS) as Spoil[];

type Spoil = keyof typeof SPOILS;

async function spoil({ inside: { cloud }, world }: Cluster, at: number, how: Spoil): Promise<void> {
  const own = `levelset-cluster=${await world.kube.clusterId()}`;
  const lb = cloud.loadbalancers.find(({ name, tags }) => name.endsWith(`_s${at}`) && tags.includes(own));
  if (!lb) throw new Error(`there is no load balancer of s${at}`);
  const tag = SPOILS[how];
  if (tag !== undefined) Object.assign(lb, { tags: [...lb.tags, tag] });
  if (how === 'a name of a person') Object.assign(lb, { name: 'edge' });
  const theirs = { loadbalancer_id: lb.id, protocol: 'TCP', name: 'theirs' };
  if (how === 'a foreign listener') await world.cloud.create('listener', { ...theirs, protocol_port: 8080 });
  if (how === 'a foreign pool') await world.cloud.create('pool', { ...theirs, lb_algorithm: 'ROUND_ROBIN' });
}

test('gc of a cluster that was deleted together with its Services takes all that is its own alone, and nothing that anybody else has or may need', () =>
  forAll(fc.array(fc.constantFrom(...kinds), { minLength: 1, maxLength: 3 }), async (spoils) => {
    const alive = startCluster();
    await alive.create('s0');
    const gone = startCluster({ loadBalancer: managed }, alive);
    await gone.create(...spoils.map((_, at) => `s${at}`));
    await untouchable(alive);
    await untouchable(gone);
    for (const [at, how] of spoils.entries()) await spoil(gone, at, how);
    const before = whatIsThere(gone.inside);
    alive.inside.advanceClock(DAY_MS + 1_000);

    const plan = await gcPlanOf(gone, alive);
    expect(plan.problems).toEqual([]);
    const { failed } = await runGc(plan, alive.world.cloud);
    expect(failed).toEqual([]);
    alive.inside.advanceClock(1_000);
    await observeBelongings(alive.world.cloud);

    const after = whatIsThere(gone.inside);
    const goes = (of: string): boolean => spoils[Number(of.replace('ours/s', ''))] === 'nothing';
    const text = (all: typeof before) => all.map(({ kind, id }) => `${kind} ${id}`).sort();
    expect(text(after)).toEqual(text(before.filter(({ of }) => !goes(of))));
    const others = (all: typeof before): typeof before => all.filter(({ of }) => of === 'others');
    expect(others(after)).toEqual(others(before));
    expect((await gcPlanOf(gone, alive)).steps).toEqual([]);
  }));

describe('gc refuses', () => {
  const asked = { unwrittenForMs: DAY_MS, now: Date.UTC(2027, 0, 1), answering: undefined };
  const early = { now: Date.UTC(2026, 0, 1, 23) };

  test.each<[string, 'gone' | 'alive' | 'nobody', Partial<Parameters<typeof planGc>[1]>, RegExp]>([
    ['the cluster of the kubeconfig', 'alive', {}, /this is the cluster of the kubeconfig/],
    ['one written lately', 'gone', early, /^it was written at .*, and --unwritten-for is 86400 s/],
    ['one whose members answer', 'gone', { answering: '10.0.0.5:30080' }, /10.0.0.5:30080 answers/],
    ['one that nothing in the project names', 'nobody', {}, /nothing in this project has the tag/],
  ])('%s', async (_what, which, question, why) => {
    const alive = startCluster();
    const gone = startCluster({}, alive);
    await alive.create('s0');
    await gone.create('s1');
    const thisOne = await alive.world.kube.clusterId();
    const ids = { gone: await gone.world.kube.clusterId(), alive: thisOne, nobody: 'nobody' };
    const all = await observeBelongings(alive.world.cloud);
    const { problems, steps } = planGc(all, { ...asked, thisOne, id: ids[which], ...question });
    expect(steps).toEqual([]);
    expect(problems.map(({ message }) => message).join()).toMatch(why);
  });
});

test('gc plans nothing while one of its lists fails', async () => {
  const { inside, world } = startCluster();
  const ofOctavia = ['loadbalancers', 'listeners', 'pools'].map((list) => `lbaas/${list}`);
  for (const list of [...ofOctavia, 'floatingips', 'security-groups', 'ports', 'v1/secrets']) {
    const match = { side: 'openstack', method: 'GET', path: new RegExp(`/${list}(\\?|$)`) } as const;
    const heal = inside.fault({ match, kind: 'fail-before', times: Infinity, status: 403 });
    await expect(observeBelongings(world.cloud)).rejects.toMatchObject({ code: 'FORBIDDEN' });
    heal();
  }
});

const DELAY_MS = 600_000;
const NAMES = ['s0', 's1', 's2'] as const;
const ID = 'loadbalancer.openstack.org/load-balancer-id';

const listFails = (path: RegExp, more: object): FaultRule => ({
  match: { side: 'openstack', method: 'GET', path },
  ...{ kind: 'fail-before', times: Infinity, ...more },
});
const LBS = /\/lbaas\/loadbalancers\?/;

/** What goes wrong with a list: a service that is down, one without rights, and a second page that never comes. */
const FAULTS: Readonly<Record<string, FaultRule | undefined>> = {
  nothing: undefined,
  octavia: listFails(LBS, { status: 503 }),
  'one page': listFails(LBS, {
    status: 200,
    body: { loadbalancers: [], loadbalancers_links: [{ rel: 'next', href: 'http://any/?marker=' }] },
  }),
  neutron: listFails(/\/floatingips\?/, {
    status: 403,
    body: { NeutronError: { type: 'Forbidden', message: 'no', detail: '' } },
  }),
};

const WORLDS = fc.record({
  lost: fc.uniqueArray(fc.constantFrom(...NAMES), { minLength: 1, maxLength: 3 }),
  /** s1 is on the load balancer of s0. */
  shares: fc.boolean(),
  fault: fc.constantFrom(...Object.keys(FAULTS)),
  percent: fc.constantFrom(0, 34, 100),
});

async function start(shares: boolean, percent: number): Promise<Cluster> {
  const config = { orphanDelayMs: DELAY_MS, deletionPercent: percent, loadBalancer: managed };
  const ours = startCluster(config);
  await ours.create('s0', 's2');
  const [s0] = ours.inside.cloud.loadbalancers;
  const ports = [{ name: 'other', port: 81, nodePort: 30_081, protocol: 'TCP' }];
  const annotations = shares ? { [ID]: s0?.id ?? '' } : {};
  ours.inside.kube.apply(aService({ name: 's1', annotations, spec: { ports } }));
  await ours.run({ key: 'service/default/s1', trigger: 'audit' });
  await startCluster({}, ours).create('s0', 's9');
  await untouchable(ours);
  await ours.sweepToRest();
  return ours;
}

test('what becomes of what Services have left nothing of others goes, nothing in quarantine, nothing while a list fails; then all that the budget allows', () =>
  forAll(WORLDS, async ({ lost, shares, fault, percent }) => {
    const ours = await start(shares, percent);
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
    const isLost = (of: string): boolean => lost.some((name) => of === `ours/${name}`);
    const loadBalancers = new Set(shares ? lost.map((name) => (name === 's1' ? 's0' : name)) : lost).size;
    const all = shares ? 2 : 3;
    const most = percent === 0 ? 0 : Math.max(1, Math.floor((all * percent) / 100));
    const after = whatIsThere(ours.inside);
    const stays = before.filter(({ of }) => !isLost(of));
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
  }));
