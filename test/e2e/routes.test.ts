/** Pod routes on a real router, ten Nodes with real servers behind it. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Node } from '../../shared/model/kubernetes.ts';
import { cloud, countCalls, kube, lab, labResources, runLevelset, writeCloudConfig, writes } from './lab.ts';
import { labWorld } from './lab-world.ts';

const COUNT = 10;
const names = Array.from({ length: COUNT }, (_, at) => `e2e-routes-${at}`);
const world = labWorld({ nodes: names, levelsetByTest: true });

let router = '';
let config = '';
beforeAll(async () => {
  if (!lab().controllable) return;
  const made = await aRouter('e2e-routes');
  router = made.id;
  config = await writeCloudConfig('routes', { Route: { 'router-id': router } });
  for (const [at, name] of names.entries())
    await kube.patch(`/api/v1/nodes/${name}`, { spec: { podCIDR: cidr(at), podCIDRs: [cidr(at)] } });
  return made.remove;
}, 300_000);
afterAll(async () => {
  if (lab().controllable) await kube.remove('/api/v1/namespaces/kube-system/configmaps/levelset-routes');
});

interface Route {
  readonly destination: string;
  readonly nexthop: string;
}

const cidr = (at: number): string => `10.244.${at}.0/24`;
const FOREIGN: Route = { destination: '10.244.200.0/24', nexthop: '10.0.0.250' };

/** On the subnet of the Nodes. */
async function aRouter(name: string): Promise<{ readonly id: string; readonly remove: () => Promise<void> }> {
  const { private_network: network, private_v4: subnet } = labResources();
  const made = await cloud().must<{ router: { id: string } }>('network', 'POST', '/v2.0/routers', {
    router: { name },
  });
  const { id } = made.router;
  // the subnet's own gateway address is another router's
  const { port } = await cloud().must<{ port: { id: string } }>('network', 'POST', '/v2.0/ports', {
    port: { network_id: network, fixed_ips: [{ subnet_id: subnet }] },
  });
  await ofRouter('/add_router_interface', { port_id: port.id }, id);
  const remove = async (): Promise<void> => {
    await ofRouter('', { router: { routes: [] } }, id);
    await ofRouter('/remove_router_interface', { port_id: port.id }, id);
    await cloud().must('network', 'DELETE', `/v2.0/routers/${id}`);
  };
  return { id, remove };
}

function ofRouter<T>(action: string, body: object, id = router): Promise<T> {
  return cloud().must<T>('network', 'PUT', `/v2.0/routers/${id}${action}`, body);
}

async function routes(id = router): Promise<readonly string[]> {
  const found = await cloud().must<{ router: { routes: readonly Route[] } }>(
    'network',
    'GET',
    `/v2.0/routers/${id}`,
  );
  return found.router.routes.map(({ destination, nexthop }) => `${destination} ${nexthop}`).sort();
}

const wanted = (): readonly string[] => world.nodes.map(({ address }, at) => `${cidr(at)} ${address}`).sort();

async function pairs(at: number): Promise<readonly string[]> {
  const query = `?device_id=${world.nodes[at]?.server ?? ''}`;
  const { ports } = await cloud().must<{ ports: { allowed_address_pairs: { ip_address: string }[] }[] }>(
    'network',
    'GET',
    `/v2.0/ports${query}`,
  );
  return ports.flatMap(({ allowed_address_pairs: all }) => all.map(({ ip_address: address }) => address));
}

async function unavailable(name: string): Promise<string | undefined> {
  const node = await kube.get<Node>(`/api/v1/nodes/${name}`);
  return node?.status?.conditions?.find(({ type }) => type === 'NetworkUnavailable')?.status;
}

/** Its exit code. */
async function reconcile(cloudConfig = config): Promise<number> {
  const args = ['--cluster-cidr', '10.244.0.0/16', '--controllers', 'node-route-controller'];
  const ran = await runLevelset(['reconcile', 'routes', '--wait'], { cloudConfig, args });
  console.log(ran.stdout);
  return ran.code;
}

it(
  'routes ten Nodes with one call to the router, puts right what is moved by hand, and leaves the rest',
  { timeout: 600_000 },
  async () => {
    const first = await countCalls();
    expect(await reconcile()).toBe(0);
    const made = writes(await first.stop());
    expect(await routes()).toEqual(wanted());
    expect(made.filter(({ path }) => path.includes('/routers/'))).toHaveLength(1);
    expect(made.filter(({ path }) => path.includes('/ports/'))).toHaveLength(COUNT);
    expect([await pairs(3), await unavailable(names[3] ?? '')]).toEqual([[cidr(3)], 'False']);

    const second = await countCalls();
    expect(await reconcile()).toBe(0);
    const settled = (await second.stop()).filter(({ service }) => service === 'neutron');
    expect(settled.map(({ method }) => method)).toEqual(['GET', 'GET']);

    const moved = { destination: cidr(1), nexthop: world.nodes[2]?.address ?? '' };
    const there = { destination: cidr(1), nexthop: world.nodes[1]?.address ?? '' };
    await ofRouter('/remove_extraroutes', { router: { routes: [there] } });
    await ofRouter('/add_extraroutes', { router: { routes: [moved, FOREIGN] } });
    expect(await reconcile()).toBe(0);
    expect(await routes()).toEqual([...wanted(), `${FOREIGN.destination} ${FOREIGN.nexthop}`].sort());
  },
);

async function record(): Promise<readonly string[]> {
  const path = '/api/v1/namespaces/kube-system/configmaps/levelset-routes';
  return Object.keys((await kube.get<{ data?: object }>(path))?.data ?? {});
}

it(
  'takes the routes along to another router, and back, and forgets one that is gone',
  { timeout: 600_000 },
  async () => {
    const foreign = `${FOREIGN.destination} ${FOREIGN.nexthop}`;
    const other = await aRouter('e2e-routes-other');
    const named = await writeCloudConfig('routes-other', { Route: { 'router-id': other.id } });

    const counted = await countCalls();
    expect(await reconcile(named)).toBe(0);
    const made = writes(await counted.stop()).map(({ path }) => path.split('/').slice(-2).join(' '));
    expect(made).toEqual([`${other.id} add_extraroutes`, `${router} remove_extraroutes`]);
    expect([await routes(other.id), await routes()]).toEqual([wanted(), [foreign]]);
    expect([await pairs(3), await unavailable(names[3] ?? '')]).toEqual([[cidr(3)], 'False']);
    expect(await record()).toEqual([other.id]);

    expect(await reconcile()).toBe(0);
    expect([await routes(other.id), await routes()]).toEqual([[], [...wanted(), foreign].sort()]);

    expect(await reconcile(named)).toBe(0);
    await other.remove();
    expect(await reconcile()).toBe(0);
    expect([await routes(), await record()]).toEqual([[...wanted(), foreign].sort(), [router]]);
  },
);

it('says that the router is full, and routes the Node when there is room', { timeout: 600_000 }, async () => {
  await ofRouter('', { router: { routes: [] } });
  const hop = world.nodes[0]?.address ?? '';
  const others = Array.from({ length: 21 }, (_, at) => ({ destination: `192.168.${at}.0/24`, nexthop: hop }));
  await ofRouter('/add_extraroutes', { router: { routes: others } });

  expect(await reconcile()).toBe(1);
  expect(await routes()).toHaveLength(30);
  const left = names.at(-1) ?? '';
  expect(await unavailable(left)).toBe('True');
  const events = await kube.list<{ reason: string; message: string }>(
    `/api/v1/namespaces/default/events?fieldSelector=involvedObject.name=${left}`,
  );
  expect(events.find(({ reason }) => reason === 'FailedToCreateRoute')?.message).toContain('max_routes');

  await ofRouter('/remove_extraroutes', { router: { routes: others.slice(0, 1) } });
  expect(await reconcile()).toBe(0);
  expect([await unavailable(left), (await routes()).length]).toEqual(['False', 30]);
});

it(
  'takes the routes of Nodes that are gone, and their pairs, and nothing else',
  { timeout: 600_000 },
  async () => {
    await Promise.all(names.slice(1).map((name) => kube.remove(`/api/v1/nodes/${name}`)));
    expect(await reconcile()).toBe(0);
    expect((await routes()).filter((route) => route.startsWith('10.244.'))).toEqual([wanted()[0]]);
    expect((await routes()).length).toBe(21);
    expect([await pairs(0), await pairs(4)]).toEqual([[cidr(0)], []]);

    await kube.remove(`/api/v1/nodes/${names[0] ?? ''}`);
    expect(await reconcile()).toBe(0);
    expect((await routes()).some((route) => route.startsWith('10.244.'))).toBe(false);
    expect(await pairs(0)).toEqual([]);
  },
);
