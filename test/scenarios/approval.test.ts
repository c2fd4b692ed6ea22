import { afterEach, beforeEach, expect, test } from 'vitest';
import { startSandboxWorld } from '../support/sandbox-world.ts';
import type { SandboxWorld } from '../support/sandbox-world.ts';
import { aService } from '../support/service.ts';
import { addressOf, cloudWrites, readyOf, serviceOf } from '../support/told.ts';

const APPROVE = 'levelset.openstack.org/approve';
const LARGE = { id: '5b4f0d8e-1d1a-4f4a-9a51-0d7a2a3b4c5d', name: 'large', description: '', enabled: true };
const FLAVOR = { 'loadbalancer.openstack.org/flavor-id': LARGE.id };

let it: SandboxWorld;
beforeEach(async () => {
  it = await startSandboxWorld();
  it.sandbox.cloud.flavors.push(LARGE);
  it.sandbox.kube.apply(aService());
  await it.settle('web');
});
afterEach(() => it.close());

function approvalToldTo(name = 'web'): string {
  return /until ([0-9a-f]{12}) is approved/.exec(readyOf(it.sandbox, name)?.message ?? '')?.[1] ?? '';
}

async function approve(annotations: Readonly<Record<string, string>>): Promise<void> {
  it.sandbox.kube.apply(aService({ annotations }));
  await it.settle('web');
  it.sandbox.kube.apply(aService({ annotations: { ...annotations, [APPROVE]: approvalToldTo() } }));
}

test('a change that needs another load balancer is refused, with its cost and its hash', async () => {
  const before = structuredClone(it.sandbox.cloud.loadbalancers);
  it.sandbox.kube.apply(aService({ annotations: FLAVOR }));

  await it.settle('web');

  expect(it.sandbox.cloud.loadbalancers).toEqual(before);
  expect(readyOf(it.sandbox)).toMatchObject({ status: 'True' });
  expect(readyOf(it.sandbox)?.message).toMatch(
    /lb is left as it is until [0-9a-f]{12} is approved \(flavor_id null -> "5b4f/,
  );
  expect(readyOf(it.sandbox)?.message).toContain('the floating IP 203.0.113');
});

test('approved, the new load balancer is complete before the floating IP turns to it, and the address stays', async () => {
  const address = addressOf(it.sandbox);
  const [old] = it.sandbox.cloud.loadbalancers;
  const [ip] = it.sandbox.cloud.floatingips;
  await approve(FLAVOR);
  const seen = it.sandbox.requests.length;

  await it.settle('web');

  const [now, ...others] = it.sandbox.cloud.loadbalancers;
  expect(others).toEqual([]);
  expect(now?.id).not.toBe(old?.id);
  expect(now).toMatchObject({ flavor_id: LARGE.id, provisioning_status: 'ACTIVE' });
  expect(it.sandbox.cloud.floatingips).toEqual([ip]);
  expect(ip).toMatchObject({ floating_ip_address: address, port_id: now?.vip_port_id });
  expect(addressOf(it.sandbox)).toBe(address);
  expect(serviceOf(it.sandbox)?.metadata.annotations).toMatchObject({
    'loadbalancer.openstack.org/load-balancer-id': now?.id,
  });
  expect(readyOf(it.sandbox)?.message).toBe(`load balancer ${now?.id ?? ''} serves at ${address ?? ''}`);
  expect(cloudWrites(it.sandbox).slice(-3)).toEqual([
    'POST loadbalancers',
    'PUT floatingips/ID',
    'DELETE loadbalancers/ID',
  ]);
  expect(it.sandbox.requests.slice(seen).some(({ status }) => status >= 400)).toBe(false);
});
