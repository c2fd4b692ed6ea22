/**
 * Sweeps of a settled cluster on the lab, as it grows: SIZES=20,100,500 internal load balancers with a port each, on a subnet of
 * their own, since the lab's others hold 250 addresses. Cold is a process of its own, warm the running `serve`. Prints the
 * calls as counted at the APIs, and the seconds. Apart stand further pages, and what Nova and Octavia ask of Neutron in our name.
 */
import { prepareLab } from '../e2e/lab/prepare-lab.ts';
import {
  aNamespace,
  apply,
  aService,
  cloud,
  countCalls,
  kubectl,
  nothingLeft,
  removeNamespace,
  removeNodes,
  runLevelset,
  someNodes,
  startLevelset,
  stopAllLevelsets,
  until,
  writeCloudConfig,
  writes,
  type ApiCall,
  type Levelset,
} from '../e2e/lab/lab.ts';
import { isInOurName } from './in-our-name.ts';
import { allHaveAddresses, listServices } from './list-services.ts';

const SIZES = (process.env['SIZES'] ?? '20,100,500').split(',').map(Number);
const LONG = { timeoutMs: 3_600_000, everyMs: 2_000 };

const prepared = await prepareLab();
const nodes = await someNodes(['sweeps-1', 'sweeps-2', 'sweeps-3']);
const namespace = await aNamespace();
const { network } = await cloud().must<{ network: { id: string } }>('network', 'POST', '/v2.0/networks', {
  network: { name: 'levelset-bench-sweeps' },
});
try {
  const { subnet } = await cloud().must<{ subnet: { id: string } }>('network', 'POST', '/v2.0/subnets', {
    subnet: { network_id: network.id, ip_version: 4, cidr: '10.99.0.0/21', gateway_ip: null },
  });
  await measure(subnet.id);
} finally {
  await kubectl(['-n', namespace, 'delete', 'services', '--all', '--wait=false']);
  await until('all Services to be gone', async () => (await listServices(namespace)).length === 0, LONG);
  await stopAllLevelsets();
  await removeNamespace(namespace);
  await nothingLeft({ timeoutMs: 120_000 });
  await cloud().must('network', 'DELETE', `/v2.0/networks/${network.id}`);
  await removeNodes(nodes);
  await prepared.cleanUp();
}

async function measure(subnet: string): Promise<void> {
  const cloudConfig = await writeCloudConfig('sweeps', {
    LoadBalancer: { 'subnet-id': subnet, 'internal-lb': true },
  });
  const levelset = await startLevelset({ cloudConfig });
  console.log(
    'Services | made in s | sweep | calls (writes) | pages more | in our name | seconds | by service',
  );
  let made = 0;
  for (const size of SIZES) {
    const start = Date.now();
    const names = Array.from({ length: size - made }, (_, index) => `svc-${made + index}`);
    await apply(names.map((name) => aService(namespace, name)));
    made = size;
    await until(`${size} addresses`, () => allHaveAddresses(namespace), LONG);
    const madeIn = since(start);
    await settle(levelset, cloudConfig);
    for (const [sweep, run] of [
      ['cold', () => coldSweep(cloudConfig)],
      ['warm', () => warmSweep(levelset)],
      ['warm', () => warmSweep(levelset)],
    ] as const) {
      const counter = await countCalls();
      const began = Date.now();
      await run();
      print(
        `${String(size).padStart(8)} | ${madeIn.padStart(9)} | ${sweep} `,
        await counter.stop(),
        since(began),
      );
    }
  }
}

/** Until a cold sweep reads nothing more than a sweep of a settled cluster: one after the last write still reads members. */
async function settle(levelset: Levelset, cloudConfig: string): Promise<void> {
  await until(
    'a settled world',
    async () => {
      await warmSweep(levelset);
      return (await runLevelset(['sweep', '--dry-run'], { cloudConfig })).stdout.includes('; 0 need work');
    },
    { ...LONG, everyMs: 5_000 },
  );
  await coldSweep(cloudConfig);
}

async function coldSweep(cloudConfig: string): Promise<void> {
  const { code, stdout } = await runLevelset(['sweep'], { cloudConfig });
  if (code !== 0) throw new Error(`the sweep was not settled: ${stdout}`);
}

async function warmSweep(levelset: Levelset): Promise<void> {
  const sweeps = (): number => levelset.log().split('"swept"').length;
  const before = sweeps();
  await levelset.resync({ all: true });
  await until('the sweep to end', () => Promise.resolve(sweeps() > before), {
    timeoutMs: 600_000,
    everyMs: 100,
  });
}

function print(row: string, all: readonly ApiCall[], seconds: string): void {
  const pages = all.filter(({ path }) => path.includes('marker='));
  const inOurName = all.filter(isInOurName);
  const calls = all.filter((call) => !pages.includes(call) && !inOurName.includes(call));
  const by = [...new Set(calls.map(({ service }) => service))].map(
    (service) => `${service} ${calls.filter((call) => call.service === service).length}`,
  );
  console.log(
    [
      `${row}| ${`${calls.length} (${writes(calls).length})`.padStart(14)}`,
      String(pages.length).padStart(10),
      String(inOurName.length).padStart(11),
      seconds.padStart(7),
      by.join(', '),
    ].join(' | '),
  );
}

function since(start: number): string {
  return ((Date.now() - start) / 1000).toFixed(1);
}
