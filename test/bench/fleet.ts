/**
 * A fleet: simulated clusters, some of which share projects, some are slow and some hang, while people change Services, before one
 * process of `levelset serve --clusters`. `npm run bench:fleet`; CLUSTERS (1000), SERVICES (50) of each, PER_SECOND (20) edits over
 * all and ODD (5) slow and hanging clusters of each kind change it. The time is virtual: it passes by what is waited for, and by the
 * CPU that levelset takes. The simulators have a process of their own. PROFILE=DIR writes a CPU profile of levelset.
 */
import { CLOUD_MS, KUBE_MS, PENDING_MS, runFleet, SLOW_TIMES, type Phase } from './fleet/fleet.ts';
import { sweepsOf, tookOf, waitsOf } from './fleet/fleet.ts';

const { env } = process;
const clusters = Number(env['CLUSTERS'] ?? 1_000);
const services = Number(env['SERVICES'] ?? 50);
const perSecond = Number(env['PER_SECOND'] ?? 20);
const odd = Number(env['ODD'] ?? 5);

console.log(
  `${clusters} clusters of ${services} Services; an answer of a kube-apiserver takes ${KUBE_MS} ms, of OpenStack ${CLOUD_MS} ms, of ${odd} clusters ${SLOW_TIMES} times as long; PENDING_* takes ${PENDING_MS} ms`,
);
const row = (first: string, ...cells: readonly (string | number)[]): void => {
  console.log([first.padEnd(22), ...cells.map((cell) => String(cell).padStart(12))].join(' | '));
};
const s = (ms: number): string => (ms / 1e3).toFixed(1);
row('', 'virtual s', 'sweeps', 'runs', 'CPU s', 'sandbox s', 'wall s', 'OpenStack', 'kube', 'writes');

function print({ name, virtualMs, sweeps, runs, cpuMs, sandboxCpuMs, wallMs, calls }: Phase): void {
  const { kube = 0, keystone: _, ...openstack } = calls.byService;
  const sum = (counts: Readonly<Record<string, number>>): number =>
    Object.values(counts).reduce((all, count) => all + count, 0);
  const cpu = [s(cpuMs), s(sandboxCpuMs), s(wallMs)];
  const asked = [sum(openstack), kube, sum(calls.writes)];
  row(name, s(virtualMs), sweeps.length, runs.length, ...cpu, ...asked);
}

const options = env['PROFILE'] === undefined ? '' : `--cpu-prof --cpu-prof-dir=${env['PROFILE']}`;
const fleet = await runFleet({ clusters, services, perSecond, odd }, options, print);
const { quiet, interval, edits, slow, hanging, memory, sockets, metrics } = fleet;

const perSweep = quiet.cpuMs / Math.max(1, quiet.sweeps.length);
const ofEvents = interval.cpuMs - perSweep * interval.sweeps.length;
console.log(
  `a warm sweep: ${perSweep.toFixed(0)} ms of CPU; an event: ${(ofEvents / edits.length).toFixed(0)} ms`,
);
const { once, more, never } = sweepsOf(fleet, clusters);
console.log(
  `clusters in the interval: ${once} swept once, ${more} more often, ${never} never; ${hanging.length} hang`,
);
const ordinary = edits.filter(({ cluster }) => !slow.includes(cluster));
const { done, mean, p99, slowest, slowestCluster } = waitsOf(tookOf(ordinary, interval.runs));
console.log(
  `from event to done: ${done} of ${ordinary.length} done, mean ${s(mean)} s, p99 ${s(p99)} s, slowest cluster ${s(slowest)} s (${slowestCluster})`,
);
console.log(`not as wanted in OpenStack a minute after the interval: ${fleet.undone}`);
const { heapMb, externalMb, rssMb } = memory;
console.log(
  `memory after the interval: heap ${heapMb.toFixed(0)} MB, external ${externalMb.toFixed(0)} MB, RSS ${rssMb.toFixed(0)} MB, ${sockets} sockets`,
);
console.log(`/metrics: ${metrics.series} series, ${(metrics.bytes / 1e6).toFixed(1)} MB`);
