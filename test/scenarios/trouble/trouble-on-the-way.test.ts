import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { aService } from '../../support/service.ts';
import { run, startSandboxWorld, type SandboxWorld } from '../../support/sandbox-world.ts';
import { addressOf, cloudWrites, readyOf, serviceOf } from '../../support/told.ts';

let it: SandboxWorld;
beforeEach(async () => {
  it = await startSandboxWorld();
});
afterEach(() => it.close());

const once = () => run({ key: 'service/default/web', trigger: 'audit' }, it.world);

/** Runs it to its end although runs fail, as the queue does. */
async function persist(): Promise<void> {
  for (let tries = 0; tries < 10; tries += 1) {
    const { outcome } = await it.settle('web');
    if (outcome.status === 'settled') return;
  }
  throw new Error('web does not settle');
}

function expectOneOfEach(): void {
  const { loadbalancers, floatingips, listeners, members } = it.sandbox.cloud;
  expect([loadbalancers.length, listeners.length, members.length, floatingips.length]).toEqual([1, 1, 3, 1]);
  expect(floatingips[0]?.port_id).toBe(loadbalancers[0]?.vip_port_id);
  expect(floatingips[0]?.tags).toHaveLength(2);
  expect(addressOf(it.sandbox)).toBe(floatingips[0]?.floating_ip_address);
  expect(readyOf(it.sandbox)).toMatchObject({ status: 'True' });
}

describe('a write that is refused', () => {
  test('with 401 is sent again with a new token in the same run', async () => {
    it.sandbox.kube.apply(aService());
    await it.world.cloud.list('loadbalancer');
    const clear = it.sandbox.fault({
      match: { side: 'openstack', write: true },
      kind: 'call',
      before: () => {
        it.sandbox.keystone.revokeTokens();
      },
    });

    const first = await once();
    clear();

    expect(first.outcome.status).toBe('progressing');
    expect(first.applied.map(({ kind }) => kind)).toEqual(['loadbalancer', 'floatingip']);
    await persist();
    expectOneOfEach();
  });

  test('for good is named in the condition, and what was made is remembered', async () => {
    it.sandbox.kube.apply(aService());
    const body = {
      NeutronError: {
        type: 'OverQuota',
        message: "Quota exceeded for resources: ['floatingip'].",
        detail: '',
      },
    };
    const clear = it.sandbox.fault({
      match: { method: 'POST', path: /floatingips$/ },
      kind: 'fail-before',
      status: 409,
      body,
      times: 99,
    });

    await it.settle('web');
    const { outcome } = await it.settle('web');

    expect(outcome).toMatchObject({ status: 'failed', code: 'QUOTA_EXCEEDED' });
    expect(readyOf(it.sandbox)).toMatchObject({ status: 'False', reason: 'SyncLoadBalancerFailed' });
    expect(readyOf(it.sandbox)?.message).toContain('Quota exceeded');
    clear();
    await persist();
    expectOneOfEach();
  });
});

describe('a token', () => {
  test('that runs out in the middle is replaced', async () => {
    it.sandbox.kube.apply(aService());
    await once();
    it.sandbox.advanceClock(3_600_001);

    await persist();

    expectOneOfEach();
    expect(cloudWrites(it.sandbox).filter((write) => write.startsWith('POST'))).toEqual([
      'POST loadbalancers',
      'POST floatingips',
    ]);
  });
});

describe('a Service that somebody else changes between reading and writing', () => {
  test('is read again: nothing is overwritten, nothing doubled', async () => {
    it.sandbox.kube.apply(aService());
    let version = 0;
    it.sandbox.fault({
      match: { side: 'kube', method: 'PATCH', path: /services\/web\/status/ },
      times: 3,
      kind: 'call',
      before: () => {
        const labels = { version: String((version += 1)) };
        it.sandbox.kube.apply({ kind: 'Service', metadata: { name: 'web', namespace: 'default', labels } });
      },
    });

    const first = await it.settle('web');
    await persist();

    expect(first.outcome).toMatchObject({ status: 'settled' });
    expectOneOfEach();
    expect(serviceOf(it.sandbox)?.metadata.labels).toEqual({ version: '3' });
  });
});
