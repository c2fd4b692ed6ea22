import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { World } from '../../../shared/ports.ts';
import { reconcile } from '../../../shared/reconcile.ts';
import { aService } from '../../support/service.ts';
import { pause, run, startSandboxWorld } from '../../support/sandbox-world.ts';
import type { SandboxWorld } from '../../support/sandbox-world.ts';
import { addressOf, cloudWrites, leftovers, readyOf, serviceOf } from '../../support/told.ts';

let it: SandboxWorld;
beforeEach(async () => {
  it = await startSandboxWorld();
});
afterEach(async () => {
  vi.restoreAllMocks();
  await it.close();
});

const request = { key: 'service/default/web', trigger: 'audit' } as const;

async function settleBy(world: World): Promise<void> {
  for (let tries = 0; tries < 50; tries += 1) {
    const { outcome } = await run(request, world);
    if (outcome.status === 'settled') return;
    await pause(Math.random() * 20);
  }
  throw new Error('web does not settle');
}

describe('two processes', () => {
  test('that work on one key at the same time make one load balancer and one floating IP', async () => {
    const wanted = aService();
    const finalizers = ['service.kubernetes.io/load-balancer-cleanup'];
    it.sandbox.kube.apply({ ...wanted, metadata: { ...wanted.metadata, finalizers } });
    const worlds = [it.world, await it.another(), await it.another()];

    const first = await Promise.all(worlds.map((world) => run(request, world)));
    const said = first.map(({ outcome }) => ('reason' in outcome ? outcome.reason : outcome.status));
    await Promise.all(worlds.map(settleBy));

    expect(said.join()).toContain('is held by another run');
    expect(it.sandbox.cloud.loadbalancers).toHaveLength(1);
    expect(it.sandbox.cloud.floatingips).toHaveLength(1);
    const posts = cloudWrites(it.sandbox).filter((write) => write.startsWith('POST'));
    expect(posts).toEqual(['POST loadbalancers', 'POST floatingips']);
    expect(readyOf(it.sandbox)).toMatchObject({ status: 'True' });
  });

  test('that delete at the same time leave nothing behind', async () => {
    it.sandbox.kube.apply(aService());
    await it.settle('web');
    it.sandbox.kube.delete('Service', 'default', 'web');
    const worlds = [it.world, await it.another()];

    await Promise.all(worlds.map(settleBy));

    expect(leftovers(it.sandbox)).toEqual({});
    expect(serviceOf(it.sandbox)).toBeUndefined();
  });
});

describe('a lease that another living process holds', () => {
  test('is waited for without a write, and taken over when it has run out', async () => {
    it.sandbox.kube.apply(aService());
    const uid = serviceOf(it.sandbox)?.metadata.uid ?? '';
    const other = await it.another();
    await other.kube.lease(`levelset-${uid}`).acquire();

    const waiting = await run(request, it.world);
    it.sandbox.advanceClock(10_000);
    const stillWaiting = await run(request, it.world);

    for (const { outcome } of [waiting, stillWaiting]) {
      expect(outcome).toMatchObject({ status: 'progressing' });
      expect('retryAfterMs' in outcome && outcome.retryAfterMs).toBeGreaterThan(0);
    }
    expect(cloudWrites(it.sandbox)).toEqual([]);

    it.sandbox.advanceClock(8_000);
    await it.settle('web');
    expect(addressOf(it.sandbox)).toBeDefined();
  });

  test.each([
    ['is taken by another one while the process is held up', 8_000],
    ['runs out while the process is held up', 16_000],
  ])('and that %s stops it before its next write', async (_, heldUpMs) => {
    it.sandbox.kube.apply(aService());
    const lease = `levelset-${serviceOf(it.sandbox)?.metadata.uid ?? ''}`;
    const other = await it.another();
    const passed = performance.now.bind(performance);
    it.sandbox.fault({
      match: { method: 'POST', path: /loadbalancers$/ },
      kind: 'call',
      after: async () => {
        it.sandbox.advanceClock(20_000);
        await other.kube.lease(lease).acquire();
        vi.spyOn(performance, 'now').mockImplementation(() => passed() + heldUpMs);
      },
    });

    const report = await run(request, it.world);

    expect(report.outcome).toMatchObject({ status: 'progressing' });
    expect('reason' in report.outcome && report.outcome.reason).toContain('no longer ours');
    expect(cloudWrites(it.sandbox)).toEqual(['POST loadbalancers']);
    it.sandbox.advanceClock(20_000);
    await it.settle('web');
    expect(it.sandbox.cloud.loadbalancers).toHaveLength(1);
    expect(it.sandbox.cloud.floatingips).toHaveLength(1);
  });
});

describe('time that is up', () => {
  test.each([0, 1, 2])('after %i writes is an ordinary ending, and the next run goes on', async (allowed) => {
    it.sandbox.kube.apply(aService());
    const written = (): number =>
      it.sandbox.requests.filter(({ write, service }) => write && /octavia|neutron/.test(service)).length;
    const budget = { remainingMs: () => (written() >= allowed ? 4_000 : 60_000) };

    const report = await reconcile(request, it.world, budget);

    expect(report.outcome.status).toBe('progressing');
    expect(report.applied).toHaveLength(allowed);
    await it.settle('web');
    expect(it.sandbox.cloud.loadbalancers).toHaveLength(1);
    expect(it.sandbox.cloud.floatingips).toHaveLength(1);
    expect(addressOf(it.sandbox)).toBe(it.sandbox.cloud.floatingips[0]?.floating_ip_address);
  });
});
