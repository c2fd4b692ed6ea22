import { expect, test } from 'vitest';
import { Backoff } from '../../shared/connection-backoff.ts';

const DELAYS = { firstMs: 1_000, longestMs: 5_000 };

test('a backoff doubles with each failure in a row, up to the longest, and begins anew after a success', () => {
  const time = { now: 0 };
  const backoff = new Backoff(() => time.now);
  const lengths = [1, 2, 3, 4].map(() => backoff.begin(DELAYS));
  expect([lengths, backoff.isOver]).toEqual([[1_000, 2_000, 4_000, 5_000], false]);

  time.now = 4_999;
  expect(backoff.isOver).toBe(false);
  time.now = 5_000;
  expect(backoff.isOver).toBe(true);
  backoff.end();
  expect([backoff.isOver, backoff.begin(DELAYS)]).toEqual([true, 1_000]);
});
