/** Pod routes on a real router, ten Nodes with real servers behind it. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { countCalls, kube, labResources, runLevelset, writeCloudConfig, writes } from '../lab/lab.ts';
import { labWorld } from '../lab/lab-world.ts';
import {
  aRouter,
  forgetRouters,
  pairsOf,
  unavailable,
  type LabRouter,
  type Route,
} from '../fixtures/routers.ts';

const COUNT = 10;
const names = Array.from({ length: COUNT }, (_, at) => `e2e-routes-${at}`);
const world = labWorld({ nodes: names, levelsetByTest: true });

let router: LabRouter;
let config = '';
beforeAll(async () => {
  const made = await aRouter('e2e-routes');
  router = made;
  config = await writeCloudConfig('routes', { Route: { 'router-id': made.id } });
  for (const [at, name] of names.entries())
    await kube.patch(`/api/v1/nodes/${name}`, { spec: { podCIDR: cidr(at), podCIDRs: [cidr(at)] } });
  return () => made.remove();
});
afterAll(forgetRouters);

const cidr = (at: number): string => `10.244.${at}.0/24`;
/** Somebody else's, to an address of the network that no server has. */
const foreignRoute = (): Route => ({
  destination: '10.244.200.0/24',
  nexthop: labResources().private_v4_cidr.replace('0/24', '250'),
});
const foreignText = (): string => `${foreignRoute().destination} ${foreignRoute().nexthop}`;

const wanted = (): readonly string[] => world.nodes.map(({ address }, at) => `${cidr(at)} ${address}`).sort();

const pairs = (at: number): Promise<readonly string[]> =>
  pairsOf(world.nodes[at] ?? { name: '', server: '', address: '' });

/** Its exit code. */
async function reconcile(cloudConfig = config): Promise<number> {
  const args = ['--cluster-cidr', '10.244.0.0/16', '--controllers', 'node-route-controller'];
  const ran = await runLevelset(['reconcile', 'routes', '--wait'], { cloudConfig, args });
  console.log(ran.stdout);
  return ran.code;
}

it('routes ten Nodes with one call to the router, puts right what is moved by hand, and leaves the rest', async () => {
  const first = await countCalls();
  expect(await reconcile()).toBe(0);
  const made = writes(await first.stop());
  expect(await router.routes()).toEqual(wanted());
  expect(made.filter(({ path }) => path.includes('/routers/'))).toHaveLength(1);
  expect(made.filter(({ path }) => path.includes('/ports/'))).toHaveLength(COUNT);
  expect([await pairs(3), await unavailable(names[3] ?? '')]).toEqual([[cidr(3)], 'False']);

  const second = await countCalls();
  expect(await reconcile()).toBe(0);
  const settled = (await second.stop()).filter(({ service }) => service === 'neutron');
  expect(settled.map(({ method }) => method)).toEqual(['GET', 'GET']);

  const moved = { destination: cidr(1), nexthop: world.nodes[2]?.address ?? '' };
  const there = { destination: cidr(1), nexthop: world.nodes[1]?.address ?? '' };
  await router.put('/remove_extraroutes', { router: { routes: [there] } });
  await router.put('/add_extraroutes', { router: { routes: [moved, foreignRoute()] } });
  expect(await reconcile()).toBe(0);
  expect(await router.routes()).toEqual([...wanted(), foreignText()].sort());
});

it('takes the routes of Nodes that are gone, and their pairs, and nothing else', async () => {
  await Promise.all(names.slice(1).map((name) => kube.remove(`/api/v1/nodes/${name}`)));
  expect(await reconcile()).toBe(0);
  expect(await router.routes()).toEqual([wanted()[0], foreignText()].sort());
  expect([await pairs(0), await pairs(4)]).toEqual([[cidr(0)], []]);

  await kube.remove(`/api/v1/nodes/${names[0] ?? ''}`);
  expect(await reconcile()).toBe(0);
  expect(await router.routes()).toEqual([foreignText()]);
  expect(await pairs(0)).toEqual([]);
});
