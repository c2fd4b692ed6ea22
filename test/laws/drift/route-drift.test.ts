/** Laws of drift of the routes: levelset's own work is never told as drift, and what others do to settled routes always is. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Step } from '../../../shared/model/plan.ts';
import { nodeOf } from '../../support/route-reading.ts';
import { ClusterModel, Fuse, RouterModel } from '../route-model.ts';
import '../seed.ts';

/** Nodes by their numbers; each has the podCIDR of its number, and is the same one whenever it is there. */
const someNodes = fc
  .uniqueArray(fc.integer({ min: 1, max: 4 }), { minLength: 1 })
  .map((places) => places.map((at) => nodeOf(at)));

/** What becomes of the cluster, a run that may end at one of its writes, and what becomes of the cluster then. */
const rounds = fc.array(
  fc.record({
    ...{
      nodes: someNodes,
      swept: fc.boolean(),
      /** Also right after the run that may have ended. */
      sweptEarly: fc.boolean(),
      after: fc.boolean(),
    },
    kill: fc.constantFrom(1, 2, 3, 4, 5, 6, Infinity),
    /** All is as it was before the run. */
    isBack: fc.boolean(),
  }),
  { minLength: 4, maxLength: 8 },
);

test('whatever comes and goes, and wherever a run ends, nothing that levelset does or leaves undone is drift', () =>
  fc.assert(
    fc.asyncProperty(rounds, fc.boolean(), async (all, stays) => {
      const fuse = new Fuse();
      const cluster = new ClusterModel(new RouterModel(fuse, [], []));
      cluster.driftStays = stays;
      for (const { nodes, swept, sweptEarly, kill, after, isBack } of all) {
        const before = cluster.nodes;
        cluster.become(nodes);
        Object.assign(fuse, { left: kill, after });
        const plan = await cluster.run().catch(() => undefined);
        fuse.left = Infinity;
        expect(plan?.drift).toBeUndefined();
        if (sweptEarly) await cluster.sweep();
        if (isBack) cluster.become(before);
        expect((await cluster.run())?.drift).toBeUndefined();
        if (swept) await cluster.run();
        if (swept) await cluster.sweep();
      }
    }),
    { numRuns: 40 },
  ));

/** A step of drift as `router 2`: of which Node. */
function inShort(step: Step): string {
  const [, at] = /10\.244\.(\d)\.0/.exec(JSON.stringify('changes' in step ? step.changes : [])) ?? [];
  return `${step.kind} ${at ?? ''}`;
}

const byHand = fc.record({
  routes: fc.uniqueArray(fc.integer({ min: 1, max: 4 })),
  pairs: fc.uniqueArray(fc.integer({ min: 1, max: 4 })),
});

test('what others take from settled routes is told, all of it and no more; it is put back, or stays as long as it is only reported', () =>
  fc.assert(
    fc.asyncProperty(someNodes, someNodes, byHand, async (nodes, later, hand) => {
      const cloud = new RouterModel(new Fuse(), [], []);
      const cluster = new ClusterModel(cloud);
      cluster.become(nodes);
      await cluster.run();
      await cluster.run();
      await cluster.sweep();
      const whole = [cloud.routes, cloud.pairs];
      cloud.takeAway(hand.routes, hand.pairs);
      const left = [cloud.routes, cloud.pairs];
      const names = nodes.map(({ metadata }) => metadata.name);
      const changed = [...hand.routes.map((at) => `router ${at}`), ...hand.pairs.map((at) => `port ${at}`)]
        .filter((one) => names.includes(`node-${one.split(' ')[1] ?? ''}`))
        .sort();

      cluster.driftStays = true;
      for (let times = 0; times < 2; times += 1) {
        const plan = await cluster.run();
        expect(plan?.drift?.map(inShort).sort() ?? []).toEqual(changed);
        expect([cloud.routes, cloud.pairs]).toEqual(left);
        await cluster.sweep();
      }
      // others come and go meanwhile
      cluster.become([...nodes, ...later.filter(({ metadata }) => !names.includes(metadata.name))]);
      await cluster.run();
      cluster.become(nodes);
      await cluster.run();
      expect([cloud.routes, cloud.pairs]).toEqual(left);

      cluster.driftStays = false;
      expect((await cluster.run())?.drift?.length ?? 0).toBe(changed.length);
      expect((await cluster.run())?.steps).toEqual([]);
      expect([cloud.routes, cloud.pairs]).toEqual(whole);
    }),
    { numRuns: 15 },
  ));
