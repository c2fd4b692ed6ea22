import { expect, onTestFinished, test, vi } from 'vitest';
import { PLACE_MS, Timetable } from '../../../functions/clusters/serve-clusters.ts';

const EVERY_MS = 300_000;
const NEVER = new AbortController().signal;

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

test('eight are swept at once, then those that came first', async () => {
  const timetable = new Timetable();
  const ends: (() => void)[] = [];
  const began: string[] = [];
  const begin = (name: string, stopping = NEVER): Promise<void> =>
    timetable.of(name).take(() => {
      began.push(name);
      return new Promise<void>((resolve) => void ends.push(resolve));
    }, stopping);
  for (let number = 1; number <= 8; number += 1) void begin(`early-${number}`);
  const stopping = new AbortController();
  for (const name of ['first', 'stopped', 'second'])
    void begin(name, name === 'stopped' ? stopping.signal : NEVER);
  await expect.poll(() => began).toHaveLength(8);

  stopping.abort();
  await expect.poll(() => began.slice(8)).toEqual(['stopped']);
  ends[0]?.();
  await expect.poll(() => began.slice(8)).toEqual(['stopped', 'first']);
  ends[1]?.();
  await expect.poll(() => began.slice(8)).toEqual(['stopped', 'first', 'second']);
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
  const swept = Array.from({ length: 8 }, (_, number) => timetable.of(`${number}`).take(hang, NEVER));
  const other = timetable.of('other').take(() => Promise.resolve(Date.now() - beganMs), NEVER);
  await vi.advanceTimersByTimeAsync(30_000);
  expect(await other).toBe(PLACE_MS);
  await Promise.all(swept);
});
