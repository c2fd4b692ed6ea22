/** A Service whose owner has made a mistake serves on through the upgrade of all its nodes: its members open nothing, so they follow. */
import { expect, it } from 'vitest';
import {
  addressOf,
  answeringNodes,
  apply,
  aService,
  joinCluster,
  leaveCluster,
  longestOutage,
  nodeDown,
  nodeUp,
  readyOf,
  startTraffic,
  treeOf,
  until,
} from '../lab/lab.ts';
import { labWorld } from '../lab/lab-world.ts';

const world = labWorld({
  nodes: ['e2e-blocked-old-1', 'e2e-blocked-old-2'],
  servers: ['e2e-blocked-new-1', 'e2e-blocked-new-2'],
});
const PORTS = [{ port: 80 }, { port: 8080 }];
const MISTAKE = { 'loadbalancer.openstack.org/class': 'gone' };

const deploy = (annotations: Record<string, string>): Promise<string> =>
  apply([aService(world.namespace, 'web', PORTS, { annotations })]);

/** The members of each pool by their addresses, and what of the listeners says who may come in. */
async function now(): Promise<{ readonly members: readonly string[]; readonly open: readonly unknown[] }> {
  const { listeners, pools } = await treeOf(world.namespace, 'web');
  return {
    members: pools.map(({ members }) =>
      members
        .map(({ address }) => String(address))
        .sort()
        .join(),
    ),
    open: listeners.map(({ id, protocol_port: port, allowed_cidrs: from, default_pool_id: pool }) => [
      id,
      port,
      from,
      pool,
    ]),
  };
}

it(
  'goes from the old nodes to the new ones under requests, while its class is gone from cloud.conf',
  { timeout: 300_000 },
  async () => {
    await deploy({});
    const url = `http://${await addressOf(world.namespace, 'web')}/`;
    const answering = async (): Promise<string> => [...(await answeringNodes(url, 9))].sort().join();
    await until(
      'both old nodes to answer',
      async () => (await answering()) === 'e2e-blocked-old-1,e2e-blocked-old-2',
    );
    const { open } = await now();

    await deploy(MISTAKE);
    await until(
      'the mistake to be told',
      async () => (await readyOf(world.namespace, 'web'))?.reason === 'LoadBalancerBlocked',
    );
    const told = await readyOf(world.namespace, 'web');

    const traffic = startTraffic(url, 30);
    for (const node of world.servers) await joinCluster(node);
    await until('four nodes to answer', async () => (await answering()).split(',').length === 4, {
      timeoutMs: 60_000,
    });
    for (const { name } of world.nodes) {
      await leaveCluster(name);
      await until(`${name} to be out`, async () => !(await answering()).includes(name), {
        timeoutMs: 60_000,
      });
      await nodeDown(name);
    }
    const wanted = world.servers
      .map(({ address }) => address)
      .sort()
      .join();
    await until('the new nodes in both pools', async () => {
      const { members } = await now();
      return members.length === PORTS.length && members.every((one) => one === wanted);
    });
    const answers = await traffic.stop();

    const outage = longestOutage(answers);
    console.log(
      `blocked Service: ${String(answers.length)} requests through the upgrade, longest outage ${String(outage)} ms`,
    );
    const after = await now();
    expect(after.open).toEqual(open);
    expect(await readyOf(world.namespace, 'web')).toEqual(told);
    expect(outage).toBeLessThan(1_000);

    // corrected, it is as ever
    await deploy({});
    await until(
      'the condition to be true',
      async () => (await readyOf(world.namespace, 'web'))?.status === 'True',
      { timeoutMs: 60_000 },
    );
    for (const node of world.nodes) {
      await nodeUp(node.name);
      await joinCluster(node);
    }
  },
);
