import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { aService } from '../../support/service.ts';
import { startSandboxWorld } from '../../support/sandbox-world.ts';
import type { SandboxWorld } from '../../support/sandbox-world.ts';
import { cloudWrites, eventsOf, readyOf, serviceOf } from '../../support/told.ts';

let it: SandboxWorld;
beforeEach(async () => {
  it = await startSandboxWorld();
});
afterEach(() => it.close());

const RANGES = 'service.beta.kubernetes.io/load-balancer-source-ranges';
const open = (loadBalancerSourceRanges: readonly string[] | null) =>
  aService({ spec: { loadBalancerSourceRanges } });
const allowed = () => it.sandbox.cloud.listeners.map((listener) => listener['allowed_cidrs']);

describe('loadBalancerSourceRanges', () => {
  test('are set with the create, changed in place and taken away again', async () => {
    it.sandbox.kube.apply(open(['192.0.2.0/24', '10.1.0.0/16']));
    await it.settle('web');
    expect(allowed()).toEqual([['10.1.0.0/16', '192.0.2.0/24']]);

    it.sandbox.kube.apply(open(['198.51.100.0/24']));
    await it.settle('web');
    expect(allowed()).toEqual([['198.51.100.0/24']]);

    it.sandbox.kube.apply(open(null));
    await it.settle('web');
    expect(allowed()).toEqual([null]);
    expect(it.sandbox.cloud.listeners).toHaveLength(1);
  });

  test('open nothing at all while none of them is valid', async () => {
    it.sandbox.kube.apply(aService({ annotations: { [RANGES]: 'office, 10.0.0.0/99' } }));

    const report = await it.settle('web');

    expect(report.outcome.status).toBe('blocked');
    expect(cloudWrites(it.sandbox)).toEqual([]);
    expect(readyOf(it.sandbox)).toMatchObject({ status: 'False', reason: 'LoadBalancerBlocked' });
    expect(readyOf(it.sandbox)?.message).toContain('none of these ranges can be enforced');
  });

  test('stay as they were while the new ones are all invalid', async () => {
    it.sandbox.kube.apply(aService({ annotations: { [RANGES]: '192.0.2.0/24' } }));
    await it.settle('web');

    it.sandbox.kube.apply(aService({ annotations: { [RANGES]: 'everybody' } }));
    await it.settle('web');

    expect(allowed()).toEqual([['192.0.2.0/24']]);
    expect(readyOf(it.sandbox)?.message).toContain('everybody');
  });
});

describe('sessionAffinity', () => {
  test('is switched on and off in place', async () => {
    const persistence = () => it.sandbox.cloud.pools.map((pool) => [pool.id, pool['session_persistence']]);
    it.sandbox.kube.apply(aService());
    await it.settle('web');
    const [pool] = it.sandbox.cloud.pools;
    expect(persistence()).toEqual([[pool?.id, null]]);

    it.sandbox.kube.apply(aService({ spec: { sessionAffinity: 'ClientIP' } }));
    await it.settle('web');
    expect(persistence()).toMatchObject([[pool?.id, { type: 'SOURCE_IP' }]]);

    it.sandbox.kube.apply(aService({ spec: { sessionAffinity: 'None', sessionAffinityConfig: null } }));
    await it.settle('web');
    expect(persistence()).toEqual([[pool?.id, null]]);
  });
});

describe('three bad annotations', () => {
  test('make one condition that names them all, one Event, and the rest works', async () => {
    const bad = {
      'loadbalancer.openstack.org/lb-method': 'FASTEST',
      'loadbalancer.openstack.org/timeout-client-data': 'many',
      'loadbalancer.openstack.org/enable-health-monitor': 'maybe',
    };
    it.sandbox.kube.apply(aService({ annotations: bad }));

    const report = await it.settle('web');
    await it.settle('web');

    expect(report.outcome).toEqual({ status: 'settled' });
    expect(it.sandbox.cloud.members).toHaveLength(3);
    expect(it.sandbox.cloud.listeners[0]?.['timeout_client_data']).toBe(50_000);
    expect(readyOf(it.sandbox)?.status).toBe('True');
    for (const value of ['FASTEST', 'many', 'maybe']) expect(readyOf(it.sandbox)?.message).toContain(value);
    expect(eventsOf(it.sandbox)).toEqual(['EnsuredLoadBalancer x1', 'EnsuringLoadBalancer x1']);
    const ours = serviceOf(it.sandbox)?.status?.conditions?.filter(({ type }) => type.includes('levelset'));
    expect(ours).toHaveLength(1);
  });
});

test('a monitor of a UDP port takes a new timeout, although Octavia wants its delay named with it', async () => {
  const ports = [{ name: 'dns', port: 53, protocol: 'UDP' }];
  it.sandbox.kube.apply(aService({ spec: { ports } }));
  await it.settle('web');

  const annotations = { 'loadbalancer.openstack.org/health-monitor-timeout': '2' };
  it.sandbox.kube.apply(aService({ annotations, spec: { ports } }));
  await it.settle('web');

  expect(it.sandbox.cloud.healthmonitors[0]).toMatchObject({ type: 'UDP-CONNECT', timeout: 2, delay: 5 });
});
