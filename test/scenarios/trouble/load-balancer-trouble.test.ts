import { describe, expect, test } from 'vitest';
import { aService } from '../../support/service.ts';
import { inEachTest, startSandboxWorld } from '../../support/sandbox-world.ts';
import { eventsOf, readyOf } from '../../support/told.ts';

const it = inEachTest(() => startSandboxWorld());

const loadBalancerId = () => it.sandbox.cloud.loadbalancers[0]?.id ?? '';

describe('a load balancer that is wanted', () => {
  test('is reported in ERROR, not waited for, when the Service changes meanwhile', async () => {
    it.sandbox.kube.apply(aService());
    await it.settle('web');
    it.sandbox.cloud.setStatus(loadBalancerId(), 'ERROR');
    it.sandbox.kube.apply(aService({ spec: { ports: [{ name: 'https', port: 443 }] } }));

    const report = await it.settle('web');

    expect(report.outcome).toMatchObject({ status: 'failed', code: 'LOAD_BALANCER_ERROR' });
    expect(readyOf(it.sandbox)?.message).toContain('is in ERROR');
  });

  test('is reconciled again as soon as the operator has repaired it', async () => {
    it.sandbox.kube.apply(aService());
    await it.settle('web');
    it.sandbox.cloud.setStatus(loadBalancerId(), 'ERROR');
    await it.settle('web');

    it.sandbox.cloud.setStatus(loadBalancerId(), 'ACTIVE');
    await it.sweepUntilSettled();

    expect(readyOf(it.sandbox)).toMatchObject({ status: 'True' });
  });

  test('and stays in PENDING is reported once, with the commands for whoever runs the cloud', async () => {
    it.sandbox.kube.apply(aService());
    await it.settle('web');
    const id = loadBalancerId();
    it.sandbox.cloud.setStatus(id, 'PENDING_UPDATE');
    const later = { ...it.world, clock: { now: () => Date.now() + 61 * 60_000 } };

    const report = await it.settle('web', {}, later);
    await it.settle('web', {}, later);

    expect(report.outcome).toMatchObject({ status: 'failed', code: 'LOAD_BALANCER_STUCK' });
    expect(readyOf(it.sandbox)).toMatchObject({ status: 'True' }); // it serves
    expect(readyOf(it.sandbox)?.message).toContain(`WHERE id = '${id}'`);
    expect(eventsOf(it.sandbox).filter((event) => event.startsWith('Sync'))).toEqual([
      'SyncLoadBalancerFailed x1',
    ]);
    it.sandbox.cloud.setStatus(id, 'ACTIVE');
    expect(await it.settle('web', {}, later)).toMatchObject({ outcome: { status: 'settled' } });
  });
});
