/** Several Services on one load balancer of the real Octavia: with its owner, without, a user's own, and ten at once. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  addressOf,
  apply,
  aService,
  askHttp,
  cloud,
  deleteLoadBalancer,
  getService,
  kube,
  labResources,
  listeners,
  loadBalancerPath,
  loadBalancers,
  loadBalancerTree,
  make,
  nodePorts,
  readyOf,
  removeServices,
  settled,
  treeOf,
  until,
  type Resource,
  type Tree,
} from '../lab/lab.ts';
import { labWorld } from '../lab/lab-world.ts';

const ID = 'loadbalancer.openstack.org/load-balancer-id';
const NAME = 'levelset.openstack.org/load-balancer-name';
/** Every write locks the load balancer, and ten Services have five each. */
const PATIENT = { timeoutMs: 420_000 };

const world = labWorld({
  nodes: ['e2e-sharing-1', 'e2e-sharing-2'],
  cloudConfig: { LoadBalancer: { 'max-shared-lb': 12 } },
  goneWithinMs: PATIENT.timeoutMs,
});

const deploy = (name: string, port: number, annotations: Record<string, string> = {}): Promise<string> =>
  apply([aService(world.namespace, name, [{ port }], { annotations })]);
const remove = (name: string): Promise<void> => removeServices(world.namespace, [name]);
const told = async (name: string): Promise<string> => (await readyOf(world.namespace, name))?.message ?? '';
const openPorts = async (id: string): Promise<readonly unknown[]> =>
  (await listeners(id)).map((listener) => Number(listener['protocol_port'])).sort((a, b) => a - b);
async function answers(address: string, name: string, port: number): Promise<void> {
  const wanted = (await nodePorts(world.namespace, name))[`TCP/${port}`];
  await until(
    `an answer of ${name} on port ${port}`,
    async () => {
      const answer = await askHttp(`http://${address}:${port}/`);
      return answer.ok && answer.port === wanted;
    },
    { timeoutMs: 60_000 },
  );
}

it('two Services on one load balancer are both answered at its address, and the one that stays is when the owner leaves first', async () => {
  await deploy('web', 80);
  const address = await addressOf(world.namespace, 'web');
  const { id } = (await treeOf(world.namespace, 'web')).loadBalancer;

  await deploy('api', 81, { [ID]: id });
  expect(await addressOf(world.namespace, 'api', PATIENT)).toBe(address);
  await answers(address, 'web', 80);
  await answers(address, 'api', 81);
  expect((await loadBalancerTree(id))?.loadBalancer['tags']).toEqual(
    expect.arrayContaining([`levelset-name=${world.namespace}/web`, `levelset-name=${world.namespace}/api`]),
  );

  await remove('web');
  expect(await openPorts(id)).toEqual([81]);
  expect((await loadBalancerTree(id))?.floatingIP?.['floating_ip_address']).toBe(address);
  await answers(address, 'api', 81);
  expect(await askHttp(`http://${address}/`, { timeoutMs: 1000 })).toMatchObject({ ok: false });

  await remove('api');
});

describe('a load balancer that a person made', () => {
  let own = '';
  beforeEach(async () => {
    const pool = { name: 'mine', protocol: 'TCP', lb_algorithm: 'ROUND_ROBIN' };
    const loadbalancer = {
      name: 'e2e-own',
      vip_subnet_id: labResources().private_v4,
      tags: ['team=edge'],
      listeners: [{ name: 'mine', protocol: 'TCP', protocol_port: 9100, default_pool: pool }],
    };
    own = (await make('load-balancer', 'loadbalancer', loadbalancer)).id;
    await settled(own);
  });
  afterEach(async () => {
    if (own !== '') await deleteLoadBalancer(own);
  });
  const setTags = (tags: readonly string[]) =>
    cloud().must('load-balancer', 'PUT', loadBalancerPath(own), { loadbalancer: { tags } });

  it('is not touched without consent; with it, it is shared, and left as it was', async () => {
    const before = await loadBalancerTree(own);
    await deploy('web', 80, { [ID]: own });
    await until('a refusal', async () => (await told('web')).includes(`levelset-allow=${world.namespace}`));
    expect(written(await loadBalancerTree(own))).toEqual(written(before));
    expect((await getService(world.namespace, 'web'))?.status?.loadBalancer?.ingress ?? []).toEqual([]);

    await setTags(['team=edge', `levelset-allow=${world.namespace}`]);
    await settled(own);
    await kube.patch(`/api/v1/namespaces/${world.namespace}/services/web`, {
      metadata: { annotations: { 'example.org/again': 'yes' } },
    });
    await addressOf(world.namespace, 'web', PATIENT);
    await until('both listeners', async () => (await openPorts(own)).join() === '80,9100');

    await remove('web');
    const after = await loadBalancerTree(own);
    expect(await openPorts(own)).toEqual([9100]);
    expect(after?.listeners.map(settings)).toEqual(before?.listeners.map(settings));
    expect(new Set(after?.loadBalancer['tags'] as string[])).toEqual(
      new Set(['team=edge', `levelset-allow=${world.namespace}`]),
    );
    expect(after?.loadBalancer['name']).toBe('e2e-own');
  });
});

/** What only a write changes: no states, no times. Tags come in any order. */
function settings(resource: Resource): unknown {
  const of = Object.entries(resource).filter(([name]) => !/_status$|_at$/.test(name));
  return Object.fromEntries(
    of.map(([name, value]) => [name, name === 'tags' ? (value as string[]).toSorted() : value]),
  );
}

const written = (tree: Tree | undefined): unknown => [
  ...[tree?.loadBalancer ?? { id: 'gone' }, ...(tree?.listeners ?? [])].map(settings),
  tree?.pools.map(({ id }) => id),
];

describe('ten Services', () => {
  const names = Array.from({ length: 10 }, (_, at) => `s${at}`);

  it('join one load balancer at once and leave it at once, and none loses a listener', async () => {
    const started = Date.now();
    await apply(
      names.map((name, at) =>
        aService(world.namespace, name, [{ port: 100 + at }], { annotations: { [NAME]: 'edge' } }),
      ),
    );
    const addresses = await Promise.all(names.map((name) => addressOf(world.namespace, name, PATIENT)));
    const joined = Date.now();
    const [address = ''] = addresses;
    expect(new Set(addresses)).toEqual(new Set([address]));
    const made = (await loadBalancers()).filter(({ name }) => String(name).includes(`_${world.namespace}_`));
    expect(made).toHaveLength(1);
    const id = made[0]?.id ?? '';
    await until('all ten listeners', async () => (await openPorts(id)).length === 10, PATIENT);
    for (const [at, name] of names.entries()) await answers(address, name, 100 + at);

    const leaving = Date.now();
    await removeServices(world.namespace, names.slice(1), PATIENT);
    expect(await openPorts(id)).toEqual([100]);
    await answers(address, 's0', 100);
    console.log(`ten join: ${joined - started} ms; nine leave: ${Date.now() - leaving} ms`);
  }, 900_000);
});
