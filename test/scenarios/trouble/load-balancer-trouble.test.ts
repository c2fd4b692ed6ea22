import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { aService } from '../../support/service.ts';
import { pause, run, startSandboxWorld } from '../../support/sandbox-world.ts';
import type { SandboxWorld } from '../../support/sandbox-world.ts';
import { addressOf, eventsOf, readyOf } from '../../support/told.ts';

let it: SandboxWorld;
beforeEach(async () => {
  it = await startSandboxWorld();
});
afterEach(() => it.close());

const once = () => run({ key: 'service/default/web', trigger: 'audit' }, it.world);
const loadBalancerId = () => it.sandbox.cloud.loadbalancers[0]?.id ?? '';

describe('a load balancer that is wanted', () => {
  test('is made again, with the same floating IP, when it was removed behind our back', async () => {
    it.sandbox.kube.apply(aService());
    await it.settle('web');
    const before = { id: loadBalancerId(), address: addressOf(it.sandbox) };
    it.sandbox.cloud.removeLoadBalancer(before.id);

    await it.sweepUntilSettled();

    expect(loadBalancerId()).not.toBe(before.id);
    expect(it.sandbox.cloud.loadbalancers).toHaveLength(1);
    expect(it.sandbox.cloud.floatingips).toHaveLength(1);
    expect(it.sandbox.cloud.floatingips[0]?.port_id).toBe(it.sandbox.cloud.loadbalancers[0]?.vip_port_id);
    expect(addressOf(it.sandbox)).toBe(before.address);
    expect(readyOf(it.sandbox)?.message).toContain(loadBalancerId());
  });

  test('is made again when it is in ERROR before anybody has its address', async () => {
    it.sandbox.kube.apply(aService());
    await once();
    await pause(30);
    const failed = loadBalancerId();
    it.sandbox.cloud.setStatus(failed, 'ERROR');

    const report = await it.settle('web');

    expect(report.outcome).toEqual({ status: 'settled' });
    expect(it.sandbox.cloud.loadbalancers).toHaveLength(1);
    expect(loadBalancerId()).not.toBe(failed);
    expect(it.sandbox.cloud.floatingips).toHaveLength(1);
    expect(addressOf(it.sandbox)).toBe(it.sandbox.cloud.floatingips[0]?.floating_ip_address);
  });

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

  test('and was made twice, because two runs did not see each other, is one again: the older one', async () => {
    it.sandbox.kube.apply(aService());
    await it.settle('web');
    const [lb] = it.sandbox.cloud.loadbalancers;
    if (!lb) throw new Error('no load balancer');
    const twin = { ...lb, id: it.sandbox.cloud.newId(), created_at: '2999-01-01T00:00:00' };
    it.sandbox.cloud.loadbalancers.push(twin);

    await it.sweepUntilSettled();

    expect(it.sandbox.cloud.loadbalancers).toEqual([lb]);
    expect(it.sandbox.cloud.floatingips[0]?.port_id).toBe(lb.vip_port_id);
    expect(it.sandbox.cloud.listeners).toHaveLength(1);
  });
});
