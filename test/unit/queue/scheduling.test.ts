import { expect, test } from 'vitest';
import { requeueDelayMs } from '../../../shared/queue/scheduling.ts';
import { failed, progressing, SETTLED } from './reports.ts';

const most = (): number => 0.999999;
const least = (): number => 0;

test('a settled or blocked key is not requeued', () => {
  expect(requeueDelayMs(SETTLED, 0, most)).toBeUndefined();
  expect(requeueDelayMs({ status: 'blocked', reason: 'bad annotation' }, 0, most)).toBeUndefined();
});

test('the longest delay doubles with each attempt up to 30 s', () => {
  const longest = [0, 1, 2, 3, 4, 5, 6, 50].map((attempt) => requeueDelayMs(failed(), attempt, most));

  expect(longest).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000]);
});

test('a run that only ended early goes on at once, but not again and again', () => {
  expect([0, 1, 2].map((attempt) => requeueDelayMs(progressing(0), attempt, most))).toEqual([
    0, 2_000, 4_000,
  ]);
});

test('a run that names a delay is never requeued earlier, even when that is longer than 30 s', () => {
  expect(requeueDelayMs(progressing(3_000), 0, least)).toBe(3_000);
  expect(requeueDelayMs(failed(90_000), 4, most)).toBe(90_000);
});
