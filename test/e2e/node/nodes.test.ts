/** Members follow the Nodes, and a node whose address comes late is never lost. */
import { beforeAll, beforeEach, expect, it } from 'vitest';
import {
  addressOf,
  answeringNodes,
  apply,
  aService,
  giveAddress,
  joinCluster,
  leaveCluster,
  longestOutage,
  nodeDown,
  nodeUp,
  startTraffic,
  treeOf,
  until,
  type LabNode,
} from '../lab/lab.ts';
import { labWorld } from '../lab/lab-world.ts';

const world = labWorld({ nodes: ['e2e-nodes-1', 'e2e-nodes-2'], servers: ['e2e-nodes-late'] });
let late: LabNode;
let address = '';
beforeAll(() => {
  [late] = world.servers as [LabNode];
});
beforeEach(async () => {
  await apply([aService(world.namespace, 'web', [{ port: 80 }])]);
  address = await addressOf(world.namespace, 'web');
});

const memberCount = async (): Promise<number | undefined> =>
  (await treeOf(world.namespace, 'web')).pools[0]?.members.length;

const names = async (): Promise<string> => [...(await answeringNodes(`http://${address}/`, 9))].sort().join();

it('serves through a node that joined half a second before its address, twenty times out of twenty', async () => {
  const seconds: number[] = [];
  for (let time = 0; time < 20; time += 1) {
    await joinCluster(late, { withAddress: false });
    await new Promise((resolve) => setTimeout(resolve, 500));
    await giveAddress(late);
    const since = Date.now();
    await until(`the late node to answer, time ${time}`, async () => (await names()).includes(late.name), {
      timeoutMs: 40_000,
    });
    seconds.push((Date.now() - since) / 1000);
    await leaveCluster(late.name);
    await until('the late node to be out', async () => !(await names()).includes(late.name), {
      timeoutMs: 40_000,
    });
  }
  const sorted = seconds.toSorted((a, b) => a - b);
  console.log(`late node: 20 of 20 served, median ${String(sorted[10])} s, slowest ${String(sorted[19])} s`);
  expect(sorted[19]).toBeLessThan(20);
});

it('takes a node out that leaves while requests run, and loses none for longer than the monitor needs', async () => {
  await joinCluster(late);
  await until('three nodes', async () => (await names()).split(',').length === 3);
  const traffic = startTraffic(`http://${address}/`, 30);

  await nodeDown(late.name);
  await leaveCluster(late.name);
  await until('two members', async () => (await memberCount()) === 2);
  await new Promise((resolve) => setTimeout(resolve, 2_000));

  const answers = await traffic.stop();
  await nodeUp(late.name);
  expect(answers.length).toBeGreaterThan(50);
  expect(longestOutage('node leaves', answers)).toBeLessThan(2_500);
});
