/** Pods with addresses of two families, and a router that nobody names. */
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { cloud, kube, lab, runLevelset, writeCloudConfig } from '../lab/lab.ts';
import { labWorld } from '../lab/lab-world.ts';
import {
  aRouter,
  forgetRouters,
  labRouter,
  pairsOf,
  recordedRouters,
  unavailable,
} from '../fixtures/routers.ts';

const names = ['e2e-routes-six-0', 'e2e-routes-six-1'];
const world = labWorld({ nodes: names, levelsetByTest: true });

beforeAll(async () => {
  if (!lab().controllable) return;
  for (const [at, name] of names.entries())
    await kube.patch(`/api/v1/nodes/${name}`, { spec: { podCIDR: four(at), podCIDRs: [four(at), six(at)] } });
});
afterAll(async () => {
  if (!lab().controllable) return;
  await forgetRouters();
  const { put, routes } = await labRouter();
  const ours = (await routes()).filter((route) => /^(10.245|fd00:245)/.test(route));
  const left = ours
    .map((route) => route.split(' '))
    .map(([destination, nexthop]) => ({ destination, nexthop }));
  if (left.length > 0) await put('/remove_extraroutes', { router: { routes: left } });
});

const four = (at: number): string => `10.245.${at}.0/24`;
const six = (at: number): string => `fd00:245:0:${at + 1}::/64`;

async function wanted(): Promise<readonly string[]> {
  const routes = world.nodes.map(async ({ server, address }, at) => {
    const path = `/v2.0/ports?device_id=${server}`;
    const { ports } = await cloud().must<{ ports: { fixed_ips: { ip_address: string }[] }[] }>(
      'network',
      'GET',
      path,
    );
    const addresses = ports.flatMap(({ fixed_ips: ips }) => ips.map(({ ip_address: one }) => one));
    return [`${four(at)} ${address}`, `${six(at)} ${addresses.find((one) => one.includes(':')) ?? ''}`];
  });
  return (await Promise.all(routes)).flat().sort();
}

/** Without `router-id`, unless one is given. */
async function reconcile(routerId?: string): Promise<{ readonly code: number; readonly said: string }> {
  const named = routerId === undefined ? {} : { Route: { 'router-id': routerId } };
  const cloudConfig = await writeCloudConfig('routes-six', named);
  const cidrs = ['--cluster-cidr', '10.245.0.0/16,fd00:245::/56'];
  const args = [...cidrs, '--controllers', 'node-route-controller', '--discover-router=true'];
  const { code, stdout } = await runLevelset(['reconcile', 'routes', '--wait'], { cloudConfig, args });
  console.log(stdout);
  return { code, said: stdout };
}

it(
  'a route is on the one router there is, moves to the one that is named, and stays',
  { timeout: 300_000 },
  async () => {
    const own = await labRouter();
    const before = await own.routes();
    expect((await reconcile()).code).toBe(0);
    expect(await own.routes()).toEqual([...before, ...(await wanted())].sort());
    for (const [at, node] of world.nodes.entries())
      expect([await pairsOf(node), await unavailable(node.name)]).toEqual([[four(at), six(at)], 'False']);

    const router = await aRouter('e2e-routes-six');
    onTestFinished(() => router.remove());
    expect((await reconcile(router.id)).code).toBe(0);
    expect([await own.routes(), await router.routes()]).toEqual([before, await wanted()]);

    expect((await reconcile()).code).toBe(0);
    expect([await router.routes(), await recordedRouters()]).toEqual([await wanted(), [router.id]]);
    await forgetRouters();
    const several = await reconcile();
    expect([several.code, await router.routes()]).toEqual([1, await wanted()]);
    expect(several.said).toMatch(/finds several routers/);
    expect(several.said).toContain(router.id);

    expect((await reconcile(router.id)).code).toBe(0);
    for (const name of names) await kube.remove(`/api/v1/nodes/${name}`);
    expect((await reconcile()).code).toBe(0);
    expect([await router.routes(), await recordedRouters()]).toEqual([[], []]);
  },
);
