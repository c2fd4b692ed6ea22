/** Clusters of one project share the room that Octavia has, and keep apart whose it is. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { queueKeyOf, type ReconcileRequest } from '../../../shared/model/request.ts';
import { OctaviaLoad } from '../../../shared/queue/octavia-load.ts';
import { ParkedKeys } from '../../../shared/queue/parked-keys.ts';
import { aReport, aRequest } from './reports.ts';

beforeEach(() => void vi.useFakeTimers({ now: 0 }));
afterEach(() => void vi.useRealTimers());

const clock = { now: (): number => Date.now() };
const of = (cluster: string, name: string): ReconcileRequest => ({ ...aRequest(name), cluster });
const NEEDS_ROOM = { status: 'progressing', reason: '', retryAfterMs: 0, needsRoom: 'create' } as const;

test('one key of two clusters takes room twice, and the end of one run says nothing of the other', () => {
  const parked = new ParkedKeys({ load: new OctaviaLoad(clock), clock });
  const [a, b, c] = [of('prod-a', 'web'), of('prod-b', 'web'), of('prod-c', 'web')];

  expect([a, b, c].map((request) => parked.admit(request))).toEqual([true, true, false]);
  parked.ended(a, true, aReport(a));

  expect([a, b, c].map((request) => parked.isGoing(request))).toEqual([false, true, false]);
  expect(parked.admit(c)).toBe(true);
});

test('room goes to the clusters in turns', () => {
  const ready: string[] = [];
  const load = new OctaviaLoad(clock);
  const parked = new ParkedKeys({ load, clock });
  for (const cluster of ['prod-a', 'prod-b'])
    parked.join(cluster, (request) => {
      ready.push(queueKeyOf(request));
    });
  const first = [of('prod-a', 'one'), of('prod-a', 'two')];
  for (const request of first) parked.admit(request);
  const busy = ['3', '4', '5'].map((name) => of('prod-a', name));
  for (const request of [...busy, of('prod-b', '3')]) {
    expect(parked.admit(request)).toBe(false);
    parked.ended(request, false, aReport(request, NEEDS_ROOM));
  }

  for (const request of first) parked.ended(request, true, aReport(request));
  parked.release();

  expect(ready).toEqual(['prod-a:service/shop/3', 'prod-b:service/shop/3']);
});

test('a look at the load balancers of one cluster says nothing of those of another', () => {
  const load = new OctaviaLoad(clock);
  load.begin('lb-a', 'delete', queueKeyOf(of('prod-a', 'web')));
  vi.advanceTimersByTime(1_000);
  const look = (cluster: string): void => {
    load.looked({ cluster, statuses: new Map(), atMs: clock.now() });
  };

  look('prod-b');
  expect(load.working).toBe(1);
  look('prod-a');
  expect(load.working).toBe(0);
});

test('a cluster that leaves frees its room, keeps no key parked, and a run of it that ends later begins nothing', () => {
  const ready: string[] = [];
  const load = new OctaviaLoad(clock);
  const parked = new ParkedKeys({ load, clock });
  for (const cluster of ['prod-a', 'prod-b'])
    parked.join(cluster, (request) => {
      ready.push(queueKeyOf(request));
    });
  const [one, two, late] = [of('prod-a', 'one'), of('prod-a', 'two'), of('prod-a', 'late')];
  const other = of('prod-b', 'web');
  for (const request of [one, two]) expect(parked.admit(request)).toBe(true);
  for (const request of [late, other]) {
    expect(parked.admit(request)).toBe(false);
    parked.ended(request, false, aReport(request, NEEDS_ROOM));
  }
  expect([parked.sizeOf('prod-a'), parked.sizeOf('prod-b')]).toEqual([1, 1]);

  parked.leave('prod-a');
  expect(ready).toEqual(['prod-b:service/shop/web']);
  expect(parked.admit(of('prod-b', 'next'))).toBe(true);
  const busy = { status: 'progressing', reason: '', retryAfterMs: 0, waitingFor: 'lb-one' } as const;
  const applied = [{ verb: 'create', kind: 'loadbalancer', address: 'lb' }] as never;
  parked.ended(one, true, { ...aReport(one, busy), applied, loadBalancerId: 'lb-one' });
  parked.ended(late, false, aReport(late, NEEDS_ROOM));

  expect([load.working, parked.sizeOf('prod-a'), parked.isGoing(one)]).toEqual([0, 0, false]);
  expect(parked.sizeOf('prod-b')).toBe(0);
});
