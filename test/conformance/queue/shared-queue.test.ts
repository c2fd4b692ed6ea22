/** Several `serve` on one JetStream, in a simulated cluster and cloud: who sweeps, and what the others hear of it. */
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { SharedQueue } from '../../../functions/serve/shared-queue.ts';
import { Work } from '../../../functions/serve/work.ts';
import type { Report } from '../../../shared/model/outcome.ts';
import type { World } from '../../../shared/ports.ts';
import { pause, startSandboxWorld } from '../../support/sandbox-world.ts';
import { aService } from '../../support/service.ts';
import { startNats, type NatsServer } from './nats-server.ts';

const INTERVAL_MS = 1_500;

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
      queue: (options) => new SharedQueue(options, { servers: [nats.url] }),
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

  test('a Service that a sweep finds gets its address, all replicas hear of its runs, and it goes again', async () => {
    const { sandbox, all } = await replicas(2);
    sandbox.kube.apply(aService());
    for (const { work } of all) work.start();
    const until = async (what: string, isSo: () => boolean): Promise<void> => {
      for (const end = performance.now() + 20_000; !isSo();) {
        if (performance.now() > end) throw new Error(`gave up waiting for: ${what}`);
        await pause(20);
      }
    };
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
});
