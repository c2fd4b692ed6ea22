/** Load balancers differ, and fail: what that does to the number at once where Octavia itself bears all. On virtual time. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { OctaviaLoad } from '../../../shared/queue/octavia-load.ts';
import { BusyOctavia, BusyProcess, named, SECOND } from './busy-octavia.ts';
import { failed } from './reports.ts';

beforeEach(() => void vi.useFakeTimers({ now: 0 }));
afterEach(() => void vi.useRealTimers());

const pass = (ms: number): Promise<unknown> => vi.advanceTimersByTimeAsync(ms);
const bearsAll = (): BusyProcess => new BusyProcess(new BusyOctavia(1_000));
/** The same each time: between 0 and 1. */
const spread = (at: number): number => ((at * 7919) % 101) / 100;

/** Seconds until so many are done whose names contain `name`. */
async function secondsUntil(process: BusyProcess, count: number, name = ''): Promise<number> {
  const from = Date.now();
  for (let at = 0; process.took(name).length < count && at < 20_000; at += 1) await pass(SECOND);
  return (Date.now() - from) / SECOND;
}

test.each([
  [200, 40, 1, 300],
  [200, 40, 2, 600],
  [200, 40, 3, 1_300],
  [500, 2, 3, 90],
])(
  '%i creates of %i s, some of which take %i times as long, end in %i s',
  async (count, seconds, most, within) => {
    const process = bearsAll();
    for (const [at, name] of named(count).entries())
      process.add([name], { verb: 'create', workMs: seconds * SECOND * (1 + spread(at) * (most - 1)) });
    expect(await secondsUntil(process, count)).toBeLessThanOrEqual(within);
  },
);

test('creates that take longer than anything is waited for slow the others no more than they must', async () => {
  const of = async (seconds: number): Promise<number> => {
    const process = bearsAll();
    process.add(named(100), { verb: 'create', workMs: seconds * SECOND });
    return secondsUntil(process, 100);
  };
  expect(await of(200)).toBeLessThanOrEqual(1.3 * (await of(170)));
});

test('one load balancer whose changes take long slows the creates of others by less than its double', async () => {
  const beside = async (names: readonly string[]): Promise<number> => {
    const process = bearsAll();
    process.add(named(20, 'changed'), { workMs: SECOND });
    await pass(60 * SECOND);
    process.add(names, { workMs: 6 * SECOND, writes: 1_000 });
    process.add(named(200), { verb: 'create', workMs: 40 * SECOND });
    return secondsUntil(process, 200, 'new');
  };
  expect(await beside(['slow'])).toBeLessThanOrEqual(2 * (await beside([])));
});

test('fast creates beside slow ones, as of two providers, let each other through', async () => {
  const process = bearsAll();
  process.add(named(10, 'new-first'), { verb: 'create', workMs: 2 * SECOND });
  await secondsUntil(process, 10);
  process.add(named(100, 'one/new-slow'), { verb: 'create', workMs: 60 * SECOND });
  process.add(named(100, 'two/new-fast'), { verb: 'create', workMs: 2 * SECOND });
  expect(await secondsUntil(process, 210)).toBeLessThanOrEqual(400);
});

test('an API that fails for ten seconds says nothing of what a create takes', async () => {
  const process = bearsAll();
  const fails = () => (process.isBlind ? failed() : undefined);
  process.add(named(100), { verb: 'create', workMs: 60 * SECOND, fails });
  await pass(1_200);
  process.isBlind = true;
  setTimeout(() => (process.isBlind = false), 10 * SECOND);
  expect(await secondsUntil(process, 100)).toBeLessThanOrEqual(420);
});

test('creates that end in ERROR at once say nothing of what one takes', () => {
  const load = new OctaviaLoad({ now: () => Date.now() });
  const work = (id: string, seconds: number, status: string): void => {
    load.begin(id, 'create', `service/shop/${id}`);
    for (let second = 1; second <= seconds; second += 1) {
      vi.setSystemTime(Date.now() + SECOND);
      load.looked({
        statuses: new Map([[id, second < seconds ? 'PENDING_CREATE' : status]]),
        atMs: Date.now(),
      });
    }
  };
  for (let at = 0; at < 10; at += 1) work(`good-${at}`, 60, 'ACTIVE');
  for (let at = 0; at < 10; at += 1) work(`bad-${at}`, 3, 'ERROR');
  load.begin('next', 'create', 'service/shop/next');
  vi.setSystemTime(Date.now() + 55 * SECOND);
  expect(load.working).toBe(1);
});

test.each(['queues', 'slows down'] as const)(
  'Services of five and eight writes keep their room between two, where Octavia bears 2 and %s',
  async (sharing) => {
    for (const writes of [5, 8]) {
      const octavia = new BusyOctavia(2, sharing);
      const process = new BusyProcess(octavia);
      process.add(named(40), { writes, workMs: 5 * SECOND });
      await secondsUntil(process, 40);
      expect(octavia.most).toBeLessThanOrEqual(6);
    }
  },
);
