/** What a burst of Services does to clouds of different strength, on virtual time. No constant is changed between them. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { BusyOctavia, BusyProcess, named, RUN_MS, SECOND, type Sharing } from './busy-octavia.ts';

beforeEach(() => void vi.useFakeTimers({ now: 0 }));
afterEach(() => void vi.useRealTimers());

const TWO_LOOKS_MS = 2 * SECOND;
const SHARINGS: readonly Sharing[] = ['queues', 'slows down'];
const pass = (ms: number): Promise<unknown> => vi.advanceTimersByTimeAsync(ms);
const alone = (workMs: number): number => workMs + 2 * RUN_MS + 1_050;

async function burst(bears: number, count: number, workMs: number, sharing: Sharing) {
  const octavia = new BusyOctavia(bears, sharing);
  const process = new BusyProcess(octavia);
  process.add(named(count), { verb: 'create', workMs });
  while (process.done.length < count) await pass(SECOND);
  const times = process.took();
  return {
    octavia,
    limit: process.load.limit,
    firstMs: times[0] ?? 0,
    meanMs: times.reduce((sum, ms) => sum + ms, 0) / count,
    lastMs: times.at(-1) ?? 0,
  };
}

test.each(SHARINGS)(
  '20 at once where Octavia bears 2 and %s: the first, the mean and the last are in time',
  async (sharing) => {
    for (const workMs of [4 * SECOND, 60 * SECOND]) {
      const { firstMs, meanMs, lastMs } = await burst(2, 20, workMs, sharing);
      expect(firstMs).toBeLessThanOrEqual(1.5 * alone(workMs));
      expect(meanMs).toBeLessThanOrEqual((21 / 2) * alone(workMs));
      expect(lastMs).toBeLessThanOrEqual(1.1 * (20 / 2) * workMs + alone(workMs) - workMs + TWO_LOOKS_MS);
    }
  },
);

test.each([2, 20, 200].flatMap((bears) => SHARINGS.map((sharing) => [bears, sharing] as const)))(
  'an Octavia that bears %i and %s has as many at once, and never three times as many',
  async (bears, sharing) => {
    const { octavia, limit, lastMs } = await burst(bears, 6 * bears, 20 * SECOND, sharing);
    expect(octavia.most).toBeGreaterThanOrEqual(bears);
    expect(octavia.most).toBeLessThanOrEqual(3 * bears);
    expect(limit).toBeLessThanOrEqual(3 * bears);
    // it takes the time of one work to double what is at once
    const learnedMs = Math.log2(bears) * 22 * SECOND;
    expect(lastMs).toBeLessThanOrEqual(1.3 * 6 * 20 * SECOND + learnedMs);
  },
);

test('an Octavia that becomes weaker gets less to do, and as much as before when it is well again', async () => {
  const octavia = new BusyOctavia(20);
  const process = new BusyProcess(octavia);
  process.add(named(2_000), { verb: 'create', workMs: 10 * SECOND });
  const mostAtWork = async (forMs: number): Promise<number> => {
    let most = 0;
    for (let passed = 0; passed < forMs; passed += SECOND) {
      await pass(SECOND);
      most = Math.max(most, octavia.atWork);
    }
    return most;
  };
  await mostAtWork(300 * SECOND);
  expect(octavia.atWork).toBeGreaterThanOrEqual(20);

  octavia.bears = 4;
  await mostAtWork(200 * SECOND);
  expect(await mostAtWork(200 * SECOND)).toBeLessThanOrEqual(10);

  octavia.bears = 20;
  await mostAtWork(200 * SECOND);
  expect(await mostAtWork(100 * SECOND)).toBeGreaterThanOrEqual(20);
});

test('among a thousand Services that change, a new one has its address in less than twice its own time, and a small Octavia bears it', async () => {
  const octavia = new BusyOctavia(2, 'slows down');
  const process = new BusyProcess(octavia);
  process.add(named(1_000, 'changed'), { workMs: 2 * SECOND });
  await pass(100 * SECOND);

  process.add(['new'], { verb: 'create', workMs: 8 * SECOND });
  while (process.took('new').length === 0) await pass(SECOND);
  expect(process.took('new')[0]).toBeLessThanOrEqual(2 * alone(8 * SECOND));
  expect(octavia.most).toBeLessThanOrEqual(6);
  expect(process.done.length).toBeLessThan(200);
});
