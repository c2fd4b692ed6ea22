/** One line of cloud.conf would take every address of a cluster away: it waits for each Service that does not ask for it. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { APPROVE } from '../../../shared/model/ownership.ts';
import type { World } from '../../../shared/ports.ts';
import { sweep } from '../../../shared/sweep.ts';
import { pause, run, startSandboxWorld, type SandboxWorld } from '../../support/sandbox-world.ts';
import { aService } from '../../support/service.ts';
import { addressOf, leftovers, readyOf } from '../../support/told.ts';

const INTERNAL = { 'service.beta.kubernetes.io/openstack-internal-load-balancer': 'true' };

let it: SandboxWorld;
let reconfigured: World;
beforeEach(async () => {
  it = await startSandboxWorld();
  const { config } = it.world;
  reconfigured = await it.another({
    ...config,
    loadBalancer: { ...config.loadBalancer, internalLb: true },
  });
  it.sandbox.kube.apply(aService());
  await it.settle('web');
});
afterEach(() => it.close());

async function sweepReconfigured(): Promise<void> {
  for (let turns = 0; turns < 20; turns += 1) {
    const { requests } = await sweep(reconfigured);
    if (requests.length === 0) return;
    for (const request of requests) await run(request, reconfigured);
    await pause(20);
  }
  throw new Error('sweeps find something to do without an end');
}

test('the address stays until the hash in the condition is approved', async () => {
  const [ip] = structuredClone(it.sandbox.cloud.floatingips);
  const address = addressOf(it.sandbox);

  await sweepReconfigured();

  expect(it.sandbox.cloud.floatingips).toMatchObject([{ id: ip?.id, port_id: ip?.port_id }]);
  expect(addressOf(it.sandbox)).toBe(address);
  const message = readyOf(it.sandbox)?.message ?? '';
  expect(message).toContain('internal-lb in cloud.conf takes the address away');

  const [, hash = ''] = /waits for approval ([0-9a-f]{12})/.exec(message) ?? [];
  it.sandbox.kube.apply(aService({ annotations: { [APPROVE]: hash } }));
  await sweepReconfigured();
  expect(it.sandbox.cloud.floatingips).toEqual([]);
  expect(addressOf(it.sandbox)).toBe(it.sandbox.cloud.loadbalancers[0]?.vip_address);
});

test('a Service that asks for it itself is internal at once', async () => {
  it.sandbox.kube.apply(aService({ annotations: INTERNAL }));
  await sweepReconfigured();
  expect(it.sandbox.cloud.floatingips).toEqual([]);
});

test('a Service that is deleted meanwhile takes its floating IP along', async () => {
  await sweepReconfigured();
  it.sandbox.kube.delete('Service', 'default', 'web');
  await sweepReconfigured();
  expect(leftovers(it.sandbox)).toEqual({});
});
