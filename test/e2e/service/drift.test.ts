/** What somebody changes by hand in a real Octavia is told as drift, and put back. */
import { expect, it } from 'vitest';
import type { Step } from '../../../shared/model/plan.ts';
import {
  addressOf,
  apply,
  aService,
  cloud,
  eventsOf,
  readyOf,
  runLevelset,
  settled,
  treeOf,
  until,
} from '../lab/lab.ts';
import { labWorld } from '../lab/lab-world.ts';

const world = labWorld({ nodes: ['e2e-drift-1', 'e2e-drift-2'] });

interface Told {
  readonly drift: readonly Step[];
}

it('is reported, or put back by one sweep; what is missing comes back in both cases', async () => {
  const { namespace, cloudConfig } = world;
  const service = `service/${namespace}/web`;
  const run = (command: string) => runLevelset(command.split(' '), { cloudConfig });
  const deploy = (drift: string) =>
    apply([
      aService(namespace, 'web', [{ port: 80 }], { annotations: { 'levelset.openstack.org/drift': drift } }),
    ]);
  await deploy('report');
  await addressOf(namespace, 'web');
  await until('the Service to be ready', async () => (await readyOf(namespace, 'web'))?.status === 'True');
  const resynced = () =>
    until('it is settled', async () => (await world.levelset.resync({ objects: [service] })).status === 200);
  await resynced();
  const { loadBalancer: lb, listeners, pools } = await treeOf(namespace, 'web');
  const byHand = async (path: string, method: 'PUT' | 'DELETE', body?: object): Promise<void> => {
    await cloud().must('load-balancer', method, `/v2.0/lbaas${path}`, body);
    await settled(lb.id);
  };
  await byHand(`/listeners/${listeners[0]?.id ?? ''}`, 'PUT', {
    listener: { connection_limit: 7, timeout_client_data: 12_345 },
  });
  await byHand(`/pools/${pools[0]?.id ?? ''}`, 'PUT', { pool: { lb_algorithm: 'SOURCE_IP' } });
  await byHand(`/pools/${pools[0]?.id ?? ''}/members/${pools[0]?.members[0]?.id ?? ''}`, 'DELETE');

  const first = await run(`drift -o json ${service}`);
  const [told] = JSON.parse(first.stdout) as readonly Told[];
  expect(first.code).toBe(2);
  expect(told?.drift.map(({ verb, address }) => `${verb} ${address}`)).toEqual([
    'update listener/tcp/80',
    'update pool/tcp/80',
    expect.stringMatching(/^(create member|members pool)\/tcp\/80/),
  ]);
  console.log((await run(`drift ${service}`)).stdout);
  await resynced();
  const [pool] = (await treeOf(namespace, 'web')).pools;
  expect(pool).toMatchObject({ lb_algorithm: 'SOURCE_IP' });
  expect(pool?.members).toHaveLength(2);

  await deploy('repair');
  const now = await until('the repair', async () => {
    const tree = await treeOf(namespace, 'web');
    return tree.pools[0]?.members.length === 2 && tree.pools[0]['lb_algorithm'] === 'ROUND_ROBIN' && tree;
  });
  expect(now.listeners[0]).toMatchObject({ connection_limit: -1, timeout_client_data: 12_345 });
  const reasons = await until('both Events', async () => {
    const all = (await eventsOf(namespace, 'web')).map(({ reason }) => reason);
    return all.includes('DriftReported') && all.includes('DriftRepaired') && all;
  });
  expect(reasons).toContain('DriftRepaired');
  await until('no drift', async () => (await run(`drift ${service}`)).code === 0);
});
