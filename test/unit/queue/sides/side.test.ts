import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { MemoryQueue } from '../../../../shared/queue/memory-queue.ts';
import { OctaviaLoad } from '../../../../shared/queue/octavia-load.ts';
import { ParkedKeys } from '../../../../shared/queue/parked-keys.ts';
import { Side } from '../../../../shared/queue/side.ts';
import { Sides } from '../../../../shared/queue/sides.ts';
import { aReport, aRequest, failed } from '../reports.ts';

const START = Date.UTC(2026, 0, 1);
beforeEach(() => void vi.useFakeTimers({ now: START }));
afterEach(() => void vi.useRealTimers());

const CLOCK = { now: (): number => performance.now() };
const RUN_MS = 30_000;

const aSide = (name = 'the kube-apiserver'): Side => new Side(name, CLOCK);

/** A run that ends after a while, with this answer or none. */
async function run(side: Side, status?: number): Promise<void> {
  const end = side.begin();
  await vi.advanceTimersByTimeAsync(RUN_MS);
  side.asked(status);
  end();
}

async function bringToRest(side: Side): Promise<void> {
  for (let runs = 0; runs < 3; runs += 1) await run(side);
}

test('a side that has not answered three runs in a row rests for 1, 2, ... 30 s, and one run at a time looks', async () => {
  const side = aSide();
  for (const rests of [false, false, true]) {
    expect(side.mayBegin).toBe(true);
    await run(side);
    expect(side.rests).toBe(rests);
  }
  expect(side.trouble).toBe(
    'the kube-apiserver has not answered since 2026-01-01T00:00:00Z: runs and sweeps wait until it does',
  );
  for (const seconds of [1, 2, 4, 8, 16, 30, 30]) {
    await vi.advanceTimersByTimeAsync(seconds * 1_000 - 1);
    expect(side.mayBegin).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(side.mayBegin).toBe(true);
    const look = run(side);
    expect(side.mayBegin).toBe(false);
    await look;
  }
});

test('the first answer to anybody ends the rest, and who waits is told', async () => {
  const side = aSide();
  await bringToRest(side);
  let told = 0;
  const unfollow = side.follow(() => (told += 1));
  side.asked(403);
  expect(side).toMatchObject({ rests: false, isDoubtful: false, mayBegin: true });
  expect(told).toBe(1);
  unfollow();
  await bringToRest(side);
  expect(told).toBe(1);
});

test('a run counts that had no answer while nobody else had one; what a proxy answers for the side is none', async () => {
  const side = aSide();
  await run(side, 504);
  expect(side.isDoubtful).toBe(true);
  await run(side);
  const end = side.begin();
  side.asked(200); // to another run
  side.asked(undefined);
  end();
  expect(side.isDoubtful).toBe(false);
  const without = side.begin(); // asks nothing
  await vi.advanceTimersByTimeAsync(1);
  without();
  expect(side.isDoubtful).toBe(false);
});

test('a kube-apiserver that hangs keeps no other cluster from looking at the OpenStack that both have', async () => {
  const cloud = aSide('OpenStack');
  const kube = aSide();
  const one = new Sides(kube, cloud);
  const other = new Sides(aSide(), cloud);
  await bringToRest(kube);
  await bringToRest(cloud);
  await vi.advanceTimersByTimeAsync(RUN_MS);
  const endOfOne = one.begin();
  expect(one.mayBegin).toBe(false);
  expect(other.mayBegin).toBe(true);
  const endOfOther = other.begin();
  expect(other.mayBegin).toBe(false);
  endOfOther();
  endOfOne();
  expect(one.trouble).toContain('the kube-apiserver');
  expect(other.trouble).toContain('OpenStack');
});

test('keys of a side that rests stay ready without a run, and come back as early as they would have', async () => {
  const side = aSide();
  const began: string[] = [];
  const queue = new MemoryQueue({
    run: async (request) => {
      began.push(`${performance.now()} ${request.key}`);
      await vi.advanceTimersByTimeAsync(0);
      side.asked(200);
      return aReport(request);
    },
    concurrency: 5,
    clock: CLOCK,
    random: () => 0.5,
    sides: new Sides(side, aSide('OpenStack')),
  });
  await bringToRest(side);
  const restsFromMs = performance.now();
  queue.add(aRequest('a'));
  queue.add(aRequest('b'));
  await vi.advanceTimersByTimeAsync(999);
  expect([began, queue.depth]).toEqual([[], 2]);
  await vi.advanceTimersByTimeAsync(1);
  await queue.idle();
  const atMs = restsFromMs + 1_000;
  expect(began).toEqual([`${atMs} service/shop/a`, `${atMs} service/shop/b`]);
});

test('a cluster whose last run had no answer keeps no room of Octavia from another one', async () => {
  const parked = new ParkedKeys({ load: new OctaviaLoad(CLOCK), clock: CLOCK });
  const side = aSide();
  const room: string[] = [];
  const note = ({ key }: { readonly key: string }): void => void room.push(key);
  parked.join('hangs', note, () => side.isDoubtful);
  parked.join('other', note);
  await run(side);
  for (const name of ['a', 'b', 'c'])
    expect(parked.admit({ ...aRequest(name), cluster: 'hangs' })).toBe(false);
  const needsRoom = { status: 'progressing', reason: '', retryAfterMs: 0, needsRoom: 'create' } as const;
  for (const name of ['a', 'b']) {
    const request = { ...aRequest(name), cluster: 'hangs' };
    parked.ended(request, false, aReport(request, needsRoom));
  }
  parked.release();
  for (const name of ['a', 'b']) expect(parked.admit({ ...aRequest(name), cluster: 'other' })).toBe(true);
  expect(room).toEqual([]);
  for (const name of ['a', 'b']) {
    const request = { ...aRequest(name), cluster: 'other' };
    parked.ended(request, true, aReport(request, failed()));
  }
  side.asked(200);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(room).toEqual(['service/shop/a', 'service/shop/b']);
});

test('a cluster whose runs never get as far as OpenStack keeps no other one of its project from looking at it', async () => {
  const cloud = aSide('OpenStack');
  const began: string[] = [];
  const queueOf = (cluster: string, asksCloud: boolean): MemoryQueue => {
    const kube = aSide();
    return new MemoryQueue({
      cluster,
      run: async (request) => {
        began.push(cluster);
        await Promise.resolve();
        kube.asked(asksCloud ? 200 : 401);
        if (asksCloud) cloud.asked(200);
        return aReport(request, asksCloud ? undefined : failed());
      },
      concurrency: 5,
      clock: CLOCK,
      random: () => 0.5,
      sides: new Sides(kube, cloud),
    });
  };
  const refused = queueOf('refused', false);
  const other = queueOf('other', true);
  await bringToRest(cloud);
  for (let number = 0; number < 20; number += 1)
    refused.add({ ...aRequest(`web-${number}`), cluster: 'refused' });
  other.add({ ...aRequest('web'), cluster: 'other' });
  await vi.advanceTimersByTimeAsync(1_500);
  expect(began.slice(0, 2)).toEqual(['refused', 'other']);
  expect(cloud.rests).toBe(false);
  await Promise.all([refused.stop(), other.stop()]);
});
