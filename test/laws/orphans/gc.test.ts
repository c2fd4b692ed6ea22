import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { observeBelongings } from '../../../shared/gc/belongings.ts';
import { planGc, type GcPlan } from '../../../shared/gc/plan-gc.ts';
import { runGc } from '../../../shared/gc/run-gc.ts';
import { startCluster, type Cluster } from '../../support/clusters/cluster.ts';
import { untouchable, whatIsThere } from '../../support/clusters/untouchable.ts';
import { aConfig } from '../../support/config.ts';
import { THOROUGH } from '../seed.ts';

const DAY_MS = 86_400_000;

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
const kinds = Object.keys(SPOILS) as (keyof typeof SPOILS)[];

async function spoil(
  { inside: { cloud }, world }: Cluster,
  at: number,
  how: keyof typeof SPOILS,
): Promise<void> {
  const own = `levelset-cluster=${await world.kube.clusterId()}`;
  const lb = cloud.loadbalancers.find(({ name, tags }) => name.endsWith(`_s${at}`) && tags.includes(own));
  if (!lb) throw new Error(`there is no load balancer of s${at}`);
  const tag = SPOILS[how];
  if (tag !== undefined) Object.assign(lb, { tags: [...lb.tags, tag] });
  if (how === 'a name of a person') Object.assign(lb, { name: 'edge' });
  const loadbalancer_id = lb.id;
  if (how === 'a foreign listener')
    await world.cloud.create('listener', {
      loadbalancer_id,
      protocol: 'TCP',
      protocol_port: 8080,
      name: 'theirs',
    });
  if (how === 'a foreign pool')
    await world.cloud.create('pool', {
      loadbalancer_id,
      protocol: 'TCP',
      lb_algorithm: 'ROUND_ROBIN',
      name: 'theirs',
    });
}

async function planOf(gone: Cluster, alive: Cluster): Promise<GcPlan> {
  const all = await observeBelongings(alive.world.cloud);
  return planGc(all, {
    id: await gone.world.kube.clusterId(),
    thisOne: await alive.world.kube.clusterId(),
    ...{ answering: undefined, unwrittenForMs: DAY_MS, now: alive.inside.clock.millis() },
  });
}

test('gc of a cluster that was deleted together with its Services takes all that is its own alone, and nothing that anybody else has or may need', () =>
  fc.assert(
    fc.asyncProperty(fc.array(fc.constantFrom(...kinds), { minLength: 1, maxLength: 3 }), async (spoils) => {
      const alive = startCluster();
      await alive.create('s0');
      const base = aConfig().loadBalancer;
      const gone = startCluster({ loadBalancer: { ...base, manageSecurityGroups: true } }, alive);
      await gone.create(...spoils.map((_, at) => `s${at}`));
      await untouchable(alive);
      await untouchable(gone);
      for (const [at, how] of spoils.entries()) await spoil(gone, at, how);
      const before = whatIsThere(gone.inside);
      alive.inside.advanceClock(DAY_MS + 1_000);

      const plan = await planOf(gone, alive);
      expect(plan.problems).toEqual([]);
      const { failed } = await runGc(plan, alive.world.cloud);
      expect(failed).toEqual([]);
      alive.inside.advanceClock(1_000);
      await observeBelongings(alive.world.cloud);

      const after = whatIsThere(gone.inside);
      const goes = (of: string, kind: string): boolean => {
        const at = Number(/^ours\/s(\d)$/.exec(of)?.[1] ?? NaN);
        return spoils[at] === 'nothing' && kind !== '';
      };
      const text = (all: typeof before): readonly string[] =>
        all.map(({ kind, id }) => `${kind} ${id}`).sort();
      expect(text(after)).toEqual(text(before.filter(({ of, kind }) => !goes(of, kind))));
      const others = (all: typeof before): typeof before => all.filter(({ of }) => of === 'others');
      expect(others(after)).toEqual(others(before));
      const [left] = (await planOf(gone, alive)).steps;
      expect(left).toBeUndefined();
    }),
    { numRuns: THOROUGH ? 150 : 4 },
  ));

describe('gc refuses', () => {
  const asked = { unwrittenForMs: DAY_MS, now: Date.UTC(2027, 0, 1), answering: undefined };

  test.each<[string, 'gone' | 'alive' | 'nobody', Partial<Parameters<typeof planGc>[1]>, RegExp]>([
    ['the cluster of the kubeconfig', 'alive', {}, /this is the cluster of the kubeconfig/],
    [
      'one that was written lately',
      'gone',
      { now: Date.UTC(2026, 0, 1, 23) },
      /^it was written at .*, and --unwritten-for is 86400 s/,
    ],
    ['one whose members answer', 'gone', { answering: '10.0.0.5:30080' }, /10.0.0.5:30080 answers/],
    ['one that nothing in the project names', 'nobody', {}, /nothing in this project has the tag/],
  ])('%s', async (_what, which, question, why) => {
    const alive = startCluster();
    const gone = startCluster({}, alive);
    await alive.create('s0');
    await gone.create('s1');
    const [id, thisOne] = [await gone.world.kube.clusterId(), await alive.world.kube.clusterId()];
    const all = await observeBelongings(alive.world.cloud);
    const ids = { gone: id, alive: thisOne, nobody: 'nobody' };
    const { problems, steps } = planGc(all, { ...asked, thisOne, id: ids[which], ...question });
    expect(steps).toEqual([]);
    expect(problems.map(({ message }) => message).join()).toMatch(why);
  });
});

test('gc plans nothing while one of its lists fails', async () => {
  const { inside, world } = startCluster();
  const lists = [
    'lbaas/loadbalancers',
    'lbaas/listeners',
    'lbaas/pools',
    'floatingips',
    'security-groups',
    'ports',
  ];
  for (const path of [...lists, 'v1/secrets'].map((list) => new RegExp(`/${list}(\\?|$)`))) {
    const match = { side: 'openstack', method: 'GET', path } as const;
    const heal = inside.fault({ match, kind: 'fail-before', times: Infinity, status: 403 });
    await expect(observeBelongings(world.cloud)).rejects.toMatchObject({ code: 'FORBIDDEN' });
    heal();
  }
});
