/** The functions on AWS share the work of several clusters: the bench `bench:workers` in small. */
import { expect, test } from 'vitest';
import { measureWorkers } from '../../bench/fleet-workers/measure.ts';

const SIZE = { workers: 6, clusters: 5, services: 5, perSecond: 2, seconds: 10 };

test.runIf(process.env['LEVELSET_CONFORMANCE_LAB'] !== undefined)(
  'six workers do all that people want, and nothing twice',
  { timeout: 240_000 },
  async () => {
    const { workers, edits, undone, calls } = await measureWorkers(SIZE);
    for (const { runs } of workers) expect(runs).toBeGreaterThan(0);
    expect(edits.length).toBeGreaterThanOrEqual(SIZE.perSecond * (SIZE.seconds - 1));
    expect(undone).toBe(0);
    expect(calls.twice).toEqual({});
    const of = (what: string): number => edits.filter((edit) => edit.what === what).length;
    expect(calls.writes).toEqual({
      'POST /load-balancer/v2.0/lbaas/loadbalancers': of('create'),
      'POST /network/v2.0/floatingips': of('create'),
      'PUT /network/v2.0/floatingips/ID/tags': of('create'),
      'DELETE /load-balancer/v2.0/lbaas/loadbalancers/ID': of('delete'),
      'DELETE /network/v2.0/floatingips/ID': of('delete'),
      'PUT /load-balancer/v2.0/lbaas/listeners/ID': of('change'),
    });
  },
);
