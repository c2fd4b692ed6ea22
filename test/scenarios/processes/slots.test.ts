/** Runs that may do less than they would: no place to make a load balancer, or no time for the next write. */
import { expect, test } from 'vitest';
import { reconcile } from '../../../shared/reconcile.ts';
import { inEachTest, run, startSandboxWorld } from '../../support/sandbox-world.ts';
import { aService } from '../../support/service.ts';
import { addressOf } from '../../support/told.ts';

const it = inEachTest(() => startSandboxWorld());

const request = { key: 'service/default/web', trigger: 'audit' } as const;

test('while as many load balancers as may be are in Octavia’s hands none is made, and no finalizer, lease or Event is written', async () => {
  it.sandbox.kube.apply(aService());
  const { outcome, plan } = await run(request, it.world, { mayCreate: () => false });
  expect(outcome).toMatchObject({
    status: 'progressing',
    reason: expect.stringContaining('--concurrent-load-balancers') as unknown,
    needsSlot: true,
  });
  expect(plan?.steps.length).toBeGreaterThan(0);
  expect(it.sandbox.requests.filter(({ write, path }) => write && !path.includes('/auth/'))).toEqual([]);
});

test.each([0, 1, 2])(
  'time that is up after %i writes is an ordinary ending, and the next run goes on',
  async (allowed) => {
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
  },
);
