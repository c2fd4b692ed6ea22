/**
 * The functions on AWS before many clusters, in the real time: WORKERS (6) environments of the worker on SQS, CLUSTERS (40) simulated clusters of SERVICES (20), and PER_SECOND (2) edits over all for SECONDS (90). `npm run bench:workers`.
 * The simulators have a process of their own. Needs what infra/lab builds: ElasticMQ and Java.
 */
import { CLOUD_MS, KUBE_MS, measureWorkers, PENDING_MS, type Size } from './fleet-workers/measure.ts';
import { inWords, waitsOf } from './fleet/figures.ts';

const size: Size = {
  workers: Number(process.env['WORKERS'] ?? 6),
  clusters: Number(process.env['CLUSTERS'] ?? 40),
  services: Number(process.env['SERVICES'] ?? 20),
  perSecond: Number(process.env['PER_SECOND'] ?? 2),
  seconds: Number(process.env['SECONDS'] ?? 90),
};

const s = (ms: number): string => (ms / 1e3).toFixed(1);
console.log(
  `${size.workers} workers; ${size.clusters} clusters of ${size.services} Services, ${size.perSecond} edits a second for ${size.seconds} s; an answer of a kube-apiserver takes ${KUBE_MS} ms, of OpenStack ${CLOUD_MS} ms; PENDING_* takes ${PENDING_MS} ms`,
);
const { workers, edits, undone, calls, lateMs } = await measureWorkers(size);
for (const [at, { runs, sweeps, cpuMs, busyMs, rssMb, peakMb }] of workers.entries())
  console.log(
    `worker ${at + 1}: ${runs} runs, ${sweeps} sweeps, CPU ${s(cpuMs)} s, at work ${s(busyMs)} s, RSS ${rssMb.toFixed(0)} MB, ${peakMb.toFixed(0)} MB at most`,
  );
const took = edits.flatMap(({ cluster, tookMs: ms }) => (ms === undefined ? [] : [{ cluster, ms }]));
console.log(`from event to done: ${inWords(waitsOf(took), edits.length)}`);
console.log(`not as wanted in OpenStack at the end: ${undone}`);
for (const what of ['change', 'create', 'delete'] as const)
  console.log(`edits, ${what}: ${edits.filter((edit) => edit.what === what).length}`);
console.log(`the simulators had the CPU ${lateMs.toFixed(0)} ms late, 99 times of a hundred at most`);
const { byService, writes, twice, most, median } = calls;
for (const [write, count] of Object.entries(writes)) console.log(`${write}: ${count}`);
console.log(`writes that were done twice: ${Object.keys(twice).length}`);
for (const [write, count] of Object.entries(twice)) console.log(`${count} times: ${write}`);
console.log(`calls: ${JSON.stringify(byService)}`);
console.log(`of one project: ${median} in the middle, ${most} at most`);
