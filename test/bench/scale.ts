/**
 * levelset in large worlds: N Services of two pools of 50 members, chosen by node-selector from 1,000 Nodes. `npm run
 * bench:scale`; SIZES (100,1000,5000), NODES (1000) and GROUPS (20) change it. The simulators have a process of their own, and
 * each line of levelset that is cold a new one. PROFILE=DIR writes a CPU profile of the cold sweep.
 */
import { startScaleWorld } from './scale/scale-world.ts';
import type { Levelset, ScaleWorld } from './scale/scale-world.ts';

const SIZES = (process.env['SIZES'] ?? '100,1000,5000').split(',').map(Number);
const NODES = Number(process.env['NODES'] ?? 1_000);
const GROUPS = Number(process.env['GROUPS'] ?? 20);
const PROFILE = process.env['PROFILE'];
const PORTS = 2;
/** A watermark may not rest on a change of the last two seconds. */
const SURE_MS = 3_000;

const HEADS = [
  'Services',
  'work                      ',
  'CPU s',
  'wall s',
  'MB now',
  'MB most',
  'calls of OpenStack',
  'pages',
  'kube',
  'of these writes',
  'sandbox CPU s',
  'sandbox MB',
  'found',
];

console.log(`${NODES} Nodes in ${GROUPS} groups; Services of ${PORTS} pools with the members of a group`);
console.log(HEADS.join(' | '));
for (const size of SIZES) await measureSize(size);

async function measureSize(count: number): Promise<void> {
  const world = await startScaleWorld({ count, nodes: NODES, groups: GROUPS, ports: PORTS });
  const row = async (
    work: string,
    levelset: Levelset,
    run: () => Promise<number | undefined>,
  ): Promise<void> => {
    await print(count, work, world, levelset, run);
  };
  try {
    const maker = await world.levelset();
    await row('create all', maker, () => maker.ask('settle', world.names).then(() => undefined));
    const { members } = await world.sandbox.ask('contents', undefined);
    if (members !== (count * PORTS * NODES) / GROUPS) throw new Error(`${members} members`);
    await new Promise((resolve) => setTimeout(resolve, SURE_MS));
    await row('first sweep after, with runs', maker, () => maker.ask('catchUp', undefined));
    await maker.stop();

    const next = await world.levelset();
    await row('cold sweep, with runs', next, () => next.ask('catchUp', undefined));
    await row('warm sweep', next, () => foundBy(next));
    await row('warm sweep again', next, () => foundBy(next));
    await next.stop();

    const cold = await world.levelset(PROFILE === undefined ? '' : `--cpu-prof --cpu-prof-dir=${PROFILE}`);
    await row('cold sweep', cold, () => foundBy(cold));
    await row('plan of one, ms', cold, () => cold.ask('planOne', world.names[0] ?? ''));
    await cold.stop();

    await world.sandbox.ask('forget', undefined);
    const robbed = await world.levelset();
    await row('cold, ConfigMaps emptied, runs', robbed, () => robbed.ask('catchUp', undefined));
    await robbed.stop();
  } finally {
    await world.close();
  }
}

async function foundBy(levelset: Levelset): Promise<number> {
  const { found, failed, warnings } = await levelset.ask('sweep', undefined);
  if (failed !== undefined || warnings.length > 0) throw new Error([failed, ...warnings].join('; '));
  return found;
}

async function print(
  count: number,
  work: string,
  world: ScaleWorld,
  levelset: Levelset,
  run: () => Promise<number | undefined>,
): Promise<void> {
  const { value, wallMs, levelset: own, sandbox, requests } = await world.measure(levelset, run);
  const cells = [
    ...[String(count), work, (own.cpuMs / 1e3).toFixed(1), (wallMs / 1e3).toFixed(1)],
    ...[own.rssMb, own.peakMb, requests.openstack, requests.pages, requests.kube, requests.writes].map(
      String,
    ),
    ...[(sandbox.cpuMs / 1e3).toFixed(1), String(sandbox.rssMb), String(value ?? '')],
  ];
  console.log(
    cells
      .map((cell, at) =>
        at === 1 ? cell.padEnd(HEADS[at]?.length ?? 0) : cell.padStart(HEADS[at]?.length ?? 0),
      )
      .join(' | '),
  );
}
