import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { sweep } from '../../../shared/sweep.ts';
import { aService } from '../../support/service.ts';
import { startSandboxWorld } from '../../support/sandbox-world.ts';
import type { SandboxWorld } from '../../support/sandbox-world.ts';
import { addressOf, cloudWrites, leftovers } from '../../support/told.ts';

let it: SandboxWorld;
let other: SandboxWorld;
beforeEach(async () => {
  it = await startSandboxWorld();
  other = await startSandboxWorld({}, undefined, it.sandbox);
});
afterEach(() => Promise.all([it.close(), other.close()]));

describe('two clusters with the same cluster name in one project', () => {
  test('each have a load balancer and a floating IP for a Service of the same name', async () => {
    it.sandbox.kube.apply(aService());
    other.sandbox.kube.apply(aService());

    await Promise.all([it.settle('web'), other.settle('web')]);

    expect(it.sandbox.cloud.loadbalancers).toHaveLength(2);
    expect(it.sandbox.cloud.floatingips).toHaveLength(2);
    expect(addressOf(it.sandbox)).toBeDefined();
    expect(addressOf(other.sandbox)).toBeDefined();
    expect(addressOf(it.sandbox)).not.toBe(addressOf(other.sandbox));
  });

  test('sweep without seeing work in what is the other one’s', async () => {
    it.sandbox.kube.apply(aService());
    await it.settle('web');
    const before = cloudWrites(it.sandbox).length;

    const found = await sweep(other.world);

    expect(found).toMatchObject({ requests: [], warnings: [], loadBalancersByState: {} });
    expect(cloudWrites(it.sandbox)).toHaveLength(before);
  });

  test('leave the other one’s load balancer and floating IP alone when they delete their own', async () => {
    it.sandbox.kube.apply(aService());
    other.sandbox.kube.apply(aService());
    await Promise.all([it.settle('web'), other.settle('web')]);
    const address = addressOf(other.sandbox);

    await it.remove('web');
    await it.sweepUntilSettled();
    await other.sweepUntilSettled();

    expect(it.sandbox.cloud.loadbalancers).toHaveLength(1);
    expect(it.sandbox.cloud.floatingips.map((ip) => ip.floating_ip_address)).toEqual([address]);

    other.sandbox.kube.delete('Service', 'default', 'web');
    await other.settle('web');
    expect(leftovers(it.sandbox)).toEqual({});
  });
});
