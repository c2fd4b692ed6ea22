import { beforeEach, expect, test } from 'vitest';
import { aService } from '../../support/service.ts';
import { inEachTest, startSandboxWorld } from '../../support/sandbox-world.ts';
import { addressOf, readyOf } from '../../support/told.ts';

const BY_NAME = { 'loadbalancer.openstack.org/floating-subnet': 'public-*' };

const it = inEachTest(() => startSandboxWorld());
beforeEach(() => {
  const [subnet] = it.sandbox.cloud.subnets;
  // without one usable address, and the first by name
  if (subnet)
    it.sandbox.cloud.subnets.push({ ...subnet, id: it.sandbox.cloud.newId(), name: 'public-a', cidr: FULL });
});

const FULL = '198.51.100.0/29';
const posts = () =>
  it.sandbox.requests.filter(({ method, path }) => method === 'POST' && path.endsWith('/v2.0/floatingips'));

test('the next subnet of the plan gives the floating IP in the same run when the first one is full', async () => {
  it.sandbox.kube.apply(aService({ annotations: BY_NAME }));

  await it.settle('web');

  expect(posts()).toHaveLength(2);
  expect(it.sandbox.cloud.floatingips).toHaveLength(1);
  expect(addressOf(it.sandbox)).toMatch(/^203\.0\.113\./);
  expect(readyOf(it.sandbox)).toMatchObject({ status: 'True' });
});

test('a full subnet without another one is reported, and tried again', async () => {
  it.sandbox.kube.apply(
    aService({ annotations: { 'loadbalancer.openstack.org/floating-subnet': 'public-a' } }),
  );

  const report = await it.settle('web');

  expect(report.outcome).toMatchObject({ status: 'failed', code: 'ADDRESSES_EXHAUSTED' });
  expect(readyOf(it.sandbox)?.message).toContain('No more IP addresses available');
  expect(addressOf(it.sandbox)).toBeUndefined();

  it.sandbox.kube.apply(aService({ annotations: BY_NAME }));
  await it.settle('web');

  expect(addressOf(it.sandbox)).toMatch(/^203\.0\.113\./);
});
