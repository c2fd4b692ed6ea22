import { describe, expect, test } from 'vitest';
import { sweep } from '../../../shared/sweep.ts';
import { aService } from '../../support/service.ts';
import { inEachTest, run, runAll, startSandboxWorld } from '../../support/sandbox-world.ts';
import { eventsOf } from '../../support/told.ts';

const it = inEachTest(() => startSandboxWorld());

const request = { key: 'service/default/web', trigger: 'audit' } as const;

test.each([1, 20])(
  'a world that is settled costs a sweep over %i Services no write and at most ten calls to OpenStack',
  async (count) => {
    // watermarks leave out what changed a moment ago: here everything changed a minute ago
    it.sandbox.advanceClock(-60_000);
    for (let n = 1; n <= count; n += 1) it.sandbox.kube.apply(aService({ name: `web-${n}` }));
    await it.sweepUntilSettled();
    await runAll(await sweep(it.world), it.world);
    const before = it.sandbox.requests.length;

    const fresh = await it.another();
    const found = await sweep(fresh);

    const calls = it.sandbox.requests.slice(before);
    expect(found).toMatchObject({ requests: [], services: count, settled: count, warnings: [] });
    expect(calls.filter(({ write }) => write)).toEqual([]);
    expect(calls.filter(({ side }) => side === 'openstack').length).toBeLessThanOrEqual(10);
    expect(calls.filter(({ side }) => side === 'kube').length).toBeLessThanOrEqual(10);
  },
);

describe('Events', () => {
  test('name each transition once: making, made, changed', async () => {
    it.sandbox.kube.apply(aService());
    await it.settle('web');
    for (let n = 1; n <= 10; n += 1) await run(request, it.world);
    expect(eventsOf(it.sandbox)).toEqual(['EnsuredLoadBalancer x1', 'EnsuringLoadBalancer x1']);

    it.sandbox.kube.addNode('node-9');
    await it.settle('web');
    for (let n = 1; n <= 10; n += 1) await run(request, it.world);

    expect(eventsOf(it.sandbox)).toEqual([
      'EnsuredLoadBalancer x1',
      'EnsuringLoadBalancer x1',
      'UpdatedLoadBalancer x1',
    ]);
  });

  test('name a deletion in two words', async () => {
    it.sandbox.kube.apply(aService());
    await it.settle('web');

    await it.remove('web');

    expect(eventsOf(it.sandbox).filter((event) => event.startsWith('Delet'))).toEqual([
      'DeletedLoadBalancer x1',
      'DeletingLoadBalancer x1',
    ]);
  });
});
