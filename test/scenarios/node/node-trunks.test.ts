/** Nodes whose servers have trunks: a subport is no port of the server, and Nova does not list it. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { sweep } from '../../../shared/sweep.ts';
import { joinNodes, type JoinedNode } from '../../support/nodes.ts';
import { startNodeWorld, type NodeWorld } from '../../support/node-world.ts';

let it: NodeWorld;
let workers: readonly JoinedNode[];
beforeEach(async () => {
  it = await startNodeWorld();
  it.sandbox.cloud.addNetwork('vlan', '10.50.0.0/22');
  workers = joinNodes(it.sandbox, 4);
});
afterEach(() => it.close());

/** Each sub-port is made as a port of a server that the Node knows nothing of. */
const giveTrunk = ({ server }: JoinedNode, size: number): void => {
  const { cloud } = it.sandbox;
  const before = new Set(cloud.ports);
  for (let made = 0; made < size; made += 1) cloud.addNovaServer('trunk', { networks: ['vlan'] });
  const subports = cloud.ports.filter((port) => !before.has(port));
  const parent = cloud.ports.find(({ device_id: id }) => id === server.id);
  for (const port of subports) Object.assign(port, { device_id: 'trunk', device_owner: 'trunk:subport' });
  Object.assign(parent ?? {}, {
    trunk_details: { trunk_id: 'trunk', sub_ports: subports.map(({ id }) => ({ port_id: id })) },
  });
};
const vlanIPs = (name: string): number =>
  it.node(name).status?.addresses?.filter(({ address }) => address.startsWith('10.50.')).length ?? 0;

test('a sweep lists the sub-ports of all Nodes at once', async () => {
  for (const worker of workers) giveTrunk(worker, 2);
  await it.sweepUntilSettled();
  expect(workers.map(({ name }) => vlanIPs(name))).toEqual([2, 2, 2, 2]);

  it.calls();
  expect((await sweep(it.world)).requests).toEqual([]);
  expect(it.calls().filter((call) => call.includes('/ports'))).toHaveLength(2);
});

test('a trunk with very many of them makes no URL that nobody takes', async () => {
  for (const worker of workers.slice(0, 2)) giveTrunk(worker, 120);
  await it.sweepUntilSettled();
  await it.reconcile('worker-1', { trigger: 'sweep' });
  expect(workers.map(({ name }) => vlanIPs(name))).toEqual([120, 120, 0, 0]);
  expect(Math.max(...it.sandbox.requests.map(({ path }) => path.length))).toBeLessThan(4_000);
});
