import { describe, expect, test } from 'vitest';
import { aService } from '../../support/service.ts';
import { inEachTest, startSandboxWorld } from '../../support/sandbox-world.ts';

const it = inEachTest(() => startSandboxWorld());

const writes = (): number =>
  it.sandbox.requests.filter(({ write, side }) => write && side === 'openstack').length;

describe('a Service of type LoadBalancer', () => {
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
});
