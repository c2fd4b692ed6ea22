import { expect, test } from 'vitest';
import { inParallel } from '../../shared/observe/reads.ts';

test('as many at a time as allowed, results in the order of the items', async () => {
  let running = 0;
  let most = 0;

  const results = await inParallel([30, 1, 20, 5, 10], 2, async (ms) => {
    running += 1;
    most = Math.max(most, running);
    await new Promise((resolve) => setTimeout(resolve, ms));
    running -= 1;
    return ms * 2;
  });

  expect(results).toEqual([60, 2, 40, 10, 20]);
  expect(most).toBe(2);
  expect(await inParallel([], 2, () => Promise.resolve(1))).toEqual([]);
});
