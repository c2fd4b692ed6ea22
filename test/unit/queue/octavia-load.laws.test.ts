/** What a burst of Services does to clouds of different strength, on virtual time. No constant is changed between them. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Durations } from '../../../shared/memory/durations.ts';
import type { Report } from '../../../shared/model/outcome.ts';
import type { Key, ReconcileRequest, Trigger } from '../../../shared/model/request.ts';
import { MemoryQueue } from '../../../shared/queue/memory-queue.ts';
import { OctaviaLoad } from '../../../shared/queue/octavia-load.ts';
import { PendingPoller } from '../../../shared/queue/pending-poller.ts';
import { aReport, progressing, SETTLED } from './reports.ts';

beforeEach(() => void vi.useFakeTimers({ now: 0 }));
afterEach(() => void vi.useRealTimers());

const clock = { now: () => Date.now() };
const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Reads before a write, and after Octavia is done. */
const RUN_MS = 300;

/** An Octavia that bears `bears` works at once. What is more waits its turn, or takes time from the others. */
class Octavia {
  bears: number;
  readonly #sharing: 'queues' | 'slows down';
  #left = new Map<string, number>();
  #last = Date.now();
  #timer: NodeJS.Timeout | undefined;
  most = 0;
  refusesUntilMs = 0;

  constructor(bears: number, sharing: 'queues' | 'slows down') {
    this.bears = bears;
    this.#sharing = sharing;
  }

  get atWork(): number {
    return this.#left.size;
  }

  begin(id: string, workMs: number): void {
    this.#pass();
    this.#left.set(id, workMs);
    this.most = Math.max(this.most, this.#left.size);
    this.#plan();
  }

  isBusy(id: string): boolean {
    return this.#left.has(id);
  }

  #pass(): void {
    const passedMs = Date.now() - this.#last;
    this.#last = Date.now();
    for (const [id, leftMs] of this.#shares()) this.#left.set(id, leftMs - passedMs * this.#pace());
    for (const [id, leftMs] of this.#left) if (leftMs <= 0.001) this.#left.delete(id);
  }

  #pace(): number {
    return this.#sharing === 'queues' ? 1 : Math.min(1, this.bears / this.#left.size);
  }

  #shares(): readonly (readonly [string, number])[] {
    return this.#sharing === 'queues' ? [...this.#left].slice(0, this.bears) : [...this.#left];
  }

  #plan(): void {
    clearTimeout(this.#timer);
    const next = Math.min(...this.#shares().map(([, leftMs]) => leftMs / this.#pace()));
    if (next === Infinity) return;
    this.#timer = setTimeout(() => {
      this.#pass();
      this.#plan();
    }, Math.ceil(next));
  }
}

/** levelset beside that Octavia: the queue of `serve`, with runs that write once and are done when Octavia is. */
class Process {
  readonly load = new OctaviaLoad(clock);
  /** When each Service had what it asked for. */
  readonly done = new Map<Key, number>();
  /** When each run that was not refused looked at Octavia. */
  readonly asked: number[] = [];
  readonly #known = new Set<Key>();
  readonly #queue: MemoryQueue;

  constructor(octavia: Octavia, workMs: (key: Key) => number, most = 15) {
    const poller = new PendingPoller({
      cloud: {
        list: async () => {
          await sleep(50);
          return [...this.#known].map((id) => ({
            id,
            provisioning_status: octavia.isBusy(id) ? 'PENDING_UPDATE' : 'ACTIVE',
          }));
        },
        get: () => Promise.resolve(undefined),
      },
      cluster: () => Promise.resolve({ id: 'uid', name: 'kubernetes' }),
      durations: new Durations(),
      clock,
      log: { warn: () => undefined },
      load: this.load,
      ready: (request) => {
        this.#queue.add(request);
      },
    });
    this.#queue = new MemoryQueue({
      clock,
      waiting: poller,
      load: this.load,
      concurrency: most,
      isNew: (key) => key.includes('new'),
      run: async (request: ReconcileRequest): Promise<Report> => {
        const { key } = request;
        await sleep(RUN_MS);
        if (key.includes('refused') && Date.now() < octavia.refusesUntilMs)
          return aReport(request, {
            status: 'failed',
            code: 'RATE_LIMITED',
            message: '429',
            retryAfterMs: 30_000,
          });
        this.asked.push(Date.now());
        if (octavia.isBusy(key)) return aReport(request, progressing(700, key), { durationMs: RUN_MS });
        if (this.#known.has(key)) {
          this.done.set(key, Date.now());
          return aReport(request, SETTLED, { durationMs: RUN_MS });
        }
        this.#known.add(key);
        octavia.begin(key, workMs(key));
        const verb = key.includes('new') ? 'create' : 'update';
        const applied = [{ verb, kind: 'loadbalancer', address: 'lb' }] as unknown as Report['applied'];
        return aReport(request, progressing(2_000, key), { applied, durationMs: RUN_MS });
      },
    });
  }

  /** The Service is as it should be. */
  know(name: string): void {
    this.#known.add(`service/shop/${name}`);
  }

  add(names: readonly string[], trigger: Trigger = 'audit'): void {
    for (const name of names) this.#queue.add({ key: `service/shop/${name}`, trigger });
  }
}

const named = (count: number, name = 'new'): string[] =>
  Array.from({ length: count }, (_, at) => `${name}-${at}`);
const SECOND = 1_000;
const TWO_LOOKS_MS = 2 * SECOND;
const SHARINGS = ['queues', 'slows down'] as const;

async function burst(bears: number, count: number, workMs: number, sharing: (typeof SHARINGS)[number]) {
  const octavia = new Octavia(bears, sharing);
  const process = new Process(octavia, () => workMs);
  const beganMs = Date.now();
  process.add(named(count));
  while (process.done.size < count) await vi.advanceTimersByTimeAsync(SECOND);
  const times = [...process.done.values()].map((at) => at - beganMs).sort((a, b) => a - b);
  return {
    octavia,
    limit: process.load.limit,
    firstMs: times[0] ?? 0,
    meanMs: times.reduce((sum, ms) => sum + ms, 0) / count,
    lastMs: times.at(-1) ?? 0,
    aloneMs: workMs + 2 * RUN_MS + 1_050,
  };
}

test.each(SHARINGS)(
  '20 at once where Octavia bears 2 and %s: the first, the mean and the last are in time',
  async (sharing) => {
    for (const workMs of [4 * SECOND, 60 * SECOND]) {
      const { firstMs, meanMs, lastMs, aloneMs } = await burst(2, 20, workMs, sharing);

      expect(firstMs).toBeLessThanOrEqual(1.5 * aloneMs);
      expect(meanMs).toBeLessThanOrEqual((21 / 2) * aloneMs);
      expect(lastMs).toBeLessThanOrEqual(1.1 * (20 / 2) * workMs + aloneMs - workMs + TWO_LOOKS_MS);
    }
  },
);

test.each([2, 20, 200].flatMap((bears) => SHARINGS.map((sharing) => [bears, sharing] as const)))(
  'an Octavia that bears %i and %s has as many at once, and never three times as many',
  async (bears, sharing) => {
    const { octavia, limit, lastMs } = await burst(bears, 6 * bears, 20 * SECOND, sharing);

    expect(octavia.most).toBeGreaterThanOrEqual(bears);
    expect(octavia.most).toBeLessThanOrEqual(3 * bears);
    expect(limit).toBeLessThanOrEqual(3 * bears);
    // it takes the time of one work to double what is at once
    const learnedMs = Math.log2(bears) * 22 * SECOND;
    expect(lastMs).toBeLessThanOrEqual(1.3 * 6 * 20 * SECOND + learnedMs);
  },
);

test('an Octavia that becomes weaker gets less to do, and as much as before when it is well again', async () => {
  const octavia = new Octavia(20, 'queues');
  const process = new Process(octavia, () => 10 * SECOND);
  process.add(named(2_000));
  const mostAtWork = async (forMs: number): Promise<number> => {
    let most = 0;
    for (let passed = 0; passed < forMs; passed += SECOND) {
      await vi.advanceTimersByTimeAsync(SECOND);
      most = Math.max(most, octavia.atWork);
    }
    return most;
  };
  await mostAtWork(300 * SECOND);
  expect(octavia.atWork).toBeGreaterThanOrEqual(20);

  octavia.bears = 4;
  await mostAtWork(200 * SECOND);
  expect(await mostAtWork(200 * SECOND)).toBeLessThanOrEqual(10);

  octavia.bears = 20;
  await mostAtWork(200 * SECOND);
  expect(await mostAtWork(100 * SECOND)).toBeGreaterThanOrEqual(20);
});

test('among a thousand Services that change, a new one has its address in about twice its own time, and a small Octavia bears it', async () => {
  const octavia = new Octavia(2, 'slows down');
  const process = new Process(octavia, (key) => (key.includes('new') ? 8 : 2) * SECOND);
  process.add(named(1_000, 'changed'));
  await vi.advanceTimersByTimeAsync(100 * SECOND);
  const beganMs = Date.now();

  process.add(['new']);
  while (!process.done.has('service/shop/new')) await vi.advanceTimersByTimeAsync(SECOND);

  const aloneMs = 8 * SECOND + 2 * RUN_MS + 1_050;
  expect((process.done.get('service/shop/new') ?? 0) - beganMs).toBeLessThanOrEqual(2.4 * aloneMs);
  expect(octavia.most).toBeLessThanOrEqual(5);
  expect(process.done.size).toBeLessThan(200);
});

test('runs that change nothing are held up by no number at once', async () => {
  const octavia = new Octavia(2, 'queues');
  const process = new Process(octavia, () => 60 * SECOND, 10);
  process.add(named(300, 'as-it-should-be'));
  for (const name of named(300, 'as-it-should-be')) process.know(name);

  await vi.advanceTimersByTimeAsync(20 * SECOND);

  expect(process.done.size).toBe(300);
});

test('load balancers that are stuck hold up nobody for longer than they take', async () => {
  const octavia = new Octavia(20, 'queues');
  const process = new Process(octavia, (key) => (key.includes('stuck') ? 1e9 : 2 * SECOND));
  process.add(named(2, 'new-stuck'));
  await vi.advanceTimersByTimeAsync(SECOND);

  process.add(['new']);
  await vi.advanceTimersByTimeAsync(190 * SECOND);

  expect([...process.done.keys()]).toEqual(['service/shop/new']);
});

test('after a 429 nothing begins before Retry-After, and what is nearly done goes on', async () => {
  const octavia = new Octavia(20, 'queues');
  const process = new Process(octavia, () => 5 * SECOND);
  process.add(['new-first']);
  await vi.advanceTimersByTimeAsync(SECOND);
  octavia.refusesUntilMs = 5 * SECOND;
  process.add(['new-refused']);
  await vi.advanceTimersByTimeAsync(SECOND);
  process.add(named(10));

  await vi.advanceTimersByTimeAsync(27 * SECOND);
  expect([...process.done.keys()]).toEqual(['service/shop/new-first']);
  expect(process.asked).toHaveLength(2);

  await vi.advanceTimersByTimeAsync(60 * SECOND);
  expect(process.done.size).toBe(12);
});

test('a hint about what Octavia is at work on puts it behind nothing', async () => {
  const octavia = new Octavia(2, 'queues');
  const process = new Process(octavia, () => 10 * SECOND);
  process.add(named(20));
  await vi.advanceTimersByTimeAsync(3 * SECOND);

  process.add(['new-0', 'new-1']);
  await vi.advanceTimersByTimeAsync(9 * SECOND);

  expect([...process.done.keys()]).toEqual(['service/shop/new-0', 'service/shop/new-1']);
});
