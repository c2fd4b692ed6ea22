import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Outcome, Report } from '../../../shared/model/outcome.ts';
import type { ReconcileRequest } from '../../../shared/model/request.ts';
import { MemoryQueue, type WaitingKeys } from '../../../shared/queue/memory-queue.ts';
import { aReport, aRequest, failed, nameOf, progressing, SETTLED } from './reports.ts';

beforeEach(() => void vi.useFakeTimers({ now: 0 }));
afterEach(() => void vi.useRealTimers());

interface Harness {
  readonly queue: MemoryQueue;
  /** `trigger name` of each run, in the order they began. */
  readonly runs: string[];
}

function aQueue(
  outcomeOf: (request: ReconcileRequest, run: number) => Outcome | Promise<Outcome>,
  options: { concurrency?: number; waiting?: WaitingKeys } = {},
): Harness {
  const runs: string[] = [];
  const queue = new MemoryQueue({
    run: async (request): Promise<Report> => {
      runs.push(`${request.trigger} ${nameOf(request.key)}`);
      return aReport(request, await outcomeOf(request, runs.length));
    },
    concurrency: 1,
    clock: { now: () => Date.now() },
    random: () => 0.999999,
    ...options,
  });
  return { queue, runs };
}

const after = (ms: number): Promise<Outcome> =>
  new Promise((resolve) => {
    setTimeout(() => {
      resolve(SETTLED);
    }, ms);
  });

test('a key that is queued already is queued once', async () => {
  const { queue, runs } = aQueue(() => after(10));

  queue.add(aRequest('first'));
  queue.add(aRequest('web'));
  queue.add(aRequest('web'));
  await vi.runAllTimersAsync();

  expect(runs).toEqual(['audit first', 'audit web']);
});

test('a key that is added while it runs runs once more afterwards', async () => {
  const { queue, runs } = aQueue(() => after(10), { concurrency: 5 });

  queue.add(aRequest('web'));
  await vi.advanceTimersByTimeAsync(5);
  queue.add(aRequest('web'));
  queue.add(aRequest('web', 'sweep'));
  expect(queue.running).toBe(1);
  await vi.runAllTimersAsync();

  expect(runs).toEqual(['audit web', 'audit web']);
});

test('a key that a sweep found while it ran is run once more: the run may have read before the sweep', async () => {
  const { queue, runs } = aQueue(() => after(10), { concurrency: 5 });

  queue.add(aRequest('web'));
  await vi.advanceTimersByTimeAsync(5);
  queue.add(aRequest('web', 'sweep'));
  queue.add(aRequest('web', 'sweep'));
  await vi.runAllTimersAsync();

  expect(runs).toEqual(['audit web', 'sweep web']);
});

test('what a sweep found while its key ran is left to the requeue if there is one', async () => {
  const { queue, runs } = aQueue(async (_request, run) => {
    await after(10);
    return run === 1 ? progressing(20_000) : SETTLED;
  });

  queue.add(aRequest('web'));
  await vi.advanceTimersByTimeAsync(5);
  queue.add(aRequest('web', 'sweep'));
  await vi.runAllTimersAsync();

  expect(runs).toEqual(['audit web', 'requeue web']);
});

test('what people changed goes before requeued keys, and those before what a sweep found', async () => {
  const { queue, runs } = aQueue(() => after(10));

  for (const name of ['busy', 'a', 'b']) queue.add(aRequest(name, 'sweep'));
  queue.add(aRequest('c', 'requeue'));
  queue.add(aRequest('d', 'resync'));
  queue.add(aRequest('b', 'audit'));
  await vi.runAllTimersAsync();

  expect(runs).toEqual(['sweep busy', 'resync d', 'audit b', 'requeue c', 'sweep a']);
});

test('a failed key is requeued later each time, and at once after success', async () => {
  const times: number[] = [];
  const { queue } = aQueue((_request, run) => {
    times.push(Date.now());
    return run < 4 || run === 5 ? failed() : SETTLED;
  });

  queue.add(aRequest('web'));
  await vi.runAllTimersAsync();
  expect(times).toEqual([0, 1_000, 3_000, 7_000]);

  queue.add(aRequest('web'));
  await vi.runAllTimersAsync();
  expect(times.slice(4)).toEqual([7_000, 8_000]);
});

test('a change goes before the delayed requeue of its key, and replaces it', async () => {
  const { queue, runs } = aQueue((_request, run) => (run === 1 ? progressing(20_000) : SETTLED));
  queue.add(aRequest('web'));
  await vi.advanceTimersByTimeAsync(1_000);

  queue.add(aRequest('web', 'audit'));
  await vi.advanceTimersByTimeAsync(0);
  expect(runs).toEqual(['audit web', 'audit web']);
  expect(queue.depth).toBe(0);

  await vi.runAllTimersAsync();
  expect(runs).toHaveLength(2);
});

test('what a sweep found leaves a requeue as it is', async () => {
  const { queue, runs } = aQueue((_request, run) => (run === 1 ? progressing(20_000) : SETTLED));
  queue.add(aRequest('web'));
  await vi.advanceTimersByTimeAsync(1_000);

  queue.add(aRequest('web', 'sweep'));
  await vi.advanceTimersByTimeAsync(0);
  expect(runs).toHaveLength(1);

  await vi.runAllTimersAsync();
  expect(runs).toEqual(['audit web', 'requeue web']);
});

test('a key whose load balancer is busy waits elsewhere until somebody changes it', async () => {
  const waiting: string[] = [];
  const { queue } = aQueue(() => progressing(1_000, 'lb-1'), {
    waiting: {
      wait: ({ key, trigger }) => void waiting.push(`${trigger} ${nameOf(key)} waits`),
      forget: (key) => void waiting.push(`${nameOf(key)} is forgotten`),
      has: () => false,
    },
  });

  queue.add(aRequest('web'));
  await vi.runAllTimersAsync();

  expect(waiting).toEqual(['web is forgotten', 'requeue web waits']);
  expect(queue.depth).toBe(0);
});

test('a run that rejects is requeued like a failure', async () => {
  const { queue, runs } = aQueue((_request, run) => {
    if (run === 1) throw new Error('a bug');
    return SETTLED;
  });

  queue.add(aRequest('web'));
  await vi.runAllTimersAsync();

  expect(runs).toEqual(['audit web', 'requeue web']);
});

test('depth and age tell how far behind it is', async () => {
  const { queue } = aQueue(() => after(500));
  for (const name of ['a', 'b', 'c']) queue.add(aRequest(name));
  queue.add(aRequest('d'), 5_000);
  await vi.advanceTimersByTimeAsync(200);

  expect([queue.depth, queue.running, queue.oldestAgeMs()]).toEqual([3, 1, 200]);
});

test('stop forgets what is queued and waits for what runs', async () => {
  const { queue, runs } = aQueue(() => after(500));
  for (const name of ['a', 'b']) queue.add(aRequest(name));
  queue.add(aRequest('later'), 5_000);
  await vi.advanceTimersByTimeAsync(100);

  let stopped = false;
  void queue.stop().then(() => (stopped = true));
  await vi.advanceTimersByTimeAsync(399);
  expect(stopped).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  expect(stopped).toBe(true);

  queue.add(aRequest('too-late'));
  await vi.runAllTimersAsync();
  expect(runs).toEqual(['audit a']);
});
