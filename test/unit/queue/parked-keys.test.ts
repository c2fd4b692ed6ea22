/** What must never wait for Octavia's room, and what must not keep it, on virtual time. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Outcome } from '../../../shared/model/outcome.ts';
import type { Key } from '../../../shared/model/request.ts';
import { BusyOctavia, BusyProcess, FOR_GOOD, named, SECOND } from './busy-octavia.ts';

beforeEach(() => void vi.useFakeTimers({ now: 0 }));
afterEach(() => void vi.useRealTimers());

const pass = (ms: number): Promise<unknown> => vi.advanceTimersByTimeAsync(ms);
const BOTH = [true, false];

async function untilDone(process: BusyProcess, count: number, limitMs = 3_600 * SECOND): Promise<void> {
  for (let passed = 0; process.done.length < count && passed < limitMs; passed += 250) await pass(250);
  expect(process.done).toHaveLength(count);
}

const last = (times: readonly number[]): number => times.at(-1) ?? Infinity;

test.each([
  [50, 2],
  [800, 2],
  [50, 6],
  [50, 20],
])('a hint %i ms after its run began delays none of %i new Services', async (atMs, count) => {
  const ends = async (hinted: boolean): Promise<number> => {
    const process = new BusyProcess(new BusyOctavia(2));
    const seen = new Set<Key>();
    process.began = (key) => {
      if (hinted && !seen.has(key))
        setTimeout(() => {
          process.hint(key);
        }, atMs);
      seen.add(key);
    };
    process.add(named(count), { verb: 'create', workMs: 10 * SECOND, runMs: SECOND });
    await untilDone(process, count);
    return last(process.took());
  };
  const calm = await ends(false);
  expect(await ends(true)).toBeLessThanOrEqual(1.1 * calm + 2 * SECOND);
});

describe('Services that share one load balancer', () => {
  const SHARED = { loadBalancer: 'shared', workMs: 5 * SECOND };

  test('take as long as without a limit, and others that change do not wait for them', async () => {
    const ends: Record<string, number>[] = [];
    for (const holdsBack of BOTH) {
      vi.setSystemTime(0);
      const process = new BusyProcess(new BusyOctavia(20), { holdsBack });
      process.add(named(20, 'sharer'), { ...SHARED, writes: 5 });
      await pass(20 * SECOND);
      process.add(named(10, 'other'), { workMs: 5 * SECOND });
      await untilDone(process, 30);
      ends.push({ sharers: last(process.took('sharer')), others: last(process.took('other')) });
    }
    const [held, free] = ends;
    expect(held?.['sharers']).toBeLessThanOrEqual(1.1 * (free?.['sharers'] ?? 0));
    // ten more works while the limit grows from two
    expect(held?.['others']).toBeLessThanOrEqual(3.5 * (free?.['others'] ?? 0));
  });

  test('are one work, beside which a new Service gets its address as it does alone', async () => {
    const process = new BusyProcess(new BusyOctavia(20));
    process.add(named(30, 'sharer'), { ...SHARED, writes: 8 });
    await pass(60 * SECOND);
    for (let at = 0; at < 12; at += 1) {
      process.add([`other/new-${at}`], { verb: 'create', workMs: 5 * SECOND });
      await pass(20 * SECOND);
    }
    expect(process.took('new')).toHaveLength(12);
    expect(last(process.took('new'))).toBeLessThanOrEqual(8 * SECOND);
    expect(process.load.working).toBeLessThanOrEqual(1);
  });
});

test('hints all the time do not keep the limit from growing', async () => {
  const ends: number[] = [];
  for (const hinted of BOTH) {
    const process = new BusyProcess(new BusyOctavia(1_000));
    const seen = new Set<Key>();
    process.began = (key) => void seen.add(key);
    process.add(named(200), { verb: 'create', writes: 3, workMs: 5 * SECOND });
    const addedMs = Date.now();
    while (process.done.length < 200) {
      if (hinted) for (const key of seen) process.hint(key);
      await pass(250);
    }
    ends.push(Date.now() - addedMs);
  }
  expect(ends[0]).toBeLessThanOrEqual(1.5 * (ends[1] ?? 0));
});

test.each([2, 10, 40])('%i creates that hang delay no removal of a Node from pools', async (hung) => {
  const ends: number[] = [];
  for (const holdsBack of BOTH) {
    const process = new BusyProcess(new BusyOctavia(1_000), { holdsBack });
    process.add(named(hung, 'b/new-hung'), { verb: 'create', workMs: FOR_GOOD });
    await pass(10 * SECOND);
    process.add(
      named(200, 'node').map((name, at) => `c${at % 20}/${name}`),
      { members: true },
      'sweep',
    );
    for (let at = 0; process.took('node').length < 200 && at < 600; at += 1) await pass(SECOND);
    ends.push(last(process.took('node')));
  }
  expect(ends[0]).toBeLessThanOrEqual(1.05 * (ends[1] ?? 0));
});

test('creates that hang hold up a new Service for three minutes at most, and for less once it is known what one takes', async () => {
  const process = new BusyProcess(new BusyOctavia(1_000));
  process.add(named(2, 'hung'), { verb: 'create', workMs: FOR_GOOD });
  await pass(SECOND);
  process.add(['new'], { verb: 'create' });
  await pass(190 * SECOND);
  expect(last(process.took('new'))).toBeLessThanOrEqual(190 * SECOND);

  process.add(named(2, 'hung-again'), { verb: 'create', workMs: FOR_GOOD });
  await pass(SECOND);
  process.add(['newer'], { verb: 'create' });
  await pass(30 * SECOND);
  expect(process.took('newer')).toHaveLength(1);
});

test('what has begun goes on beside creates that hang, with hints and without', async () => {
  for (const hinted of BOTH) {
    const process = new BusyProcess(new BusyOctavia(1_000));
    process.add(['begun'], { verb: 'create', writes: 4 });
    await pass(SECOND);
    process.add(named(5, 'hung'), { verb: 'create', workMs: FOR_GOOD });
    for (let at = 0; at < 16; at += 1) {
      if (hinted) process.hint('service/shop/begun');
      await pass(SECOND);
    }
    expect(process.took('begun')).toHaveLength(1);
  }
});

test('runs that hang give their room to others after ten seconds', async () => {
  const process = new BusyProcess(new BusyOctavia(20));
  process.add(named(2, 'b/hangs'), { runMs: 300 * SECOND });
  await pass(SECOND);
  process.add(['new'], { verb: 'create' });
  await pass(15 * SECOND);
  expect(process.took('new')).toHaveLength(1);
});

describe('after a 429', () => {
  const refused = (retryAfterMs: number): Outcome => ({
    status: 'failed',
    code: 'RATE_LIMITED',
    message: '429',
    retryAfterMs,
  });

  test('nothing begins before Retry-After, and what has begun goes on', async () => {
    const process = new BusyProcess(new BusyOctavia(20));
    process.add(['first'], { verb: 'create', workMs: 3 * SECOND });
    await pass(SECOND);
    process.add(['refused'], { fails: (run) => (run === 1 ? refused(8 * SECOND) : undefined) });
    await pass(SECOND);
    process.add(named(5), { verb: 'create', workMs: 3 * SECOND });

    await pass(6 * SECOND);
    expect(process.done).toEqual(['service/shop/first']);
    expect(process.load.working).toBe(0);
    await pass(30 * SECOND);
    expect(process.done).toHaveLength(7);
  });

  test.each([1, 3, 10])(
    '%i Services that are always refused stop others for ten seconds at most, and half of the time',
    async (count) => {
      const process = new BusyProcess(new BusyOctavia(20));
      process.add(named(count, 'r/refused'), { fails: () => refused(60 * SECOND) });
      for (let at = 0; at < 300; at += 1) {
        process.add([`changed-${at}`], { workMs: SECOND });
        await pass(2 * SECOND);
      }
      await pass(30 * SECOND);
      const times = process.took('changed');
      expect(times).toHaveLength(300);
      expect(times[150]).toBeLessThanOrEqual(4 * SECOND);
      expect(last(times)).toBeLessThanOrEqual(15 * SECOND);
    },
  );
});

test('a run that changes nothing, and a parked key that a hint makes run, wait for no room', async () => {
  const process = new BusyProcess(new BusyOctavia(2));
  process.add(named(2, 'hung'), { verb: 'create', workMs: FOR_GOOD });
  await pass(SECOND);
  process.add(['held'], {});
  process.add(named(300, 'as-it-should-be'), { writes: 0 }, 'sweep');
  await pass(10 * SECOND);
  expect(process.took('as-it-should-be')).toHaveLength(300);
  expect([process.queue.depth, process.queue.oldestAgeMs() > 9 * SECOND]).toEqual([1, true]);

  const held = process.services.get('service/shop/held');
  if (held) held.left = 0;
  process.hint('service/shop/held');
  await pass(SECOND);
  expect(process.took('held')).toHaveLength(1);
  expect(process.queue.depth).toBe(0);
});

test('stop forgets what is parked, and what a run that goes on would park', async () => {
  const process = new BusyProcess(new BusyOctavia(2));
  process.add(named(2, 'hung'), { verb: 'create', workMs: FOR_GOOD });
  await pass(SECOND);
  process.add(['parked']);
  await pass(SECOND);
  process.add(['looks']);
  let stopped = false;
  void process.queue.stop().then(() => (stopped = true));
  await pass(SECOND);
  expect([stopped, process.queue.depth]).toEqual([true, 0]);
});
