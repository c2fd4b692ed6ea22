/**
 * A fleet: simulated clusters, some of which share projects, some are slow and some hang, while people change Services, before one
 * process of `levelset serve --clusters`. `npm run bench:fleet`; CLUSTERS (1000), SERVICES (50) of each, PER_SECOND (20) edits over
 * all and ODD (5) slow and hanging clusters of each kind change it. The time is virtual: it passes by what is waited for, and by the
 * CPU that levelset takes. The simulators have a process of their own. PROFILE=DIR writes a CPU profile of levelset.
 */
import {
  CLOUD_MS,
  INTERVAL_MS,
  KUBE_MS,
  PENDING_MS,
  runFleet,
  SLOW_TIMES,
  type Phase,
} from './fleet/fleet.ts';
import { inWords, sweepsOf, tookOf, waitsOf } from './fleet/figures.ts';

const CLUSTERS = Number(process.env['CLUSTERS'] ?? 1_000);
const SERVICES = Number(process.env['SERVICES'] ?? 50);
const PER_SECOND = Number(process.env['PER_SECOND'] ?? 20);
const ODD = Number(process.env['ODD'] ?? 5);
const PROFILE = process.env['PROFILE'];

console.log(
  `${CLUSTERS} clusters of ${SERVICES} Services; an answer of a kube-apiserver takes ${KUBE_MS} ms, of OpenStack ${CLOUD_MS} ms, of ${ODD} clusters ${SLOW_TIMES} times as long; PENDING_* takes ${PENDING_MS} ms`,
);
const row = (...cells: readonly (string | number)[]): void => {
  console.log(
    cells.map((cell, at) => (at === 0 ? String(cell).padEnd(22) : String(cell).padStart(12))).join(' | '),
  );
};
const s = (ms: number): string => (ms / 1e3).toFixed(1);
row('', 'virtual s', 'sweeps', 'runs', 'CPU s', 'sandbox s', 'wall s', 'OpenStack', 'kube', 'writes');

const size = { clusters: CLUSTERS, services: SERVICES, perSecond: PER_SECOND, odd: ODD };
const options = PROFILE === undefined ? '' : `--cpu-prof --cpu-prof-dir=${PROFILE}`;
const fleet = await runFleet(size, options, print);
const { quiet, interval, edits, slow, hanging, memory } = fleet;

function print({ name, virtualMs, sweeps, runs, cpuMs, sandboxCpuMs, wallMs, calls }: Phase): void {
  const { kube = 0, keystone: _, ...services } = calls.byService;
  const sum = (counts: Readonly<Record<string, number>>): number =>
    Object.values(counts).reduce((all, count) => all + count, 0);
  row(
    ...[name, s(virtualMs), sweeps.length, runs.length, s(cpuMs), s(sandboxCpuMs), s(wallMs)],
    ...[sum(services), kube, sum(calls.writes)],
  );
}

const perSweep = quiet.cpuMs / Math.max(1, quiet.sweeps.length);
const ofEvents = interval.cpuMs - perSweep * interval.sweeps.length;
console.log(
  `a warm sweep: ${perSweep.toFixed(0)} ms of CPU; an event: ${(ofEvents / edits.length).toFixed(0)} ms`,
);
const { once, more, never } = sweepsOf(fleet, CLUSTERS);
console.log(
  `clusters in the interval: ${once} swept once, ${more} more often, ${never} never; ${hanging.length} hang`,
);
const ordinary = edits.filter(({ cluster }) => !slow.includes(cluster));
console.log(`from event to done: ${inWords(waitsOf(tookOf(ordinary, interval.runs)), ordinary.length)}`);
const ofSlow = edits.filter(({ cluster }) => slow.includes(cluster));
console.log(`of slow clusters:   ${inWords(waitsOf(tookOf(ofSlow, interval.runs)), ofSlow.length)}`);
console.log(`not as wanted in OpenStack a minute after the interval: ${fleet.undone}`);
for (const what of ['change', 'create', 'delete'] as const)
  console.log(`edits, ${what}: ${edits.filter((edit) => edit.what === what).length}`);
for (const [write, count] of Object.entries(fleet.writes)) console.log(`${write}: ${count}`);
console.log(`OpenStack, calls in ${INTERVAL_MS / 1e3} s: ${JSON.stringify(interval.calls.byService)}`);
console.log(`of one project: ${interval.calls.median} in the middle, ${interval.calls.most} at most`);
for (const [at, when] of ['before', 'all served', 'after the interval'].entries()) {
  const { heapMb = NaN, externalMb = NaN, rssMb = NaN, sockets = NaN } = memory[at] ?? {};
  console.log(
    `memory ${when}: heap ${heapMb.toFixed(0)} MB, external ${externalMb.toFixed(0)} MB, RSS ${rssMb.toFixed(0)} MB, ${sockets} sockets`,
  );
}
console.log(`/metrics: ${fleet.metrics.series} series, ${(fleet.metrics.bytes / 1e6).toFixed(1)} MB`);
console.log(`sandbox: ${fleet.sandboxMb} MB at most`);
