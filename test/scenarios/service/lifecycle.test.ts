import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { renderPlan } from '../../../shared/plan/render-plan.ts';
import { aService } from '../../support/service.ts';
import { run, startSandboxWorld } from '../../support/sandbox-world.ts';
import type { SandboxWorld } from '../../support/sandbox-world.ts';

let it: SandboxWorld;
beforeEach(async () => {
  it = await startSandboxWorld();
});
afterEach(() => it.close());

const writes = (): number =>
  it.sandbox.requests.filter(({ write, side }) => write && side === 'openstack').length;

describe('a Service of type LoadBalancer', () => {
  test('gets a load balancer with its listeners, members and monitor, a floating IP and a status', async () => {
    it.sandbox.kube.apply(aService());

    const report = await it.settle('web');

    const service = it.sandbox.kube.get('Service', 'default', 'web');
    expect(report.outcome).toEqual({ status: 'settled' });
    expect(it.sandbox.cloud.loadbalancers).toHaveLength(1);
    expect(it.sandbox.cloud.members).toHaveLength(3);
    expect(it.sandbox.cloud.healthmonitors).toHaveLength(1);
    expect(service).toMatchObject({
      metadata: { finalizers: ['service.kubernetes.io/load-balancer-cleanup'] },
      status: {
        loadBalancer: {
          ingress: [{ ip: it.sandbox.cloud.floatingips[0]?.floating_ip_address, ipMode: 'VIP' }],
        },
      },
    });
  });

  test('is made by one POST to Octavia and one to Neutron', async () => {
    it.sandbox.kube.apply(aService());

    await it.settle('web');

    const made = it.sandbox.requests
      .filter(({ write, side }) => write && side === 'openstack')
      .map(({ method, path }) => `${method} ${path.replace(/[0-9a-f-]{36}/, 'ID')}`);
    expect(made).toEqual([
      'POST /load-balancer/v2.0/lbaas/loadbalancers',
      'POST /network/v2.0/floatingips',
      'PUT /network/v2.0/floatingips/ID/tags',
    ]);
  });

  test('has one line with its plan in the log before its first write, of at most 8 kB', async () => {
    const plans: { line: unknown; writes: number }[] = [];
    const info = (line: string, fields?: unknown): void => {
      if (line === 'plan') plans.push({ line: fields, writes: writes() });
    };
    const world = { ...it.world, log: { ...it.world.log, info } };
    it.sandbox.kube.apply(aService());

    await it.settle('web', {}, world);
    expect(plans).toMatchObject([{ writes: 0, line: { object: 'service/default/web' } }]);
    const text = JSON.stringify(plans);
    for (const told of ['+ lb', '+ floatingip']) expect(text).toContain(told);

    const ports = Array.from({ length: 60 }, (_, at) => ({ name: `p${at}`, port: 1000 + at }));
    it.sandbox.kube.apply(aService({ name: 'wide', spec: { ports } }));
    await it.settle('wide', {}, world);
    it.sandbox.kube.addNode('node-more');
    await it.settle('wide', {}, world);
    const lines = plans.map((one) => JSON.stringify(one));
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThan(8_000);
    expect(lines.join('\n')).toMatch(/\+ member\/tcp\/1000\/.*and 40 more"\]/);
  });

  test('is left alone once it is settled: no write, and the next sweep finds nothing to do', async () => {
    it.sandbox.kube.apply(aService());
    await it.settle('web');
    const before = writes();

    const again = await it.settle('web');
    await it.sweepUntilSettled();

    expect(again.applied).toEqual([]);
    expect(writes()).toBe(before);
  });

  test('gains and loses ports', async () => {
    it.sandbox.kube.apply(aService());
    await it.settle('web');

    it.sandbox.kube.apply(
      aService({
        spec: {
          ports: [
            { name: 'https', port: 443 },
            { name: 'dns', port: 53, protocol: 'UDP' },
          ],
        },
      }),
    );
    await it.settle('web');

    const listeners = it.sandbox.cloud.listeners.map(
      (listener) => `${listener.protocol} ${String(listener.protocol_port)}`,
    );
    expect(listeners.sort()).toEqual(['TCP 443', 'UDP 53']);
    expect(it.sandbox.cloud.pools).toHaveLength(2);
    expect(it.sandbox.cloud.members).toHaveLength(6);
  });

  test('leaves nothing behind when it is deleted', async () => {
    it.sandbox.kube.apply(aService());
    await it.settle('web');

    await it.remove('web');

    expect(it.sandbox.kube.get('Service', 'default', 'web')).toBeUndefined();
    expect(it.sandbox.cloud.loadbalancers).toEqual([]);
    expect(it.sandbox.cloud.floatingips).toEqual([]);
  });

  test('shows its plan and changes nothing in a dry run', async () => {
    it.sandbox.kube.apply(aService());

    const report = await run({ key: 'service/default/web', trigger: 'resync', dryRun: true }, it.world);

    expect(it.sandbox.requests.filter(({ write }) => write)).toEqual([]);
    expect(report.plan && renderPlan(report.plan)).toContain('+ lb');
  });
});
