/** What more places of a process bring: runs of many clusters at once, while OpenStack takes its time. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { readSettings } from '../../shared/clusters/read-settings.ts';
import { serviceKey } from '../../shared/model/request.ts';
import { SharedPlaces } from '../../shared/queue/places.ts';
import { connect, type Connected } from '../../functions/world.ts';
import { Work } from '../../functions/serve/work.ts';
import { SILENT } from '../support/sandbox-world.ts';
import type { ClustersHandlers } from './scale/clusters-process.ts';
import { startProcess, usage } from './scale/own-process.ts';

const CLUSTERS = 20;
const SERVICES = 15;
const CALL_MS = 100;

const child = startProcess<ClustersHandlers>('./clusters-process.ts');
const texts = await child.ask('start', { clusters: CLUSTERS, services: SERVICES });
const connected = await Promise.all(
  texts.map(async (its, at): Promise<Connected> => {
    const problems: string[] = [];
    const settings = await readSettings(`c${at}`, its, { flags: {}, env: {} }, problems);
    if (!settings) throw new Error(problems.join('\n'));
    return connect({ ...settings, cluster: `c${at}`, log: SILENT });
  }),
);

/** Runs every Service once, after changes until it is settled. */
async function runAll(most: number): Promise<readonly number[]> {
  const places = new SharedPlaces(most);
  const took: number[] = [];
  const left = new Set<string>();
  const works = connected.map((its) => {
    const work = new Work({
      connected: its,
      shared: { places },
      reported: ({ request: { cluster, key }, outcome, durationMs }) => {
        took.push(durationMs);
        if (outcome.status === 'settled') left.delete(`${cluster}:${key}`);
      },
      swept: () => undefined,
    });
    return work;
  });
  const keys = Array.from({ length: SERVICES }, (_, i) => serviceKey('default', `s${i}`));
  for (const at of works.keys()) for (const key of keys) left.add(`c${at}:${key}`);
  for (const work of works) work.enqueue(keys.map((key) => ({ key, trigger: 'resync' })));
  while (left.size > 0) await pause(5);
  await Promise.all(works.map((work) => work.stop()));
  return took;
}

await runAll(1_000);
await runAll(1_000);
await child.ask('slow', CALL_MS);
await runAll(1_000);
console.log(`${CLUSTERS} clusters of ${SERVICES} Services, a call of OpenStack takes ${CALL_MS} ms`);
for (const most of [10, 20, 40, 80, 150, 300]) {
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  const [from, before] = [performance.now(), usage()];
  const took = await runAll(most);
  const seconds = (performance.now() - from) / 1_000;
  const { cpuMs, rssMb } = usage();
  const middle = took.toSorted((a, b) => a - b)[Math.floor(took.length / 2)] ?? 0;
  console.log(
    [
      `${most} places: ${Math.round(took.length / seconds)} runs a second`,
      `${((cpuMs - before.cpuMs) / took.length).toFixed(1)} ms of CPU a run`,
      `middle run ${Math.round(middle)} ms`,
      `event loop late by ${Math.round(delay.percentile(99) / 1e6)} ms (99 %)`,
      `${rssMb} MB`,
    ].join(', '),
  );
}
await child.stop();
process.exit();
