/**
 * How the simulators grow: N Services with 100 Nodes come to rest, each N in a world of its own. `npm run bench:sandbox`;
 * SIZES (100,300,1000) and NODES (100) change it. Prints seconds of CPU of this process, which has the simulators and
 * levelset in it, and the requests, so that CPU per Service tells whether the work is linear.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { Work } from '../../functions/serve/work.ts';
import { serviceKey, type Key } from '../../shared/model/request.ts';
import { startSandboxWorld } from '../support/sandbox-world.ts';
import type { SandboxWorld } from '../support/sandbox-world.ts';
import { aService } from '../support/service.ts';

const SIZES = (process.env['SIZES'] ?? '100,300,1000').split(',').map(Number);
const NODES = Number(process.env['NODES'] ?? 100);
const ROOM = { cidrs: { public: '203.0.0.0/16', private: '10.0.0.0/16' } };

console.log(
  `${NODES} Nodes\nServices | CPU s | ms of CPU per Service | requests | requests per Service | wall s`,
);
for (const size of SIZES) await measure(size);

async function measure(size: number): Promise<void> {
  const it = await startSandboxWorld({ ...ROOM, nodes: NODES });
  try {
    const { cloud, kube, requests } = it.sandbox;
    Object.assign(cloud.quotas, { port: -1, floatingip: -1 });
    const names = Array.from({ length: size }, (_, at) => `svc-${at}`);
    for (const name of names) kube.apply(aService({ name }));
    const [before, cpu, start] = [requests.length, process.cpuUsage(), Date.now()];
    await settleAll(it, names);
    const { user, system } = process.cpuUsage(cpu);
    const made = requests.length - before;
    if (cloud.members.length !== size * NODES) throw new Error(`${cloud.members.length} members`);
    const cells = [
      [String(size), 8],
      [((user + system) / 1e6).toFixed(1), 5],
      [((user + system) / 1e3 / size).toFixed(1), 21],
      [String(made), 8],
      [(made / size).toFixed(1), 20],
      [((Date.now() - start) / 1e3).toFixed(1), 6],
    ] as const;
    console.log(cells.map(([text, width]) => text.padStart(width)).join(' | '));
  } finally {
    await it.close();
  }
}

/** The queue of `levelset serve`, told of all of them at once. */
async function settleAll({ world }: SandboxWorld, names: readonly string[]): Promise<void> {
  const left = new Set<Key>(names.map((name) => serviceKey('default', name)));
  const work = new Work({
    connected: {
      world,
      cluster: async () => ({ id: await world.kube.clusterId(), name: world.config.clusterName }),
    },
    reported: ({ request, outcome }) => {
      if (outcome.status === 'settled') left.delete(request.key);
    },
    swept: () => undefined,
  });
  await work.enqueue([...left].map((key) => ({ key, trigger: 'audit' })));
  while (!work.idle) await pause(20);
  await work.stop();
  if (left.size > 0) throw new Error(`${left.size} Services are not settled`);
}
