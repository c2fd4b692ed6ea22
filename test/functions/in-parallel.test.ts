import { expect, test } from 'vitest';
import { inParallel } from '../../shared/observe/reads.ts';
import { pause } from '../support/sandbox-world.ts';

test('as many at a time as allowed, results in the order of the items', async () => {
  let [running, most] = [0, 0];
  const results = await inParallel([30, 1, 20, 5, 10], 2, async (ms) => {
    most = Math.max(most, (running += 1));
    await pause(ms);
    running -= 1;
    return ms * 2;
  });
  expect([results, most]).toEqual([[60, 2, 40, 10, 20], 2]);
});
