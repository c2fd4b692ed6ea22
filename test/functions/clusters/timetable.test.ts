import { expect, onTestFinished, test, vi } from 'vitest';
import { Timetable } from '../../../functions/clusters/timetable.ts';

const EVERY_MS = 300_000;

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

test('right after its moment a cluster waits for nearly a whole interval, and never for none', () => {
  let nowMs = 5_000;
  const turns = new Timetable().of('prod-a', () => nowMs);
  nowMs += turns.untilNextMs(EVERY_MS);

  expect(turns.untilNextMs(EVERY_MS)).toBeGreaterThan(EVERY_MS - 2);
});

test('eight are swept at once, and then the one that was not swept for longest', async () => {
  const timetable = new Timetable();
  const ends: (() => void)[] = [];
  const began: string[] = [];
  let nowMs = 0;
  const stopping = new AbortController();
  const begin = (name: string, turns = timetable.of(name, () => nowMs)): Promise<void> =>
    turns.take(
      () =>
        new Promise<void>((resolve) => {
          began.push(name);
          ends.push(resolve);
        }),
      stopping.signal,
    );
  const swept = timetable.of('swept', () => nowMs);
  await swept.take(() => Promise.resolve(), stopping.signal);
  nowMs = 1;
  for (let number = 1; number <= 8; number += 1) void begin(`early-${number}`);
  void begin('swept', swept);
  void begin('unswept');
  await Promise.resolve();
  expect(began).toHaveLength(8);

  ends[0]?.();
  await expect.poll(() => began.slice(8)).toEqual(['unswept']);
  ends[1]?.();
  await expect.poll(() => began.slice(8)).toEqual(['unswept', 'swept']);
});

test('who stops waits for nobody, and keeps no place', async () => {
  const timetable = new Timetable();
  const ends: (() => void)[] = [];
  const hang = (): Promise<void> => new Promise((resolve) => ends.push(resolve));
  const none = new AbortController().signal;
  const hanging = Array.from({ length: 8 }, (_, number) => timetable.of(`${number}`).take(hang, none));
  const stopping = new AbortController();
  const ended = timetable.of('stops').take(() => Promise.resolve('ended'), stopping.signal);

  stopping.abort();
  expect(await ended).toBe('ended');
  for (const end of ends) end();
  await Promise.all(hanging);
  expect(await timetable.of('next').take(() => Promise.resolve('swept'), none)).toBe('swept');
});

test('a timer that ends a moment too early sweeps no cluster twice', async () => {
  vi.useFakeTimers();
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
