import { expect, test } from 'vitest';
import { giveBack } from '../../../../shared/queue/jetstream/give-back.ts';
import type { QueuedWork } from '../../../../shared/queue/queued-work.ts';

const WORK: QueuedWork = {
  request: { key: 'service/shop/web', cluster: 'prod-a', trigger: 'audit', cause: 'it changed' },
  attempt: 3,
};

test('a key of a cluster that nobody serves comes back later each time for two minutes, and is done then', async () => {
  const delays: number[] = [];
  const lines: unknown[] = [];
  const given: QueuedWork[] = [WORK];
  for (const work of given) {
    const schedule = (again: QueuedWork, delayMs: number): Promise<number> => {
      delays.push(delayMs / 1_000);
      return Promise.resolve(given.push(again));
    };
    await giveBack({ schedule }, work, 'not served', { warn: (_, fields) => lines.push(fields) });
  }
  for (const work of given) expect(work).toMatchObject(WORK);
  expect(delays).toEqual([1, 2, 4, 8, 16, 30, 30, 30]);
  expect(lines).toEqual([{ object: 'prod-a:service/shop/web' }]);
});
