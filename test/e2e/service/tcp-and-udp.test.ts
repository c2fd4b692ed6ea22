/** One port number for TCP and UDP: two listeners, each with a pool of its own, and real traffic through both. */
import { expect, it } from 'vitest';
import {
  addressOf,
  answeringNodes,
  apply,
  aService,
  askMany,
  askUdp,
  longestOutage,
  startTraffic,
  treeOf,
  until,
} from '../lab/lab.ts';
import { labWorld } from '../lab/lab-world.ts';

const world = labWorld({ nodes: ['e2e-tcp-udp-1', 'e2e-tcp-udp-2'] });

/** Of the range for those that are asked for: by itself the apiserver would give both the same one. */
const TCP = { port: 53, protocol: 'TCP', nodePort: 30_053 } as const;
const UDP = { port: 53, protocol: 'UDP', nodePort: 30_054 } as const;
const deploy = (...ports: readonly (typeof TCP | typeof UDP)[]): Promise<string> =>
  apply([aService(world.namespace, 'dns', ports)]);

/** Which nodes answered, and at which of their ports. */
async function answersAt(url: string): Promise<ReadonlySet<string>> {
  const answers = await askMany(url, 8);
  return new Set(answers.map((one) => (one.ok ? `${one.node}:${String(one.port)}` : one.reason)));
}

it('TCP and UDP answer on the same port, each from every node at its own node port', async () => {
  await deploy(TCP, UDP);
  const address = await addressOf(world.namespace, 'dns');
  const tcp = `http://${address}:53/`;
  const udp = `udp://${address}:53`;
  for (const url of [tcp, udp])
    await until(
      `every node at ${url}`,
      async () => (await answeringNodes(url, 6)).size === world.nodes.length,
      { timeoutMs: 60_000 },
    );

  const everyNodeAt = ({ nodePort }: { readonly nodePort: number }): ReadonlySet<string> =>
    new Set(world.nodes.map(({ name }) => `${name}:${String(nodePort)}`));
  expect(await answersAt(tcp)).toEqual(everyNodeAt(TCP));
  expect(await answersAt(udp)).toEqual(everyNodeAt(UDP));

  // the one goes and comes back, the other does not notice
  const traffic = startTraffic(tcp, 30);
  await deploy(TCP);
  await until('no answer by UDP', async () => !(await askUdp(address, 53, { timeoutMs: 500 })).ok, {
    timeoutMs: 60_000,
  });
  await until(
    'the listener for TCP alone',
    async () => (await treeOf(world.namespace, 'dns')).listeners.length === 1,
  );
  await deploy(TCP, UDP);
  await until('UDP to answer again', async () => (await askUdp(address, 53)).ok, { timeoutMs: 60_000 });
  const outage = longestOutage(await traffic.stop());

  console.log(`UDP went and came back: longest outage of TCP ${String(outage)} ms`);
  expect(await answersAt(udp)).toEqual(everyNodeAt(UDP));
  expect(await answersAt(tcp)).toEqual(everyNodeAt(TCP));
  expect(outage).toBeLessThan(1_000);
});
