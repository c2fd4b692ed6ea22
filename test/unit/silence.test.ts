import { expect, test } from 'vitest';
import { Silence } from '../../shared/silence.ts';

const DELAYS = { firstMs: 1_000, longestMs: 5_000 };

test('a silence doubles with each failure in a row, up to the longest, and begins anew after a success', () => {
  const time = { now: 0 };
  const silence = new Silence(() => time.now);
  const lengths = [1, 2, 3, 4].map(() => silence.begin(DELAYS));
  expect([lengths, silence.isOver]).toEqual([[1_000, 2_000, 4_000, 5_000], false]);

  time.now = 4_999;
  expect(silence.isOver).toBe(false);
  time.now = 5_000;
  expect(silence.isOver).toBe(true);
  silence.end();
  expect([silence.isOver, silence.begin(DELAYS)]).toEqual([true, 1_000]);
});
