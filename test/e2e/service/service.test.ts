/** A Service becomes a load balancer that carries traffic, follows every change of it, and goes with it. */
import { describe, expect, it } from 'vitest';
import {
  addressOf,
  answeringNodes,
  apply,
  aService,
  askHttp,
  getService,
  nodePorts,
  nothingLeft,
  OTHER_CLIENT,
  removeServices,
  treeOf,
  until,
  type Port,
  type Tree,
} from '../lab/lab.ts';
import { labWorld } from '../lab/lab-world.ts';

const world = labWorld({ nodes: ['e2e-service-1', 'e2e-service-2', 'e2e-service-3'] });

const deploy = (ports: readonly Port[], more: Parameters<typeof aService>[3] = {}): Promise<string> =>
  apply([aService(world.namespace, 'web', ports, more)]);

const listenersOf = (tree: Tree): readonly string[] =>
  tree.listeners.map(({ protocol, protocol_port: port }) => `${String(protocol)}/${String(port)}`).sort();

const all = (): ReadonlySet<string> => new Set(world.nodes.map(({ name }) => name));

it('a Service gets an address that every node answers on every port, and leaves nothing when it is deleted', async () => {
  await deploy([{ port: 80 }, { port: 443 }, { port: 53, protocol: 'UDP' }]);

  const address = await addressOf(world.namespace, 'web');
  const tree = await treeOf(world.namespace, 'web');
  const ports = await nodePorts(world.namespace, 'web');

  expect(tree.floatingIP?.['floating_ip_address']).toBe(address);
  expect(listenersOf(tree)).toEqual(['TCP/443', 'TCP/80', 'UDP/53']);
  for (const pool of tree.pools) {
    expect(pool.members.map((member) => member['address']).sort()).toEqual(
      world.nodes.map((node) => node.address).sort(),
    );
    expect(pool.monitor).toMatchObject({ timeout: 1, max_retries: 1, max_retries_down: 1 });
  }
  await until('the first answer', async () => (await askHttp(`http://${address}/`)).ok);
  expect(await askHttp(`http://${address}/`)).toMatchObject({ ok: true, port: ports['TCP/80'] });
  expect(await askHttp(`http://${address}:443/`)).toMatchObject({ ok: true, port: ports['TCP/443'] });
  await until(
    'every node to answer TCP',
    async () => (await answeringNodes(`http://${address}/`, 9)).size === all().size,
  );
  expect(await answeringNodes(`udp://${address}:53`, 9)).toEqual(all());
  const service = await getService(world.namespace, 'web');
  expect(service?.status?.conditions).toMatchObject([
    { type: 'levelset.openstack.org/Ready', status: 'True' },
  ]);
  expect(service?.metadata.annotations?.['loadbalancer.openstack.org/load-balancer-id']).toBe(
    tree.loadBalancer.id,
  );

  await removeServices(world.namespace, ['web']);
  await nothingLeft();
});

describe('a change of the Service', () => {
  it('adds, changes and removes ports, and the address stays', async () => {
    await deploy([{ port: 80 }, { port: 81 }]);
    const address = await addressOf(world.namespace, 'web');

    await deploy([{ port: 80 }, { port: 443 }, { port: 53, protocol: 'UDP' }]);

    await until(
      'port 443 for 81',
      async () => listenersOf(await treeOf(world.namespace, 'web')).join() === 'TCP/443,TCP/80,UDP/53',
      { timeoutMs: 60_000 },
    );
    await until('an answer', async () => (await askHttp(`http://${address}:443/`)).ok);
    const ports = await nodePorts(world.namespace, 'web');
    expect(await askHttp(`http://${address}:443/`)).toMatchObject({ ok: true, port: ports['TCP/443'] });
    expect(await askHttp(`http://${address}:81/`, { timeoutMs: 1000 })).toMatchObject({ ok: false });
    expect(await addressOf(world.namespace, 'web')).toBe(address);
    await until('no pool too many', async () => (await treeOf(world.namespace, 'web')).pools.length === 3);
  });

  it('to internal gives the floating IP back and publishes the VIP; and back again', async () => {
    const internal = {
      annotations: { 'service.beta.kubernetes.io/openstack-internal-load-balancer': 'true' },
    };
    await deploy([{ port: 80 }]);
    const external = await addressOf(world.namespace, 'web');

    await deploy([{ port: 80 }], internal);
    const { loadBalancer } = await treeOf(world.namespace, 'web');
    await until(
      'the VIP in the status',
      async () => (await addressOf(world.namespace, 'web')) === loadBalancer['vip_address'],
    );
    expect((await treeOf(world.namespace, 'web')).floatingIP).toBeUndefined();

    await deploy([{ port: 80 }]);
    await until(
      'a floating IP in the status',
      async () => (await addressOf(world.namespace, 'web')) !== loadBalancer['vip_address'],
    );
    const back = await treeOf(world.namespace, 'web');
    expect(back.loadBalancer.id).toBe(loadBalancer.id);
    expect(back.floatingIP?.['floating_ip_address']).toBe(await addressOf(world.namespace, 'web'));
    await until(
      'an answer',
      async () => (await askHttp(`http://${await addressOf(world.namespace, 'web')}/`)).ok,
    );
    expect(external).toMatch(/^203\.0\.113\./);
  });

  it('of the source ranges lets in whom it should and nobody else', async () => {
    await deploy([{ port: 80 }], { spec: { loadBalancerSourceRanges: ['198.51.100.0/24'] } });
    const address = await addressOf(world.namespace, 'web');
    await until('an answer', async () => (await askHttp(`http://${address}/`)).ok);
    expect(await askHttp(`http://${address}/`, { from: OTHER_CLIENT, timeoutMs: 1500 })).toMatchObject({
      ok: false,
    });

    await deploy([{ port: 80 }], { spec: { loadBalancerSourceRanges: ['192.0.2.0/24'] } });
    await until(
      'the other client to be let in',
      async () => (await askHttp(`http://${address}/`, { from: OTHER_CLIENT, timeoutMs: 1500 })).ok,
      { timeoutMs: 60_000 },
    );
    expect(await askHttp(`http://${address}/`, { timeoutMs: 1500 })).toMatchObject({ ok: false });

    await deploy([{ port: 80 }], { spec: { loadBalancerSourceRanges: null } });
    await until('everybody to be let in', async () => (await askHttp(`http://${address}/`)).ok, {
      timeoutMs: 60_000,
    });
  });

  it('of session affinity keeps a client on its node', async () => {
    await deploy([{ port: 80 }]);
    const address = await addressOf(world.namespace, 'web');
    await deploy([{ port: 80 }], { spec: { sessionAffinity: 'ClientIP' } });
    await until(
      'one node for one client',
      async () => (await answeringNodes(`http://${address}/`, 9)).size === 1,
      { timeoutMs: 60_000 },
    );
    await deploy([{ port: 80 }], { spec: { sessionAffinity: 'None', sessionAffinityConfig: null } });
    await until(
      'all nodes again',
      async () => (await answeringNodes(`http://${address}/`, 9)).size === all().size,
      { timeoutMs: 60_000 },
    );
  });
});
