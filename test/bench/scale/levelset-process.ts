/** levelset in a process of its own, as `serve` runs it, with the heap of its Deployment. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Work } from '../../../functions/serve/work.ts';
import { connect, type Connected } from '../../../functions/world.ts';
import { serviceKey, type Key } from '../../../shared/model/request.ts';
import { desire } from '../../../shared/service/desired/desire.ts';
import { evaluate } from '../../../shared/service/evaluate.ts';
import { readAsDialect } from '../../../shared/service/intent/as-dialect.ts';
import { observeNodes } from '../../../shared/service/observe/node-ports.ts';
import { planService } from '../../../shared/service/plan/plan-service.ts';
import { unitOf } from '../../../shared/service/unit.ts';
import { sweep } from '../../../shared/sweep.ts';
import { cloudConfFor, SILENT } from '../../support/sandbox-world.ts';
import { answerParent, usage } from './own-process.ts';
import type { Usage } from './own-process.ts';

export interface Places {
  readonly kubeconfig: string;
  readonly authUrl: string;
  readonly directory: string;
}

let connected: Connected | undefined;

const handlers = {
  async connect({ kubeconfig, authUrl, directory }: Places) {
    const files = { kubeconfig: join(directory, 'kubeconfig'), cloudConfig: join(directory, 'cloud.conf') };
    writeFileSync(files.kubeconfig, kubeconfig);
    writeFileSync(files.cloudConfig, cloudConfFor(authUrl));
    connected = await connect({ flags: files, env: {}, log: SILENT });
    return usage();
  },
  /** Works on these Services until all are settled. */
  settle(names: readonly string[]) {
    return work(names.map((name) => serviceKey('default', name)));
  },
  /** One sweep; what it finds is not worked on. */
  async sweep() {
    const { requests, services, settled, warnings, failed } = await sweep(world());
    return { found: requests.length, services, settled, warnings, failed };
  },
  /** Sweeps, and works on what that finds. */
  async catchUp() {
    const { requests } = await sweep(world());
    await work(requests.map(({ key }) => key));
    return requests.length;
  },
  /** The time of the pure part of one run: intent, desired and plan, in milliseconds; the middle of many. */
  async planOne(name: string) {
    const { kube, config } = world();
    const [service, nodes] = await Promise.all([kube.getService('default', name), kube.listNodes()]);
    if (!service) throw new Error(`no Service ${name}`);
    const cluster = { id: await kube.clusterId(), name: config.clusterName };
    const unit = unitOf(serviceKey('default', name), { namespace: 'default', name }, service, config);
    const { observed, isOfNode } = await evaluate(unit, nodes, world(), cluster);
    const depth = 'deep' as const;
    const took = [];
    for (let at = 0; at < 101; at += 1) {
      const judged = await observeNodes(nodes, true, world());
      const start = performance.now();
      const reading = readAsDialect(service, observed.loadBalancer, config);
      const about = { unit, cluster, nodes: judged.nodes, judged, isOfNode, depth, config };
      const desired = desire({ ...about, observed, reading });
      const { steps } = planService({ ...about, observed, desired: desired.here });
      took.push(performance.now() - start);
      if (steps.length > 0) throw new Error(`${steps.length} steps`);
    }
    return Math.round((took.toSorted((a, b) => a - b)[50] ?? 0) * 100) / 100;
  },
  usage: (): Usage => usage(),
};

export type LevelsetHandlers = typeof handlers;

function world(): Connected['world'] {
  if (!connected) throw new Error('not connected');
  return connected.world;
}

/** The queue of `levelset serve`, told of all of them at once. */
async function work(keys: readonly Key[]): Promise<void> {
  const left = new Set(keys);
  const last = new Map<Key, string>();
  const queue = new Work({
    connected: {
      world: world(),
      cluster: async () => ({ id: await world().kube.clusterId(), name: world().config.clusterName }),
    },
    reported: ({ request: { key }, outcome }) => {
      if (outcome.status === 'settled') left.delete(key);
      else last.set(key, JSON.stringify(outcome));
    },
    swept: () => undefined,
  });
  queue.enqueue(keys.map((key) => ({ key, trigger: 'audit' })));
  while (left.size > 0) {
    if (queue.idle) throw new Error(`${left.size} are not settled: ${last.get([...left][0] ?? 'all') ?? ''}`);
    await pause(20);
  }
  await queue.stop();
}

answerParent(handlers);
