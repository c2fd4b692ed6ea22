import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { WireResource } from '../../../shared/model/resources.ts';
import { CountedRoom } from '../../../shared/queue/room.ts';
import { Queue } from '../../../shared/queue/queue.ts';
import { aReport, SETTLED } from './reports.ts';

beforeEach(() => void vi.useFakeTimers({ now: 0 }));
afterEach(() => void vi.useRealTimers());

test('a key has a place while fewer load balancers than may be are in Octavia’s hands, and else asks again after 5 s', async () => {
  let statuses = ['ACTIVE', 'PENDING_UPDATE', 'PENDING_CREATE'];
  const list = (): Promise<readonly WireResource[]> =>
    Promise.resolve(statuses.map((provisioning_status, at) => ({ id: `lb-${at}`, provisioning_status })));
  const asked: (readonly [atMs: number, may: boolean])[] = [];
  const queue = new Queue({
    concurrency: 1,
    clock: { now: () => Date.now() },
    room: new CountedRoom(2, { list }),
    run: async (request, mayCreate) => {
      const may = await mayCreate();
      asked.push([Date.now(), may]);
      const waits = { status: 'progressing', reason: '', retryAfterMs: 5_000, needsRoom: true } as const;
      return aReport(request, may ? SETTLED : waits);
    },
  });
  queue.add({ key: 'service/shop/web', trigger: 'audit' });
  await vi.advanceTimersByTimeAsync(5_500);
  statuses = ['ACTIVE', 'PENDING_UPDATE', 'ERROR'];
  await vi.advanceTimersByTimeAsync(60_000);
  expect(asked).toEqual([
    [0, false],
    [5_000, false],
    [10_000, true],
  ]);
});
