/** Many clusters, some slow and some hanging, before one process: the bench `bench:fleet` in small. */
import { expect, test } from 'vitest';
import { runFleet, sweepsOf, tookOf, waitsOf } from '../../bench/fleet/fleet.ts';

const CLUSTERS = 20;
/** PENDING_* takes 2 s, and who waits for it looks each second. */
const SOON_MS = 6_000;

test('a process sweeps each of its clusters once in an interval, writes nothing twice, and lets none starve', async () => {
  const fleet = await runFleet({ clusters: CLUSTERS, services: 10, perSecond: 0.4, odd: 1 });
  const { edits, interval, writes, slow, hanging } = fleet;
  const of = (what: string): number => edits.filter((edit) => edit.what === what).length;

  expect(sweepsOf(fleet, CLUSTERS)).toEqual({ once: CLUSTERS - hanging.length, more: 0, never: 0 });

  expect(edits).toHaveLength(120);
  expect(fleet.undone).toBe(0);
  expect(writes).toEqual({
    'POST /load-balancer/v2.0/lbaas/loadbalancers': of('create'),
    'POST /network/v2.0/floatingips': of('create'),
    'PUT /network/v2.0/floatingips/ID/tags': of('create'),
    'DELETE /load-balancer/v2.0/lbaas/loadbalancers/ID': of('delete'),
    'DELETE /network/v2.0/floatingips/ID': of('delete'),
    'PUT /load-balancer/v2.0/lbaas/listeners/ID': of('change'),
  });

  const ordinary = edits.filter(({ cluster }) => !slow.includes(cluster));
  const waits = waitsOf(tookOf(ordinary, interval.runs));
  expect(waits.done).toBe(ordinary.length);
  expect(waits.slowest).toBeLessThan(SOON_MS);
  const others = interval.runs.filter(({ cluster }) => hanging.includes(cluster));
  expect(others.length).toBeLessThan(interval.runs.length);
}, 300_000);
