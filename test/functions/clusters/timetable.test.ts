import { expect, onTestFinished, test, vi } from 'vitest';
import { PLACE_MS, Timetable } from '../../../functions/clusters/timetable.ts';

const EVERY_MS = 300_000;
const NEVER = new AbortController().signal;
const NOBODY_ASKS = (): boolean => false;

test('each cluster has its own moment in the interval, which no restart and no other cluster moves', () => {
  const names = Array.from({ length: 1_000 }, (_, number) => `cluster-${number}`);
  const momentsAt = (nowMs: number): readonly number[] =>
    names.map((name) => Math.round(nowMs + new Timetable().of(name, () => nowMs).untilNextMs(EVERY_MS)));
  const moments = momentsAt(1_000_000_000);

  expect(momentsAt(1_000_000_000 + 3 * EVERY_MS)).toEqual(moments.map((moment) => moment + 3 * EVERY_MS));
  const perMinute = [0, 1, 2, 3, 4].map(
    (minute) => moments.filter((moment) => Math.floor((moment % EVERY_MS) / 60_000) === minute).length,
  );
  for (const count of perMinute) expect(count).toBeGreaterThan(150);
});

test('eight are swept at once, then one that somebody asked for, and then the one that was not swept for longest', async () => {
  const timetable = new Timetable();
  const ends: (() => void)[] = [];
  const began: string[] = [];
  let nowMs = 0;
  const begin = (name: string, isAsked = false, turns = timetable.of(name, () => nowMs)): Promise<void> =>
    turns.take(
      () =>
        new Promise<void>((resolve) => {
          began.push(name);
          ends.push(resolve);
        }),
      NEVER,
      () => isAsked,
    );
  const swept = timetable.of('swept', () => nowMs);
  await swept.take(() => Promise.resolve(), NEVER, NOBODY_ASKS);
  nowMs = 1;
  for (let number = 1; number <= 8; number += 1) void begin(`early-${number}`);
  void begin('swept', false, swept);
  void begin('unswept');
  void begin('asked', true);
  await expect.poll(() => began).toHaveLength(8);

  ends[0]?.();
  await expect.poll(() => began.slice(8)).toEqual(['asked']);
  ends[1]?.();
  await expect.poll(() => began.slice(8)).toEqual(['asked', 'unswept']);
  ends[2]?.();
  await expect.poll(() => began.slice(8)).toEqual(['asked', 'unswept', 'swept']);
});

test('a timer that ends a moment too early sweeps no cluster twice', async () => {
  vi.useFakeTimers({ now: 1_000_000_000 });
  onTestFinished(() => {
    vi.useRealTimers();
  });
  // its moment lies between two milliseconds
  const turns = new Timetable().of('prod-a');
  const began: number[] = [];
  const next = (): void => {
    setTimeout(() => {
      began.push(Date.now());
      next();
    }, turns.untilNextMs(EVERY_MS));
  };
  next();
  await vi.advanceTimersByTimeAsync(3 * EVERY_MS);
  expect(began).toHaveLength(3);
});

test('eight sweeps that hang give their places to others after two seconds', async () => {
  vi.useFakeTimers();
  onTestFinished(() => {
    vi.useRealTimers();
  });
  const timetable = new Timetable();
  const hang = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 30_000));
  const beganMs = Date.now();
  const swept = Array.from({ length: 8 }, (_, number) =>
    timetable.of(`${number}`).take(hang, NEVER, NOBODY_ASKS),
  );
  const other = timetable.of('other').take(() => Promise.resolve(Date.now() - beganMs), NEVER, NOBODY_ASKS);
  await vi.advanceTimersByTimeAsync(30_000);
  expect(await other).toBe(PLACE_MS);
  await Promise.all(swept);
});
