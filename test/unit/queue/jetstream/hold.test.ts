import type { JsMsg } from '@nats-io/jetstream';
import { expect, onTestFinished, test, vi } from 'vitest';
import { Hold, LOOK_MS } from '../../../../shared/queue/jetstream/hold.ts';
import type { QueuedWork } from '../../../../shared/queue/queued-work.ts';

const MINUTES = 60_000;
const WORK: QueuedWork = { request: { key: 'all', cluster: 'prod-a', trigger: 'sweep' }, attempt: 0 };

test('nobody looks after a key whose run has left its partition while that goes on', async () => {
  vi.useFakeTimers();
  onTestFinished(() => {
    vi.useRealTimers();
  });
  const acked: string[] = [];
  const message = { ack: () => acked.push('ack'), working: () => undefined } as unknown as JsMsg;
  let [place, dueMs] = [0, Infinity];
  const released: number[] = [];
  const hold = new Hold(message, WORK, {
    mostMs: 5_000,
    keep: (_, instead = place) => {
      expect(instead).toBe(place);
      dueMs = Date.now() + LOOK_MS;
      return Promise.resolve((place += 1));
    },
    release: (of) => {
      released.push(of);
      return Promise.resolve();
    },
  });
  await vi.advanceTimersByTimeAsync(5_000);
  expect([hold.isLeft, acked]).toEqual([true, ['ack']]);
  for (const end = Date.now() + 10 * MINUTES; Date.now() < end;) {
    await vi.advanceTimersByTimeAsync(1_000);
    expect(dueMs).toBeGreaterThan(Date.now());
  }
  await hold.keepOn();
  const before = place;
  await hold.end();
  hold.close();
  await vi.advanceTimersByTimeAsync(10 * MINUTES);
  expect([place, released]).toEqual([before, [before]]);
});
