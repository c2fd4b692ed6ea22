import { expect, test } from 'vitest';
import { aService } from '../../support/service.ts';
import { inEachTest, startSandboxWorld } from '../../support/sandbox-world.ts';

const it = inEachTest(() => startSandboxWorld());

test('a monitor of a UDP port takes a new timeout, although Octavia wants its delay named with it', async () => {
  const ports = [{ name: 'dns', port: 53, protocol: 'UDP' }];
  it.sandbox.kube.apply(aService({ spec: { ports } }));
  await it.settle('web');

  const annotations = { 'loadbalancer.openstack.org/health-monitor-timeout': '2' };
  it.sandbox.kube.apply(aService({ annotations, spec: { ports } }));
  await it.settle('web');

  expect(it.sandbox.cloud.healthmonitors[0]).toMatchObject({ type: 'UDP-CONNECT', timeout: 2, delay: 5 });
});
