/** Several `serve` on one JetStream, in a simulated cluster and cloud: who sweeps, and what the others hear of it. */
import { jetstreamManager } from '@nats-io/jetstream';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { serve } from '../../../functions/serve.ts';
import { natsOfCluster, natsOfClusters } from '../../../functions/serve/queues-in-nats.ts';
import type { ServeQueue, ServeQueueOptions } from '../../../functions/serve/serve-queue.ts';
import { Work } from '../../../functions/serve/work.ts';
import type { Sandbox } from '../../../infra/sandbox/sandbox.ts';
import { listNodesLately } from '../../../shared/memory/listed-nodes.ts';
import type { Report } from '../../../shared/model/outcome.ts';
import type { World } from '../../../shared/ports.ts';
import type { Sweep } from '../../../shared/sweep.ts';
import { connectNats } from '../../../shared/queue/jetstream/connect-nats.ts';
import { clusterOwner, namesOf } from '../../../shared/queue/jetstream/layout.ts';
import { aReport, SETTLED } from '../../unit/queue/reports.ts';
import { pause, SILENT, startSandboxWorld } from '../../support/sandbox-world.ts';
import { aService } from '../../support/service.ts';
import { startNats, type NatsServer } from './nats-server.ts';

const INTERVAL_MS = 1_500;
const WEB = 'service/default/web';

const until = async (what: string, isSo: () => boolean | Promise<boolean>): Promise<void> => {
  for (const end = performance.now() + 20_000; !(await isSo());) {
    if (performance.now() > end) throw new Error(`gave up waiting for: ${what}`);
    await pause(20);
  }
};

describe.runIf(process.env['LEVELSET_CONFORMANCE_NATS'] !== undefined)('replicas on one JetStream', () => {
  let nats: NatsServer;
  beforeAll(async () => {
    nats = await startNats();
  });
  afterAll(() => nats.close());

  interface Replica {
    readonly work: Work;
    readonly reported: Report[];
    readonly told: Report[];
    sweeps: number;
  }

  function aReplica(world: World): Replica {
    const [reported, told]: [Report[], Report[]] = [[], []];
    const work = new Work({
      connected: {
        world,
        cluster: async () => ({ id: await world.kube.clusterId(), name: world.config.clusterName }),
      },
      reported: (report) => reported.push(report),
      told: (report) => told.push(report),
      swept: () => (replica.sweeps += 1),
      queue: (options) => natsOfCluster(options, { servers: [nats.url] }),
    });
    const replica: Replica = { work, reported, told, sweeps: 0 };
    onTestFinished(() => work.stop());
    return replica;
  }

  async function replicas(count: number): Promise<{
    readonly sandbox: Awaited<ReturnType<typeof startSandboxWorld>>['sandbox'];
    readonly all: readonly Replica[];
  }> {
    const its = await startSandboxWorld();
    onTestFinished(() => its.close());
    const config = { ...its.world.config, sweepIntervalMs: INTERVAL_MS };
    const worlds = await Promise.all(Array.from({ length: count }, () => its.another(config)));
    return { sandbox: its.sandbox, all: worlds.map(aReplica) };
  }
  const sweepsOf = (all: readonly Replica[]): number => all.reduce((sum, { sweeps }) => sum + sweeps, 0);

  test('one of three sweeps at each interval', async () => {
    const { all } = await replicas(3);
    for (const { work } of all) work.start();
    await pause(INTERVAL_MS);
    const before = sweepsOf(all);
    await pause(4 * INTERVAL_MS);
    const sweeps = sweepsOf(all) - before;
    expect(sweeps).toBeGreaterThanOrEqual(3);
    expect(sweeps).toBeLessThanOrEqual(5);
  });

  /** The sweeps of one replica whose runs end with `ending`, and its queue. */
  async function sweepsAfter(
    ending: Partial<Report>,
    prepare: (sandbox: Sandbox) => void = () => undefined,
  ): Promise<{ readonly queue: ServeQueue; readonly sweeps: Sweep[]; readonly work: string }> {
    const its = await startSandboxWorld();
    onTestFinished(() => its.close());
    prepare(its.sandbox);
    const world = await its.another({ ...its.world.config, sweepIntervalMs: 24 * 3_600_000 });
    const sweeps: Sweep[] = [];
    const options: ServeQueueOptions = {
      world,
      cluster: async () => ({ id: await world.kube.clusterId(), name: world.config.clusterName }),
      readOnly: false,
      run: (request) => Promise.resolve(aReport(request, SETTLED, ending)),
      swept: (found) => sweeps.push(found),
      told: () => undefined,
    };
    const queue = natsOfCluster(options, { servers: [nats.url] });
    queue.start();
    onTestFinished(() => queue.stop());
    while (queue.trouble !== undefined) await pause(20);
    return { queue, sweeps, work: namesOf(clusterOwner(await world.kube.clusterId())).work };
  }

  test('Nodes that keep coming do not put off the sweep of the node set', async () => {
    const { queue, sweeps } = await sweepsAfter({ membersMoved: true });
    for (let at = 0; at < 15; at += 1) {
      await queue.add([{ key: `node/worker-${at}`, trigger: 'audit' }]);
      await pause(200);
    }
    expect(sweeps.length).toBeGreaterThanOrEqual(4); // the first one, and one in each 700 ms
  });

  test('what follows a Node is left to another replica by one that stops', async () => {
    const { queue, work } = await sweepsAfter({ membersMoved: true });
    await queue.ask({ key: 'node/worker-1', trigger: 'resync' });
    await queue.stop();
    const connection = await connectNats({ servers: [nats.url] });
    onTestFinished(() => connection.close());
    const { state } = await (await jetstreamManager(connection)).streams.info(work, { subjects_filter: '>' });
    const keys = Object.keys(state.subjects ?? {}).map((subject) => subject.split('.').at(-1) ?? '');
    expect(keys.map((key) => Buffer.from(key, 'base64url').toString())).toContain('nodeset');
  });

  test('a Node that has no address for long makes sweeps ever rarer', async () => {
    const { sweeps } = await sweepsAfter({ nodesWithoutAddress: ['late'] }, ({ cloud, kube }) => {
      kube.apply(aService());
      cloud.addNovaServer('late');
      kube.apply({ kind: 'Node', metadata: { name: 'late' } });
    });
    await pause(16_000);
    expect(sweeps[0]?.nodesWithoutAddress).toEqual(['late']);
    expect(sweeps.length).toBeLessThanOrEqual(13); // of both keys after 1, 2, 4 and 8 s
  });

  test('a Service that a sweep finds gets its address, all replicas hear of its runs, and it goes again', async () => {
    const { sandbox, all } = await replicas(2);
    sandbox.kube.apply(aService());
    for (const { work } of all) work.start();
    const [one, other] = all;
    if (!one || !other) throw new Error('two replicas');
    const isSettled = ({ request: { key }, outcome }: Report): boolean =>
      key === 'service/default/web' && outcome.status === 'settled';
    await until('its address', () => [...one.reported, ...other.reported].some(isSettled));
    await until(
      'both to hear of all runs',
      () => one.told.length === other.reported.length && other.told.length === one.reported.length,
    );
    expect(sandbox.cloud.loadbalancers).toHaveLength(1);

    sandbox.kube.delete('Service', 'default', 'web');
    const reports = await one.work.reconcile([{ key: 'service/default/web', trigger: 'resync' }]);
    expect(reports[0]?.request.key).toBe('service/default/web');
    await until('the load balancer to be gone', () => sandbox.cloud.loadbalancers.length === 0);
  });

  test('no key of a cluster runs before its queue is started', async () => {
    const its = await startSandboxWorld();
    onTestFinished(() => its.close());
    const world = { ...(await its.another()), cluster: 'a' };
    const runs: string[] = [];
    const ofAll = natsOfClusters('not-started', { servers: [nats.url] }, SILENT);
    ofAll.start();
    onTestFinished(() => ofAll.stop(Promise.resolve()));
    while (ofAll.trouble() !== undefined) await pause(20);
    const ignored = (): void => undefined;
    const queue = ofAll.of({
      world,
      cluster: async () => ({ id: await world.kube.clusterId(), name: world.config.clusterName }),
      readOnly: false,
      run: (request) => {
        runs.push(request.key);
        return Promise.resolve(aReport(request, SETTLED));
      },
      swept: ignored,
      told: ignored,
    });
    onTestFinished(() => queue.stop());
    await queue.add([{ key: WEB, trigger: 'resync', cluster: 'a' }]);
    await pause(500);
    expect(runs).toEqual([]);
    queue.start();
    await until('its run', () => runs.includes(WEB));
  });

  test('what the sweep of one replica finds is run by the other one with the Nodes of that sweep', async () => {
    const its = await startSandboxWorld({ nodes: 0 });
    onTestFinished(() => its.close());
    const { kube } = its.sandbox;
    kube.apply(aService());
    const worlds = [await its.another(), await its.another()];
    const seen: number[] = [];
    const queues = worlds.map((world) => {
      const run: ServeQueueOptions['run'] = async (request) => {
        if (request.key === WEB) seen.push((await listNodesLately(world)).length);
        return aReport(request, SETTLED);
      };
      const ignored = (): void => undefined;
      const cluster = async () => ({ id: await world.kube.clusterId(), name: world.config.clusterName });
      const options = { world, cluster, readOnly: false, run, swept: ignored, told: ignored };
      const queue = natsOfCluster(options, { servers: [nats.url] });
      queue.start();
      onTestFinished(() => queue.stop());
      return queue;
    });
    await until('both first sweeps', () => seen.length >= 2);
    for (let nodes = 1; nodes <= 10; nodes += 1) {
      // JetStream hands sweeps and Services to both in turn: from then on to the other one
      if (nodes === 5) await queues[0]?.ask({ key: WEB, trigger: 'resync' });
      await Promise.all(worlds.map(listNodesLately));
      kube.addNode(`late-${nodes}`);
      const before = seen.length;
      await queues[nodes % 2]?.add([{ key: 'all', trigger: 'watch' }]);
      await until('the run', () => seen.length > before);
      expect(seen.at(-1)).toBe(nodes);
    }
  });

  test('a change that three replicas see by their watches is one run of its key', async () => {
    const its = await startSandboxWorld();
    onTestFinished(() => its.close());
    const { sandbox, kubeconfig, cloudConfig } = its;
    const reported: Report[] = [];
    const replica = async (): Promise<void> => {
      const serving = await serve({
        flags: {
          ...{ kubeconfig, cloudConfig, watch: true, queue: nats.url, sweepInterval: '1h' },
          listen: '127.0.0.1:0',
        },
        env: {},
        log: SILENT,
        reported: (report) => reported.push(report),
      });
      onTestFinished(() => serving.stop());
      const isWatching = async (): Promise<boolean> =>
        (await (await fetch(`${serving.url}/metrics`)).text()).includes('watch_up{collection="Services"} 1');
      await until('a replica to watch', isWatching);
    };
    await Promise.all([replica(), replica(), replica()]);
    await pause(1_000); // the sweeps that each asks for are over
    const causesOf = async (act: () => void, isDone: () => boolean): Promise<readonly unknown[]> => {
      reported.length = 0;
      act();
      await until('what was to be done', isDone);
      await pause(500); // what comes late
      return reported.flatMap(({ request: { trigger, cause } }) => (trigger === 'watch' ? [cause] : []));
    };
    const { kube, cloud } = sandbox;
    const apply = (timeout: string) => (): void => {
      kube.apply(aService({ annotations: { 'loadbalancer.openstack.org/timeout-client-data': timeout } }));
    };
    for (const timeout of ['60000', '70000']) {
      const isSet = (): boolean => cloud.listeners[0]?.['timeout_client_data'] === Number(timeout);
      expect(await causesOf(apply(timeout), isSet)).toEqual([expect.stringContaining(' ')]);
    }
    const remove = (): void => {
      kube.delete('Service', 'default', 'web');
    };
    // it is marked, and it is gone; of the second a requeue may tell already
    const causes = await causesOf(remove, () => kube.get('Service', 'default', 'web') === undefined);
    expect([1, 2]).toContain(causes.length);
    expect(cloud.loadbalancers).toEqual([]);
  });
});
