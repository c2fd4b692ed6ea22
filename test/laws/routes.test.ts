/** Laws of pod routes, for whatever Nodes there are and whatever others have put on the router and on the ports. */
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { VirtualClock } from '../../infra/sandbox/sandbox-clock.ts';
import { createSandbox, type SandboxInside } from '../../infra/sandbox/sandbox.ts';
import type { AddressPair, Route } from '../../shared/model/network/routes.ts';
import type { Plan } from '../../shared/model/plan.ts';
import type { World } from '../../shared/ports.ts';
import { sweep } from '../../shared/sweep.ts';
import { aConfig } from '../support/config.ts';
import { AUTH_URL, inProcessWorld } from '../support/in-process.ts';
import { giveCidr } from '../support/nodes.ts';
import { SILENT } from '../support/sandbox-world.ts';
import { runsOf } from '../support/virtual-time.ts';
import { forAll, type Drawn } from './seed.ts';

/** By name: which podCIDR each has. */
type Nodes = Readonly<Record<string, number>>;

interface Cluster {
  readonly inside: SandboxInside;
  readonly world: World;
}

/** A cluster without Nodes on the router of its cloud; with a neighbour on that one's. */
function aCluster(neighbour?: Cluster): Cluster {
  const clock = neighbour?.inside.clock ?? new VirtualClock();
  const own = createSandbox({ nodes: 0, pendingMs: 1 }, clock);
  const { cloud, fronts } = neighbour?.inside ?? own;
  const inside = { ...own, cloud, fronts: { ...own.fronts, openstack: fronts.openstack } };
  const routed = { clusterCidrs: ['10.244.0.0/16'], route: { routerId: cloud.routerId } };
  const config = { ...aConfig(AUTH_URL), controllers: ['node-route-controller' as const], ...routed };
  return { inside, world: inProcessWorld(inside, config, SILENT) };
}

const cidrOf = (number: number | undefined): string => `10.244.${number ?? ''}.0/24`;
const portOf = ({ cloud }: SandboxInside, name: string) => {
  const { id } = cloud.servers.find((server) => server.name === name) ?? cloud.addNovaServer(name);
  return cloud.ports.find(({ device_id: device }) => device === id);
};

/** These are its Nodes from now on; one that comes back has the server that it had. */
function become({ inside }: Cluster, nodes: Nodes): void {
  const { kube } = inside;
  for (const { metadata, spec } of kube.list('Node'))
    if (spec?.['podCIDR'] !== cidrOf(nodes[metadata.name])) kube.delete('Node', undefined, metadata.name);
  for (const [name, cidr] of Object.entries(nodes)) {
    if (kube.get('Node', undefined, name)) continue;
    const port = portOf(inside, name);
    const addresses = [{ type: 'InternalIP', address: port?.fixed_ips[0]?.ip_address ?? '' }];
    const spec = { providerID: `openstack:///${port?.device_id ?? ''}` };
    kube.apply({ kind: 'Node', metadata: { name }, spec, status: { addresses } });
    giveCidr(inside, name, cidr);
  }
}

/** Runs until nothing goes on any more; the last plan. */
async function run({ inside, world }: Cluster): Promise<Plan | undefined> {
  return (await runsOf({ key: 'routes', trigger: 'command' }, world, inside)).at(-1)?.plan;
}

async function settle(cluster: Cluster, nodes?: Nodes): Promise<void> {
  if (nodes) become(cluster, nodes);
  for (let runs = 0; runs < 10; runs += 1) if ((await run(cluster))?.steps.length === 0) return;
  throw new Error('the routes did not settle');
}

const textsOf = (routes: readonly Route[]): readonly string[] =>
  routes.map(({ destination, nexthop }) => `${destination} ${nexthop}`).sort();
const routesOn = ({ inside: { cloud } }: Cluster) => textsOf(cloud.routers.flatMap(({ routes }) => routes));
const recordOf = async ({ world }: Cluster) => textsOf([...(await world.kube.routes.load()).values()].flat());
/** `SERVER CIDR MAC`, the port's own left out. */
const pairsOn = ({ inside: { cloud } }: Cluster): readonly string[] =>
  cloud.ports
    .flatMap((port) => {
      const pairs = (port['allowed_address_pairs'] ?? []) as readonly AddressPair[];
      const name = cloud.servers.byId(port.device_id)?.name ?? '';
      return pairs.map(({ ip_address: cidr, mac_address: mac }) =>
        [name, cidr, mac === port['mac_address'] ? '' : mac].join(' '),
      );
    })
    .sort();

const NAMES = ['n-1', 'n-2', 'n-3', 'n-4'];
/** Some Nodes of a cluster; two may claim one podCIDR. */
const someNodes = (names: readonly string[]): fc.Arbitrary<Nodes> =>
  fc
    .array(fc.option(fc.integer({ min: 1, max: 5 })), { minLength: names.length, maxLength: names.length })
    .map((of) => Object.fromEntries(names.flatMap((name, at) => (of[at] == null ? [] : [[name, of[at]]]))));
/** Where two claim one podCIDR, it matters who came first, and a sweep looks again. */
const someNodesWithoutClaims = someNodes(NAMES).filter(
  (nodes) => new Set(Object.values(nodes)).size === Object.keys(nodes).length,
);
const rounds = (names = NAMES) => fc.array(someNodes(names), { minLength: 1, maxLength: 3 });

/** What others have put there: routes to none of the Nodes, or to pods of no cluster, and pairs of each Node's port. */
const foreign = fc.record({
  routes: fc.uniqueArray(fc.constantFrom('10.244.1.0/24', '10.244.9.0/24', '10.99.0.0/24', '0.0.0.0/0')),
  isToNode: fc.boolean(),
  pairs: fc.uniqueArray(fc.constantFrom('10.244.1.0/24', '192.0.2.7'), { maxLength: 2 }),
});
type Foreign = Drawn<typeof foreign>;

function beside({ routes, isToNode, pairs }: Foreign): Cluster {
  const it = aCluster();
  const ports = NAMES.flatMap((name) => portOf(it.inside, name) ?? []);
  const hop = ports[0]?.fixed_ips[0]?.ip_address ?? '';
  const own = routes.map((destination) => ({ destination, nexthop: '10.0.0.250' }));
  const more = isToNode ? [{ destination: '192.168.1.0/24', nexthop: hop }] : [];
  for (const router of it.inside.cloud.routers) router.routes = [...own, ...more];
  const theirs = pairs.map((ip_address) => ({ ip_address, mac_address: 'fa:16:3e:00:00:77' }));
  for (const port of ports) Object.assign(port, { allowed_address_pairs: theirs });
  return it;
}

test('each podCIDR has one route and one pair, nothing of others changes, and nothing is left of what was', () =>
  forAll(rounds(), foreign, async (all, others) => {
    const cluster = beside(others);
    const before = { routes: routesOn(cluster), pairs: pairsOn(cluster) };
    for (const nodes of all) {
      await settle(cluster, nodes);
      const cidrs = new Set(Object.values(nodes).map(cidrOf));
      const ours = routesOn(cluster).filter((route) => !before.routes.includes(route));
      expect(ours.map((route) => route.split(' ')[0])).toEqual([...cidrs].sort());
      expect(routesOn(cluster)).toEqual([...before.routes, ...ours].sort());
      expect(before.pairs.filter((pair) => !pairsOn(cluster).includes(pair))).toEqual([]);
      expect(pairsOn(cluster)).toHaveLength(before.pairs.length + cidrs.size);
      expect(await recordOf(cluster)).toEqual(ours);
    }
  }));

const someNames = fc.subarray(NAMES);

test('what others take from the routes and the pairs is found by one sweep, and put back', () =>
  forAll(someNodesWithoutClaims, someNames, someNames, async (nodes, routesTo, pairsOf) => {
    const cluster = aCluster();
    const { inside } = cluster;
    await settle(cluster, nodes);
    const whole = [routesOn(cluster), pairsOn(cluster)];
    const hops = routesTo.map((name) => portOf(inside, name)?.fixed_ips[0]?.ip_address);
    for (const router of inside.cloud.routers)
      router.routes = router.routes.filter(({ nexthop }) => !hops.includes(nexthop));
    for (const name of pairsOf) Object.assign(portOf(inside, name) ?? {}, { allowed_address_pairs: [] });
    const isChanged = !isDeepStrictEqual([routesOn(cluster), pairsOn(cluster)], whole);
    inside.advanceClock(61_000);
    const { requests } = await sweep(cluster.world);
    expect(requests.map(({ key }) => key)).toEqual(isChanged ? ['routes'] : []);
    await settle(cluster);
    expect([routesOn(cluster), pairsOn(cluster)]).toEqual(whole);
  }));

const roundsWithoutClaims = fc.array(someNodesWithoutClaims, { minLength: 2, maxLength: 3 });

test('wherever it is killed, and whatever becomes of the Nodes before it looks again, the end is the same', () =>
  forAll(
    roundsWithoutClaims,
    foreign,
    fc.constantFrom('reset-before' as const, 'reset-after' as const),
    fc.boolean(),
    async (all, others, kind, isAtomic) => {
      const end = async (nth: number): Promise<object> => {
        const cluster = beside(others);
        const { cloud, kube, fault } = cluster.inside;
        if (!isAtomic) cloud.extensions.splice(0, Infinity, 'extraroute');
        for (const nodes of all) {
          become(cluster, nodes);
          const heal = fault({ match: { write: true, nth }, kind });
          await run(cluster);
          heal();
        }
        await settle(cluster);
        const told = kube.list('Node').map(({ metadata, status }) => {
          const [condition] = (status?.['conditions'] ?? []) as readonly { readonly status: string }[];
          return `${metadata.name} ${condition?.status ?? ''}`;
        });
        const there = { routes: routesOn(cluster), pairs: pairsOn(cluster) };
        return { ...there, told, record: await recordOf(cluster) };
      };
      const whole = await end(Infinity);
      for (let nth = 1; nth <= 12; nth += 1) expect(await end(nth)).toEqual(whole);
    },
  ));

test('two clusters with the same cluster CIDR on one router leave each other alone (cloud-provider-openstack#3128)', () =>
  forAll(rounds(), rounds(['o-1', 'o-2', 'o-3']), async (here, there) => {
    const one = aCluster();
    const other = aCluster(one);
    for (let round = 0; round < 3; round += 1) {
      await settle(one, here[round] ?? {});
      await settle(other, there[round] ?? {});
      expect((await run(one))?.steps).toEqual([]);
      expect(routesOn(one)).toEqual([...(await recordOf(one)), ...(await recordOf(other))].sort());
    }
    await settle(one, {});
    expect(routesOn(one)).toEqual(await recordOf(other));
  }));
