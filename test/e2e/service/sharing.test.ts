/** Several Services on one load balancer of the real Octavia: with its owner, without, and ten at once. */
import { describe, expect, it } from 'vitest';
import {
  addressOf,
  apply,
  aService,
  askHttp,
  kubectl,
  listeners,
  loadBalancers,
  loadBalancerTree,
  nodePorts,
  serviceGone,
  treeOf,
  until,
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
const remove = (name: string): Promise<string> =>
  kubectl(['-n', world.namespace, 'delete', 'service', name, '--wait=false']);
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

describe('two Services on one load balancer', () => {
  it('are both answered at its address, and the one that stays is when the owner leaves first', async () => {
    await deploy('web', 80);
    const address = await addressOf(world.namespace, 'web');
    const { id } = (await treeOf(world.namespace, 'web')).loadBalancer;

    await deploy('api', 81, { [ID]: id });
    expect(await addressOf(world.namespace, 'api', PATIENT)).toBe(address);
    await answers(address, 'web', 80);
    await answers(address, 'api', 81);
    expect((await loadBalancerTree(id))?.loadBalancer['tags']).toEqual(
      expect.arrayContaining([
        `levelset-name=${world.namespace}/web`,
        `levelset-name=${world.namespace}/api`,
      ]),
    );

    await remove('web');
    await serviceGone(world.namespace, 'web');
    expect(await openPorts(id)).toEqual([81]);
    expect((await loadBalancerTree(id))?.floatingIP?.['floating_ip_address']).toBe(address);
    await answers(address, 'api', 81);
    expect(await askHttp(`http://${address}/`, { timeoutMs: 1000 })).toMatchObject({ ok: false });

    await remove('api');
    await serviceGone(world.namespace, 'api');
  });
});

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
    await kubectl(['-n', world.namespace, 'delete', 'service', '--wait=false', ...names.slice(1)]);
    await Promise.all(names.slice(1).map((name) => serviceGone(world.namespace, name, PATIENT)));
    expect(await openPorts(id)).toEqual([100]);
    await answers(address, 's0', 100);
    console.log(`ten join: ${joined - started} ms; nine leave: ${Date.now() - leaving} ms`);
  }, 900_000);
});
