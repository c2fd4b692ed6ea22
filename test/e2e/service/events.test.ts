/** Events only say where to look: what they did not say, a sweep finds. What happens behind our back, too. */
import { afterEach, describe, expect, it } from 'vitest';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { startSandbox } from '../../../infra/sandbox/sandbox.ts';
import {
  addressOf,
  apply,
  aService,
  countCalls,
  deleteLoadBalancer,
  eventsOf,
  floatingIPs,
  kubectl,
  lab,
  loadBalancers,
  loadBalancersOf,
  nothingLeft,
  readyOf,
  runLevelset,
  serviceGone,
  startLevelset,
  stopAllLevelsets,
  sweepUntilSettled,
  treeOf,
  uidOf,
  until,
  writes,
  type Resource,
} from '../lab/lab.ts';
import { labWorld } from '../lab/lab-world.ts';

const world = labWorld({ nodes: ['e2e-events-1', 'e2e-events-2'], levelsetByTest: true });
afterEach(async () => {
  if (world.namespace === '') return;
  await stopAllLevelsets();
  await kubectl(['-n', world.namespace, 'delete', 'services', '--all', '--wait=false']);
  await sweepUntilSettled();
});

const deploy = (name = 'web'): Promise<string> =>
  apply([aService(world.namespace, name, [{ port: 80 }, { port: 443 }])]);
const remove = (name = 'web'): Promise<string> =>
  kubectl(['-n', world.namespace, 'delete', 'service', name, '--wait=false']);
const balancersOf = async (name = 'web'): Promise<readonly Resource[]> =>
  loadBalancersOf(await uidOf(world.namespace, name));

describe('while nobody listens to the webhook', () => {
  it('a create and a delete are made up for by the sweep', async () => {
    await deploy();
    await sweepUntilSettled();
    const address = await addressOf(world.namespace, 'web');
    const tree = await treeOf(world.namespace, 'web');
    expect(tree.floatingIP?.['floating_ip_address']).toBe(address);
    expect(tree.pools.map(({ members }) => members.length)).toEqual([2, 2]);

    await remove();
    await sweepUntilSettled();
    await serviceGone(world.namespace, 'web');
    await nothingLeft();
  });
});

describe('a settled world', () => {
  it('costs a sweep no write and at most eleven calls, of which Nova makes two', async () => {
    await deploy('one');
    await deploy('two');
    await sweepUntilSettled();
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    await sweepUntilSettled();

    const counter = await countCalls();
    const sweep = await runLevelset(['sweep']);
    const calls = await counter.stop();

    console.log(
      `settled sweep: ${calls.map(({ method, path }) => `${method} ${path.split('?')[0] ?? ''}`).join(', ')}`,
    );
    expect(sweep.code).toBe(0);
    expect(writes(calls)).toEqual([]);
    // Nova lists ports and security groups in the name of who asks for servers
    expect(calls.length).toBeLessThanOrEqual(11);
  });
});

describe('deleting', () => {
  it('while the load balancer is still being created leaves nothing behind', async () => {
    await startLevelset();
    await deploy();
    await until('a load balancer', async () => (await balancersOf()).length === 1);
    await remove();
    await serviceGone(world.namespace, 'web');
    await nothingLeft();
  });

  it('after the load balancer was removed behind our back leaves nothing behind', async () => {
    await startLevelset();
    await deploy();
    await addressOf(world.namespace, 'web');
    const [balancer] = await balancersOf();
    await deleteLoadBalancer(balancer?.id ?? '');
    await remove();
    await serviceGone(world.namespace, 'web');
    await nothingLeft();
  });
});

it('a second controller that writes the address is named, and no longer when it stops', async () => {
  await deploy();
  await sweepUntilSettled();
  const address = await addressOf(world.namespace, 'web');
  const second = { status: { loadBalancer: { ingress: [{ ip: '203.0.113.9', ipMode: 'VIP' }] } } };
  await pause(1100); // times of managedFields have whole seconds
  await kubectl([
    ...['-n', world.namespace, 'patch', 'service', 'web', '--subresource=status', '--type=merge'],
    ...['--field-manager=openstack-cloud-controller-manager', '-p', JSON.stringify(second)],
  ]);

  await sweepUntilSettled();

  expect(await addressOf(world.namespace, 'web')).toBe(address);
  const told = await eventsOf(world.namespace, 'web');
  expect(told.map(({ message }) => message).join('\n')).toContain('two controllers of one Service');
  await sweepUntilSettled();
  expect((await readyOf(world.namespace, 'web'))?.message).toBe(
    `load balancer ${(await balancersOf())[0]?.id ?? ''} serves at ${address}`,
  );
});

it('a load balancer that somebody removed is made again with the same address', async () => {
  await deploy();
  await sweepUntilSettled();
  const address = await addressOf(world.namespace, 'web');
  const [balancer] = await balancersOf();
  await deleteLoadBalancer(balancer?.id ?? '');

  await sweepUntilSettled();

  const [again] = await balancersOf();
  expect(again?.id).not.toBe(balancer?.id);
  expect(await addressOf(world.namespace, 'web')).toBe(address);
  expect((await floatingIPs()).filter((ip) => ip['port_id'] === again?.['vip_port_id'])).toHaveLength(1);
});

it('a Service that lost its finalizer and is gone leaves an orphan that the sweep removes', async () => {
  await deploy('kept');
  await deploy();
  await sweepUntilSettled();
  await kubectl([
    '-n',
    world.namespace,
    'patch',
    'service',
    'web',
    '--type=merge',
    '-p',
    '{"metadata":{"finalizers":null}}',
  ]);
  await remove();
  await serviceGone(world.namespace, 'web');

  await sweepUntilSettled();

  expect(
    (await loadBalancers()).map((lb) => String(lb['name'])).filter((name) => name.includes(world.namespace)),
  ).toEqual([`kube_service_lab_${world.namespace}_kept`]);
});

it('two clusters of the same name in one project do not touch each other', async () => {
  const other = await startSandbox({ nodes: 1 });
  const kubeconfig = join(lab().directory, 'other-cluster.json');
  const users = [{ name: 'levelset', user: { token: other.kubeToken } }];
  const clusters = [{ name: 'other', cluster: { server: other.kubeUrl } }];
  const contexts = [{ name: 'other', context: { cluster: 'other', user: 'levelset' } }];
  await writeFile(
    kubeconfig,
    JSON.stringify({
      apiVersion: 'v1',
      kind: 'Config',
      clusters,
      users,
      contexts,
      'current-context': 'other',
    }),
  );
  try {
    await deploy();
    other.kube.apply({ kind: 'Namespace', metadata: { name: world.namespace } });
    other.kube.apply({
      ...aService(world.namespace, 'web'),
      kind: 'Service',
      metadata: { namespace: world.namespace, name: 'web' },
    });
    await sweepUntilSettled();
    await sweepUntilSettled({ kubeconfig });
    const named = async (): Promise<number> =>
      (await loadBalancers()).filter(({ name }) => name === `kube_service_lab_${world.namespace}_web`).length;
    expect(await named()).toBe(2);

    other.kube.delete('Service', world.namespace, 'web');
    await sweepUntilSettled({ kubeconfig });

    expect(await named()).toBe(1);
    expect((await balancersOf()).length).toBe(1);
    expect((await runLevelset(['sweep'])).code).toBe(0);
  } finally {
    await other.close();
  }
});
