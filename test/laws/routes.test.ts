/** Laws of pod routes, for whatever Nodes there are and whatever others have put on the router and on the ports. */
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Node } from '../../shared/model/kubernetes.ts';
import { nodeOf, pairOf } from '../support/route-reading.ts';
import { ClusterModel, Fuse, RouterModel } from './route-model.ts';
import { THOROUGH } from './seed.ts';

const FOREIGN = ['10.244.1.0/24', '10.244.9.0/24', '10.99.0.0/24', '0.0.0.0/0'];

/** To none of the Nodes, or to pods of no cluster. */
const foreignRoutes = fc
  .uniqueArray(fc.constantFrom(...FOREIGN.map((destination) => ({ destination, nexthop: '10.0.0.88' }))), {
    maxLength: 4,
  })
  .chain((routes) =>
    fc.constantFrom(routes, [...routes, { destination: '192.168.1.0/24', nexthop: '10.0.0.1' }]),
  );

const foreignPairs = fc.uniqueArray(
  fc.constantFrom(pairOf(77, '10.244.1.0/24'), { ip_address: '192.0.2.7', mac_address: 'fa:16:3e:00:00:01' }),
  { maxLength: 2 },
);

/** Some Nodes of a cluster; two may claim one podCIDR. `first` is the number of the first of them. */
const someNodes = (first: number, most: number): fc.Arbitrary<readonly Node[]> =>
  fc
    .array(fc.option(fc.integer({ min: 1, max: 5 })), { minLength: most, maxLength: most })
    .map((cidrs) =>
      cidrs.flatMap((cidr, at) =>
        cidr === null ? [] : [nodeOf(first + at, { podCIDRs: [`10.244.${cidr}.0/24`] })],
      ),
    );

const rounds = fc.array(someNodes(1, 4), { minLength: 1, maxLength: 3 });

async function settle(cluster: ClusterModel): Promise<void> {
  for (let runs = 0; runs < 10; runs += 1) {
    const plan = await cluster.run();
    if (plan?.steps.length === 0) return;
  }
  throw new Error('the routes did not settle');
}

const texts = (routes: readonly { destination: string; nexthop: string }[]): readonly string[] =>
  routes.map(({ destination, nexthop }) => `${destination} ${nexthop}`);

test('each podCIDR has one route and one pair, nothing of others changes, and nothing is left of what was', () =>
  fc.assert(
    fc.asyncProperty(rounds, foreignRoutes, foreignPairs, async (all, routes, pairs) => {
      const cloud = new RouterModel(new Fuse(), routes, pairs);
      const before = cloud.pairs;
      const cluster = new ClusterModel(cloud);
      for (const nodes of all) {
        cluster.become(nodes);
        await settle(cluster);
        const cidrs = new Set(nodes.flatMap(({ spec }) => spec?.podCIDRs ?? []));
        const ours = cloud.routes.filter((route) => !texts(routes).includes(route));
        expect(new Set(ours.map((route) => route.split(' ')[0]))).toEqual(cidrs);
        expect(ours).toHaveLength(cidrs.size);
        expect(texts(routes).filter((route) => !cloud.routes.includes(route))).toEqual([]);
        expect(before.filter((pair) => !cloud.pairs.includes(pair))).toEqual([]);
        expect(cloud.pairs).toHaveLength(before.length + cidrs.size);
        expect([...texts(cluster.record)].sort()).toEqual(ours);
      }
    }),
  ));

const byHand = fc.record({
  routes: fc.uniqueArray(fc.integer({ min: 1, max: 4 })),
  pairs: fc.uniqueArray(fc.integer({ min: 1, max: 4 })),
});

test('what others take from the routes and the pairs is found by one sweep, and put back', () =>
  fc.assert(
    fc.asyncProperty(someNodes(1, 4), byHand, async (nodes, hand) => {
      const cloud = new RouterModel(new Fuse(), [], []);
      const cluster = new ClusterModel(cloud);
      cluster.become(nodes);
      await settle(cluster);
      const whole = [cloud.routes, cloud.pairs];
      cloud.takeAway(hand.routes, hand.pairs);
      if (!isDeepStrictEqual([cloud.routes, cloud.pairs], whole))
        expect(await cluster.sweep()).toEqual(['routes']);
      await settle(cluster);
      expect([cloud.routes, cloud.pairs]).toEqual(whole);
    }),
  ));

/** Where two claim one podCIDR, it matters who came first. */
const roundsWithoutClaims = fc.array(
  fc
    .uniqueArray(fc.integer({ min: 1, max: 4 }))
    .chain((places) =>
      fc
        .uniqueArray(fc.integer({ min: 1, max: 6 }), { minLength: places.length, maxLength: places.length })
        .map((cidrs) =>
          places.map((at, nth) => nodeOf(at, { podCIDRs: [`10.244.${cidrs[nth] ?? 0}.0/24`] })),
        ),
    ),
  { minLength: 2, maxLength: 3 },
);

test('wherever it is killed, and whatever becomes of the Nodes before it looks again, the end is the same', () =>
  fc.assert(
    fc.asyncProperty(
      roundsWithoutClaims,
      foreignRoutes,
      fc.boolean(),
      fc.boolean(),
      async (all, routes, after, isAtomic) => {
        const end = async (kill: number): Promise<object> => {
          const fuse = new Fuse();
          const cloud = new RouterModel(fuse, routes, []);
          if (!isAtomic) cloud.extensions = ['extraroute'];
          const cluster = new ClusterModel(cloud);
          for (const nodes of all) {
            cluster.become(nodes);
            Object.assign(fuse, { left: kill, after });
            await settle(cluster).catch(() => undefined);
          }
          fuse.left = Infinity;
          await settle(cluster);
          const { told, record } = cluster;
          return { routes: cloud.routes, pairs: cloud.pairs, told, record };
        };
        const whole = await end(Infinity);
        for (let kill = 1; kill <= 12; kill += 1) expect(await end(kill)).toEqual(whole);
      },
    ),
    { numRuns: THOROUGH ? 40 : 8 },
  ));

test('two clusters with the same cluster CIDR on one router leave each other alone (cloud-provider-openstack#3128)', () =>
  fc.assert(
    fc.asyncProperty(
      rounds,
      fc.array(someNodes(11, 3), { minLength: 1, maxLength: 3 }),
      async (here, there) => {
        const cloud = new RouterModel(new Fuse(), [], []);
        const [one, other] = [new ClusterModel(cloud), new ClusterModel(cloud)];
        for (let round = 0; round < 3; round += 1) {
          one.become(here[round] ?? []);
          await settle(one);
          const ours = texts(one.record);
          other.become(there[round] ?? []);
          await settle(other);
          expect((await one.run())?.steps).toEqual([]);
          expect(cloud.routes).toEqual([...ours, ...texts(other.record)].sort());
        }
        one.become([]);
        await settle(one);
        expect(cloud.routes).toEqual([...texts(other.record)].sort());
      },
    ),
  ));
