import { expect, test } from 'vitest';
import { aService } from '../../support/service.ts';
import { inEachTest, startSandboxWorld } from '../../support/sandbox-world.ts';

const it = inEachTest(() => startSandboxWorld());

const INTERNAL = 'service.beta.kubernetes.io/openstack-internal-load-balancer';
const internal = (yes: boolean) => aService({ annotations: { [INTERNAL]: String(yes) } });

test.each([
  [0, {}],
  [1, { 'loadbalancer.openstack.org/keep-floatingip': 'true' }],
])(
  'the published address leaves %i floating IPs that somebody detached before the Service became internal',
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
