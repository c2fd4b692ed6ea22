/**
 * The work of a cluster, side by side: levelset against the floor, in one run on the lab. SERVICES (20), PORTS (2) and
 * NODES (10) change its size. Prints a table of seconds and of calls as counted at the APIs; polls, and what other services ask in our name, apart.
 */
import { prepareLab } from '../e2e/lab/prepare-lab.ts';
import {
  allPools,
  aNamespace,
  apply,
  aService,
  countCalls,
  joinCluster,
  kube,
  kubectl,
  labResources,
  nothingLeft,
  removeNamespace,
  removeNodes,
  runLevelset,
  someNodes,
  someServers,
  startLevelset,
  stopAllLevelsets,
  until,
  writeCloudConfig,
  writes,
  type ApiCall,
  type Levelset,
} from '../e2e/lab/lab.ts';
import { createAll, deleteAll, joinAll, type Work } from './floor.ts';

const size = (name: string, otherwise: number): number => Number(process.env[name] ?? otherwise);
const [SERVICES, PORTS, NODES] = [size('SERVICES', 20), size('PORTS', 2), size('NODES', 10)];
const LONG = { timeoutMs: 600_000, everyMs: 500 };

interface Row {
  readonly work: string;
  readonly floor?: number;
  readonly levelset: number;
  readonly calls: readonly ApiCall[];
}

const rows: Row[] = [];
const prepared = await prepareLab();
const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index);
const nodes = await someNodes(numbers(NODES).map((index) => `bench-${index}`));
const [joining] = await someServers(['bench-joining']);
if (!joining) throw new Error('no server to join');
const namespace = await aNamespace();
try {
  const floor = await measureFloor();
  await measureLevelset(floor);
  print();
} finally {
  await stopAllLevelsets();
  await kubectl(['-n', namespace, 'delete', 'services', '--all', '--wait=false']);
  await removeNamespace(namespace);
  await removeNodes([...nodes, joining]);
  await prepared.cleanUp();
}

async function measureFloor(): Promise<Readonly<Record<'create' | 'join' | 'delete', number>>> {
  const work: Work = {
    services: SERVICES,
    ports: PORTS,
    addresses: nodes.map(({ address }) => address),
    subnet: labResources().private_v4,
    floatingNetwork: labResources().public_network,
  };
  const start = Date.now();
  const made = await createAll(work);
  const created = Date.now();
  await joinAll(made, joining?.address ?? '', work.subnet);
  const joined = Date.now();
  await deleteAll(made);
  await nothingLeft({ timeoutMs: 60_000 });
  return {
    create: seconds(start, created),
    join: seconds(created, joined),
    delete: seconds(joined, Date.now()),
  };
}

async function measureLevelset(floor: Readonly<Record<'create' | 'join' | 'delete', number>>): Promise<void> {
  const cloudConfig = await writeCloudConfig('bench', {
    LoadBalancer: { 'monitor-delay': '5s', 'monitor-timeout': '3s', 'monitor-max-retries-down': 3 },
  });
  const levelset = await startLevelset({ cloudConfig });
  const names = numbers(SERVICES).map((index) => `svc-${index}`);
  const ports = numbers(PORTS).map((index) => ({ port: 80 + index }));

  await measure('create one alone', undefined, async () => {
    await apply([aService(namespace, 'alone', ports)]);
    await until('its address', async () => (await listServices()).every(hasAddress), LONG);
  });
  await kubectl(['-n', namespace, 'delete', 'service', 'alone']);
  await nothingLeft();
  const start = Date.now();
  const times = new Map<string, number>();
  await measure('create, all addresses in status', floor.create, async () => {
    await apply(names.map((name) => aService(namespace, name, ports)));
    await until('all addresses', async () => (await noteAddresses(start, times)) === SERVICES, LONG);
  });
  const [first = 0] = times.values();
  const mean = [...times.values()].reduce((sum, time) => sum + time, 0) / times.size;
  console.log(
    `of ${SERVICES} at once: first ${first} s, mean ${mean.toFixed(1)} s, last ${Math.max(...times.values())} s`,
  );
  await settleAll(levelset, cloudConfig);
  await measure('nothing changed, one sweep', undefined, async () => {
    const { code, stdout } = await runLevelset(['sweep', '--dry-run'], { cloudConfig });
    if (code !== 0) throw new Error(`the sweep was not settled: ${stdout}`);
  });
  await measure('one node joins, a member of every pool', floor.join, async () => {
    await joinCluster(joining ?? { name: '', server: '', address: '' });
    await until('every pool to have it', () => everyPoolHasMembers(NODES + 1), LONG);
  });
  await measure('delete', floor.delete, async () => {
    await kubectl(['-n', namespace, 'delete', 'services', '--all', '--wait=false']);
    await until('all Services to be gone', async () => (await listServices()).length === 0, LONG);
  });
  await nothingLeft();
}

/** The sweeps that a running levelset makes every five minutes, until one finds nothing to do. */
async function settleAll(levelset: Levelset, cloudConfig: string): Promise<void> {
  await until(
    'a settled world',
    async () => {
      await levelset.resync({ all: true });
      await new Promise((resolve) => setTimeout(resolve, 15_000));
      return (await runLevelset(['sweep', '--dry-run'], { cloudConfig })).stdout.includes('; 0 need work');
    },
    { ...LONG, everyMs: 1_000 },
  );
}

async function measure(work: string, floor: number | undefined, run: () => Promise<void>): Promise<void> {
  const counter = await countCalls();
  const start = Date.now();
  await run();
  const levelset = seconds(start, Date.now());
  rows.push({ work, levelset, calls: await counter.stop(), ...(floor === undefined ? {} : { floor }) });
}

/** When each Service had its address, in seconds. Returns how many have one. */
async function noteAddresses(start: number, times: Map<string, number>): Promise<number> {
  for (const service of await listServices())
    if (hasAddress(service) && !times.has(service.metadata.name))
      times.set(service.metadata.name, seconds(start, Date.now()));
  return times.size;
}

/** As the floor has it: all there, and Octavia done with all of them. */
async function everyPoolHasMembers(count: number): Promise<boolean> {
  const all = await allPools();
  return (
    all.length === SERVICES * PORTS &&
    all.every(
      (pool) => pool['provisioning_status'] === 'ACTIVE' && (pool['members'] as unknown[]).length === count,
    )
  );
}

interface ListedService {
  readonly metadata: { readonly name: string };
  readonly status?: { readonly loadBalancer?: { readonly ingress?: readonly unknown[] } };
}

/** One list call a look: the question must not cost what it measures. */
function listServices(): Promise<readonly ListedService[]> {
  return kube.list(`/api/v1/namespaces/${namespace}/services`);
}

function hasAddress({ status }: ListedService): boolean {
  return (status?.loadBalancer?.ingress ?? []).length > 0;
}

/**
 * Whether another service asked this of Neutron in the name of who asked it: Nova reads the ports of the servers that it lists and
 * the names of their groups, Octavia the subnet of each VIP and each member. levelset itself reads one once in its life.
 */
function isInOurName({ service, path }: ApiCall): boolean {
  return (
    service === 'neutron' && /^\/v2.0\/(ports\?device_id=|security-groups\?id=|subnets\/[^?]+$)/.test(path)
  );
}

function seconds(from: number, to: number): number {
  return Math.round((to - from) / 100) / 10;
}

function print(): void {
  console.log(`\n${SERVICES} Services of ${PORTS} ports, ${NODES} nodes`);
  console.log(
    'work                                    | floor s | levelset s | ratio | calls (writes) | a Service | polls | in our name | by service',
  );
  for (const { work, floor, levelset, calls: all } of rows) {
    // the list of busy load balancers, one for all that wait
    const polls = all.filter(({ path }) => path.includes('fields=provisioning_status'));
    const calls = all.filter((call) => !polls.includes(call) && !isInOurName(call));
    const by = [...new Set(calls.map(({ service }) => service))].map(
      (service) => `${service} ${calls.filter((call) => call.service === service).length}`,
    );
    const ratio = floor === undefined ? '' : (levelset / floor).toFixed(2);
    const cells = [
      work.padEnd(39),
      String(floor ?? '').padStart(7),
      String(levelset).padStart(10),
      ratio.padStart(5),
      `${calls.length} (${writes(calls).length})`.padStart(14),
      (calls.length / SERVICES).toFixed(2).padStart(9),
      String(polls.length).padStart(5),
      String(all.filter(isInOurName).length).padStart(11),
      by.join(', '),
    ];
    console.log(cells.join(' | '));
  }
}
