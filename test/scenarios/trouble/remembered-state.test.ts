/** After a run that wrote its whole plan the next one looks at the load balancer alone; what differs below it, levelset finds all the same. */
import { describe, expect, test } from 'vitest';
import type { ReconcileRequest } from '../../../shared/model/request.ts';
import { aService } from '../../support/service.ts';
import { aTlsSecret } from '../../support/tls-secret.ts';
import { inEachTest, pause, run, startSandboxWorld } from '../../support/sandbox-world.ts';

const it = inEachTest(() => startSandboxWorld());

/** What is on a load balancer. */
const ON_IT = /\/(listeners|pools|members|healthmonitors)/;
const request = { key: 'service/default/web', trigger: 'audit' } as const;
const tag = (text: string): void => {
  const [lb] = it.sandbox.cloud.loadbalancers;
  if (lb) Object.assign(lb, { tags: [...lb.tags, text] });
};
const asked = (path: RegExp): number =>
  it.sandbox.requests.filter((call) => call.method === 'GET' && path.test(call.path)).length;

describe('the requeued run after one that wrote its whole plan', () => {
  test('looks at the load balancer and at nothing else', async () => {
    it.sandbox.kube.apply(aService());
    await it.settle('web');

    expect(asked(ON_IT)).toBe(0);
    expect(asked(/\/loadbalancers/)).toBe(2);
    expect(asked(/\/floatingips\?/)).toBe(1);
  });

  test.each<readonly [string, () => Partial<ReconcileRequest> | undefined]>([
    ['a person asks', () => ({ trigger: 'resync' })],
    ['a sweep asks', () => ({ trigger: 'sweep' })],
    [
      'the Service was edited',
      () => {
        const ports = [{ name: 'http', port: 80, targetPort: 8080, nodePort: 30090 }];
        it.sandbox.kube.apply(aService({ spec: { ports } }));
        return undefined;
      },
    ],
    [
      'the Service is another one of that name',
      () => {
        it.sandbox.kube.apply({ kind: 'Service', metadata: { name: 'web', finalizers: [] } });
        it.sandbox.kube.delete('Service', 'default', 'web');
        it.sandbox.kube.apply(aService());
        return undefined;
      },
    ],
    [
      'another Service shares the load balancer',
      () => {
        tag('levelset-name=default/other');
        return undefined;
      },
    ],
  ])('reads everything where %s meanwhile', async (_, change) => {
    it.sandbox.kube.apply(aService());
    await run(request, it.world);
    await pause(20);

    await it.settle('web', change());

    expect(asked(ON_IT)).toBeGreaterThan(0);
  });

  test.each([
    ['the members of the pools that were written, and nothing else on it', 0, 0],
    ['everything a minute later', 61_000, 1],
  ])('reads after a member went %s', async (_, passedMs, everything) => {
    const { kube, cloud } = it.sandbox;
    kube.apply(aService());
    await it.settle('web');
    await it.sweepUntilSettled();
    kube.removeNode('node-1');
    await run({ ...request, trigger: 'resync' }, it.world);
    await pause(20);
    const [members, listeners] = [asked(/\/members/), asked(/\/listeners/)];

    const late = { ...it.world, clock: { now: () => Date.now() + passedMs } };
    await it.settle('web', { trigger: 'requeue' }, late);

    expect(cloud.members).toHaveLength(2);
    expect(asked(/\/members/) - members).toBe(1);
    expect(asked(/\/listeners/) - listeners).toBe(everything);
  });

  test('reads everything when it is late: another process may have changed settings', async () => {
    it.sandbox.kube.apply(aService());
    await run(request, it.world);
    await pause(20);
    const [pool] = it.sandbox.cloud.pools;
    if (pool) Object.assign(pool, { lb_algorithm: 'SOURCE_IP' });

    const late = { ...it.world, clock: { now: () => Date.now() + 61_000 } };
    await run(request, late);

    expect(asked(ON_IT)).toBeGreaterThan(0);
    expect(it.sandbox.cloud.pools[0]).toMatchObject({ lb_algorithm: 'ROUND_ROBIN' });
  });
});

test.each([3, 90])(
  'a certificate that another process has deleted %i s ago is stored anew, not asked of Barbican by its old id',
  async (gapS) => {
    const { kube, cloud } = it.sandbox;
    let passedMs = 0;
    const clock = { now: () => Date.now() + passedMs };
    const [first, second] = [it.world, await it.another()].map((world) => ({ ...world, clock }));
    const { type, data } = aTlsSecret('one');
    kube.apply({
      kind: 'Secret',
      metadata: { name: 'web-tls', namespace: 'default' },
      type,
      data: { ...data },
    });
    const secured = aService({ annotations: { 'levelset.openstack.org/tls-secret': 'web-tls' } });
    kube.apply(secured);
    await it.settle('web', {}, first);
    // one that names no Secret asks first, and would keep the answer for five minutes
    kube.apply(aService({ name: 'plain' }));
    await it.settle('plain', {}, first);
    kube.delete('Service', 'default', 'web');
    await it.settle('web', {}, second);
    passedMs += gapS * 1_000;
    it.sandbox.advanceClock(gapS * 1_000);
    kube.apply(secured);

    const { outcome } = await it.settle('web', {}, first);

    expect(outcome.status).toBe('settled');
    expect(cloud.loadbalancers).toHaveLength(2);
  },
);
