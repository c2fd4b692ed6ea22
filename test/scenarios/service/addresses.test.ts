import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { aService } from '../../support/service.ts';
import { startSandboxWorld } from '../../support/sandbox-world.ts';
import type { SandboxWorld } from '../../support/sandbox-world.ts';
import { addressOf, cloudWrites, ingressOf } from '../../support/told.ts';

let it: SandboxWorld;
beforeEach(async () => {
  it = await startSandboxWorld();
});
afterEach(() => it.close());

const INTERNAL = 'service.beta.kubernetes.io/openstack-internal-load-balancer';
const internal = (yes: boolean) => aService({ annotations: { [INTERNAL]: String(yes) } });

describe('the published address', () => {
  test('becomes the VIP, and the floating IP is deleted, when the Service becomes internal', async () => {
    it.sandbox.kube.apply(internal(false));
    await it.settle('web');
    expect(addressOf(it.sandbox)).toBe(it.sandbox.cloud.floatingips[0]?.floating_ip_address);

    it.sandbox.kube.apply(internal(true));
    await it.settle('web');

    expect(it.sandbox.cloud.floatingips).toEqual([]);
    expect(addressOf(it.sandbox)).toBe(it.sandbox.cloud.loadbalancers[0]?.vip_address);
  });

  test.each([
    [0, {}],
    [1, { 'loadbalancer.openstack.org/keep-floatingip': 'true' }],
  ])(
    'leaves %i floating IPs that somebody detached before the Service became internal',
    async (left, more) => {
      it.sandbox.kube.apply(internal(false));
      await it.settle('web');
      const { floatingips } = it.sandbox.cloud;
      for (const ip of floatingips) ip.port_id = null;

      it.sandbox.kube.apply(aService({ annotations: { [INTERNAL]: 'true', ...more } }));
      await it.settle('web');
      await it.sweepUntilSettled();

      expect(floatingips).toHaveLength(left);
    },
  );

  test('becomes a floating IP when an internal Service becomes external', async () => {
    it.sandbox.kube.apply(internal(true));
    await it.settle('web');
    expect(addressOf(it.sandbox)).toBe(it.sandbox.cloud.loadbalancers[0]?.vip_address);
    expect(cloudWrites(it.sandbox)).toEqual(['POST loadbalancers']);

    it.sandbox.kube.apply(internal(false));
    await it.settle('web');

    const [ip] = it.sandbox.cloud.floatingips;
    expect(it.sandbox.cloud.floatingips).toHaveLength(1);
    expect(ip?.port_id).toBe(it.sandbox.cloud.loadbalancers[0]?.vip_port_id);
    expect(ip?.tags).toHaveLength(2);
    expect(addressOf(it.sandbox)).toBe(ip?.floating_ip_address);
    expect(it.sandbox.cloud.loadbalancers).toHaveLength(1);
  });

  test('is the hostname of the annotation, and the address again without it', async () => {
    const key = 'loadbalancer.openstack.org/hostname';
    it.sandbox.kube.apply(aService({ annotations: { [key]: 'app.example.org' } }));
    await it.settle('web');
    expect(ingressOf(it.sandbox)).toEqual([{ hostname: 'app.example.org' }]);

    it.sandbox.kube.apply({
      kind: 'Service',
      metadata: { name: 'web', namespace: 'default', annotations: { [key]: null } },
    });
    await it.settle('web');

    expect(ingressOf(it.sandbox)).toEqual([
      { ip: it.sandbox.cloud.floatingips[0]?.floating_ip_address, ipMode: 'VIP' },
    ]);
  });
});
