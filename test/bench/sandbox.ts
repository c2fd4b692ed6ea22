/**
 * How the simulators grow: N Services with 100 Nodes come to rest, each N in a world of its own. `npm run bench:sandbox`;
 * SIZES (100,1000,5000) and NODES (100) change it. The simulators have a process of their own, whose CPU per settled
 * Service tells whether their work is linear. PROFILE=DIR writes a CPU profile of them.
 */
import { startScaleWorld } from './scale/scale-world.ts';

const SIZES = (process.env['SIZES'] ?? '100,1000,5000').split(',').map(Number);
const NODES = Number(process.env['NODES'] ?? 100);
const PROFILE = process.env['PROFILE'];

console.log(`${NODES} Nodes, Services of one port with all of them as members`);
const HEADS = [
  'Services',
  'sandbox CPU s',
  'ms a Service',
  'sandbox MB',
  'requests a Service',
  'levelset CPU s',
  'wall s',
];
console.log(HEADS.join(' | '));
for (const count of SIZES) {
  const options = PROFILE === undefined ? '' : `--cpu-prof --cpu-prof-dir=${PROFILE}`;
  const world = await startScaleWorld({ count, nodes: NODES, groups: 0, ports: 1 }, options);
  const levelset = await world.levelset();
  const figures = await world.measure(levelset, () => levelset.ask('settle', world.names));
  const { members } = await world.sandbox.ask('contents', undefined);
  if (members !== count * NODES) throw new Error(`${members} members`);
  const { kube, openstack, pages } = figures.requests;
  const cells = [
    ...[String(count), (figures.sandbox.cpuMs / 1e3).toFixed(1), (figures.sandbox.cpuMs / count).toFixed(1)],
    ...[String(figures.sandbox.peakMb), ((kube + openstack + pages) / count).toFixed(1)],
    ...[(figures.levelset.cpuMs / 1e3).toFixed(1), (figures.wallMs / 1e3).toFixed(1)],
  ];
  console.log(cells.map((cell, at) => cell.padStart(HEADS[at]?.length ?? 0)).join(' | '));
  await world.close();
}
