/**
 * Calls that Nodes and routes cost on the simulators, beside those of the Go provider: `npm run bench:nodes`. Its
 * formulas are those of docs/sources/go-provider.md, "Calls for Nodes and routes", with D = 1 (the catalog's network
 * endpoint has no version) and no trunk ports. They leave Kubernetes and Keystone out, and so does `levelset`; the
 * columns by service are all requests until nothing is left to do.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { Work } from '../../functions/serve/work.ts';
import type { Config } from '../../shared/config/config.ts';
import type { Key } from '../../shared/model/request.ts';
import type { World } from '../../shared/ports.ts';
import { sweep } from '../../shared/sweep.ts';
import { joinNodes } from '../support/nodes.ts';
import { startNodeWorld } from '../support/node-world.ts';
import type { NodeWorld } from '../support/node-world.ts';
import { printRows, requestsOf } from './counted-calls.ts';
import type { Row } from './counted-calls.ts';
import { routeRows } from './routes.ts';

const D = 1;
const ROOM = { cidrs: { public: '203.0.113.0/24', private: '10.0.0.0/16' } };
const MINUTE_MS = 61_000;
const CONCURRENCY = 15;
/** Load balancers have a sweep of their own (docs/sources/go-provider.md, "Calls for Nodes and routes"). */
const NODES_ALONE: Partial<Config> = {
  controllers: ['cloud-node-controller', 'cloud-node-lifecycle-controller'],
};

const rows: Row[] = [];
for (const count of [1, 10, 100]) await initialise(count);
await initialiseApart(100);
for (const count of [100, 1_000]) await refresh(count);
await anEvent();
await serversGone(200, 10);
rows.push(...(await routeRows(100)));
printRows(rows);

/** With so many Nodes that are as their servers say. */
async function inWorld(
  atRest: number,
  config: Partial<Config>,
  measure: (it: NodeWorld) => Promise<void>,
): Promise<void> {
  const it = await startNodeWorld(() => ({ concurrentServiceSyncs: CONCURRENCY, ...config }), {
    ...ROOM,
    nodes: atRest,
  });
  try {
    await measure(it);
  } finally {
    await it.close();
  }
}

/** The queue of `levelset serve`, which is told of all of them at once; sweeps follow, for the members of load balancers. */
async function initialise(count: number): Promise<void> {
  await inWorld(0, {}, async (it) => {
    const keys = joinNodes(it.sandbox, count).map(({ name }): Key => `node/${name}`);
    await it.world.cloud.projectId();
    let runs = 0;
    const requests = await requestsOf(it.sandbox, async () => {
      runs = await queued(keys, it.world);
    });
    const work = `initialise ${count} at once, one process`;
    rows.push({ work, requests, runs, formula: `${count} x (3 + D)`, value: count * (3 + D) });
  });
}

/** How many calls to OpenStack the runs of these keys made. */
async function queued(keys: readonly Key[], world: World): Promise<number> {
  let calls = 0;
  const work = new Work({
    connected: {
      world,
      cluster: async () => ({ id: await world.kube.clusterId(), name: world.config.clusterName }),
    },
    reported: (report) => {
      calls += report.calls;
    },
    swept: () => undefined,
  });
  work.enqueue(keys.map((key) => ({ key, trigger: 'audit' })));
  while (!work.idle) await pause(10);
  await work.stop();
  return calls;
}

/** As functions that share nothing. */
async function initialiseApart(count: number): Promise<void> {
  await inWorld(0, {}, async (it) => {
    const nodes = joinNodes(it.sandbox, count);
    const requests = await requestsOf(it.sandbox, async () => {
      for (const { name } of nodes) await it.reconcile(name, {}, await it.another(it.world.config));
    });
    const work = `initialise ${count}, one process each`;
    rows.push({ work, requests, formula: `${count} x (3 + D)`, value: count * (3 + D) });
  });
}

async function refresh(count: number): Promise<void> {
  await inWorld(count, NODES_ALONE, async (it) => {
    const requests = await requestsOf(it.sandbox, async () => {
      const found = await sweep(it.world);
      if (found.nodesSettled !== count)
        throw new Error(`${found.nodesSettled} of ${count} Nodes are settled`);
    });
    const work = `refresh ${count} settled, one sweep`;
    rows.push({ work, requests, formula: `${count} x (3 + D)`, value: count * (3 + D) });
  });
}

async function anEvent(): Promise<void> {
  await inWorld(1, {}, async (it) => {
    const requests = await requestsOf(it.sandbox, () => it.reconcile('node-1'));
    rows.push({ work: 'an event of a settled Node', requests, formula: 'none', value: 0 });
  });
}

/** Each is looked at as it stops answering, and a minute later. */
async function serversGone(all: number, gone: number): Promise<void> {
  await inWorld(all, NODES_ALONE, async (it) => {
    const names = Array.from({ length: gone }, (_, at) => `node-${at + 1}`);
    for (const name of names) {
      it.sandbox.cloud.removeNovaServer(it.node(name).spec?.providerID?.split('/').at(-1) ?? '');
      it.sandbox.kube.setReady(name, false);
    }
    const keys = names.map((name): Key => `node/${name}`);
    let runs = 0;
    const requests = await requestsOf(it.sandbox, async () => {
      for (const { calls } of await Promise.all(names.map((name) => it.reconcile(name)))) runs += calls;
      runs += await queued(keys, it.later(MINUTE_MS));
    });
    const left = it.sandbox.kube.list('Node').length;
    if (left !== all - gone) throw new Error(`${left} Nodes are left`);
    const work = `${gone} of ${all} not Ready, their servers gone`;
    rows.push({ work, requests, runs, formula: `${gone} x (1 + D)`, value: gone * (1 + D) });
  });
}
