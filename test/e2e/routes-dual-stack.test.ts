/** Pods with addresses of two families, and a router that nobody names. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { cloud, kube, lab, runLevelset, writeCloudConfig } from './lab.ts';
import { labWorld } from './lab-world.ts';
import { aRouter, forgetRouters, pairsOf, recordedRouters, unavailable, type LabRouter } from './routers.ts';

const names = ['e2e-routes-six-0', 'e2e-routes-six-1'];
const world = labWorld({ nodes: names, levelsetByTest: true });

let router: LabRouter;
beforeAll(async () => {
  if (!lab().controllable) return;
  const made = await aRouter('e2e-routes-six');
  router = made;
  for (const [at, name] of names.entries())
    await kube.patch(`/api/v1/nodes/${name}`, { spec: { podCIDR: four(at), podCIDRs: [four(at), six(at)] } });
  return () => made.remove();
}, 300_000);
afterAll(async () => {
  if (lab().controllable) await forgetRouters();
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
  'routes both families, on the router that is named, or that was found to have them',
  { timeout: 300_000 },
  async () => {
    // the lab's own router is on the same subnets
    const several = await reconcile();
    expect([several.code, await router.routes()]).toEqual([1, []]);
    expect(several.said).toMatch(/finds several routers/);
    expect(several.said).toContain(router.id);

    expect((await reconcile(router.id)).code).toBe(0);
    expect(await router.routes()).toEqual(await wanted());
    for (const [at, node] of world.nodes.entries())
      expect([await pairsOf(node), await unavailable(node.name)]).toEqual([[four(at), six(at)], 'False']);

    await kube.remove(`/api/v1/nodes/${names[1] ?? ''}`);
    expect((await reconcile()).code).toBe(0);
    expect(await router.routes()).toEqual((await wanted()).filter((route) => /^10.245.0|:1::/.test(route)));
    expect(await recordedRouters()).toEqual([router.id]);

    await kube.remove(`/api/v1/nodes/${names[0] ?? ''}`);
    expect((await reconcile()).code).toBe(0);
    expect([await router.routes(), await recordedRouters()]).toEqual([[], []]);
  },
);
