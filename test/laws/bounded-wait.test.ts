import fc from 'fast-check';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Report } from '../../shared/model/outcome.ts';
import type { Key, ReconcileRequest, Trigger } from '../../shared/model/request.ts';
import { BusyLoadBalancers } from '../../shared/queue/busy-load-balancers.ts';
import { Queue } from '../../shared/queue/queue.ts';
import { AGED_MS } from '../../shared/queue/scheduling.ts';
import { aReport, failed, progressing, SETTLED } from '../unit/queue/reports.ts';
import { forAll, forAllAnd, type Drawn } from './seed.ts';

beforeEach(() => void vi.useFakeTimers({ now: 0 }));
afterEach(() => void vi.useRealTimers());

const MINUTE_MS = 60_000;
const LONGEST_RUN_MS = 1_000;
const clock = { now: () => Date.now() };
const NAMES = ['1', '2', '3'];
const NAMESPACES = ['a', 'b', 'c'];
/**
 * After AGED_MS at most every other run goes by, and each of those in turn is of another namespace, while the older
 * keys of the own namespace go first.
 */
const BOUND_MS = AGED_MS + 2 * LONGEST_RUN_MS * NAMES.length * NAMESPACES.length + 2 * LONGEST_RUN_MS;

const keys: readonly Key[] = [
  ...NAMESPACES.flatMap((namespace) => NAMES.map((name): Key => `service/${namespace}/${name}`)),
  ...NAMES.map((name): Key => `node/${name}`),
  'routes',
];

/** What a key does to the queue: who asks for it, how often, and how its runs end. */
const object = fc.record({
  key: fc.constantFrom(...keys),
  trigger: fc.constantFrom<Trigger>('audit', 'resync', 'sweep'),
  firstMs: fc.nat(5_000),
  everyMs: fc.constantFrom(50, 700, 20_000, Infinity),
  tookMs: fc.constantFrom(50, 300, LONGEST_RUN_MS, LONGEST_RUN_MS),
  ends: fc.constantFrom('settled', 'failed', 'waits', 'always new work', 'always new work', 'rejects'),
});
type ServiceObject = Drawn<typeof object>;
const worlds = fc.uniqueArray(object, { selector: ({ key }) => key, minLength: 2, maxLength: keys.length });

/** One namespace always has something that is nearly done; another waits with what a sweep found. */
const HOGS: ServiceObject[] = [
  ...NAMES.map((name): ServiceObject => ({
    ...{ key: `service/a/${name}`, trigger: 'audit', firstMs: 0, everyMs: Infinity },
    ...{ tookMs: LONGEST_RUN_MS, ends: 'always new work' },
  })),
  { key: 'service/b/1', trigger: 'sweep', firstMs: 500, everyMs: 50, tookMs: 50, ends: 'settled' },
];

test('nothing that is ready waits longer than its bound, whatever else there is, and no two runs of a key overlap', async () => {
  let longest = 0;
  await forAllAnd([HOGS, 1])(worlds, fc.constantFrom(1, 1, 2, 5), async (objects, concurrency) => {
    const waitingSince = new Map<Key, number>();
    const running = new Set<Key>();
    /** A sweep leaves these to their requeue. */
    const comesBack = new Set<Key>();
    let runs = 0;
    const queue = new Queue({
      ...{ concurrency, clock, random: () => 0.5 },
      run: async (request): Promise<Report> => {
        const { key } = request;
        const since = waitingSince.get(key);
        if (since !== undefined) longest = Math.max(longest, Date.now() - since);
        waitingSince.delete(key);
        expect(running).not.toContain(key);
        running.add(key);
        comesBack.delete(key);
        runs += 1;
        const { ends, tookMs } = objects.find((one) => one.key === key) ?? { ends: 'settled', tookMs: 1 };
        await new Promise((resolve) => setTimeout(resolve, tookMs));
        running.delete(key);
        if (ends !== 'settled') comesBack.add(key);
        if (ends === 'rejects') throw new Error('a bug');
        if (ends === 'failed') return aReport(request, failed());
        if (ends === 'waits') return aReport(request, progressing(0));
        if (ends === 'settled') return aReport(request, SETTLED);
        // comes back at once, and always ahead of what others ask for
        const applied = [{ verb: 'delete', kind: 'member', address: `member/${runs}`, id: '' }] as const;
        return aReport(request, progressing(0), { applied: applied as unknown as Report['applied'] });
      },
    });
    for (const { key, trigger, firstMs, everyMs } of objects) {
      const add = (): void => {
        const isQueued = trigger !== 'sweep' || !comesBack.has(key);
        if (isQueued && !running.has(key) && !waitingSince.has(key)) waitingSince.set(key, Date.now());
        queue.add({ key, trigger });
      };
      setTimeout(() => {
        add();
        if (everyMs < Infinity) setInterval(add, everyMs);
      }, firstMs);
    }
    await vi.advanceTimersByTimeAsync(MINUTE_MS);
    longest = Math.max(longest, ...[...waitingSince.values()].map((since) => Date.now() - since));
    vi.clearAllTimers();
    expect(longest).toBeLessThanOrEqual(BOUND_MS);
  });
  expect(longest).toBeGreaterThan(AGED_MS);
});

/** By then every delay has grown to its longest, 30 s. */
const GROWN_MS = 10 * MINUTE_MS;
const LASTS_MS = 30 * MINUTE_MS;
/** Of one key: every 30 s, and with the most jitter every 15 s. */
const MOST_A_MINUTE = 4;

const delays = fc.constantFrom(0, 700, 2_000, 5_000);
/** What never changes, for one Service. */
const stuck = fc.record({
  outcome: fc.oneof(
    delays.map((delayMs) => progressing(delayMs)),
    delays.map((delayMs) => progressing(delayMs, 'lb')),
    delays.map((delayMs) => failed(delayMs)),
  ),
  /** What each run writes, with no effect. */
  writes: fc.constantFrom<string[][]>(
    ...[[], ['lb'], ['listener/tcp/80', 'pool/tcp/80'], ['member/tcp/80/10.0.0.1:30080']],
  ),
  /** The load balancer, where the key waits for one: by the list of the cluster, by its id alone, or not at all. */
  status: fc.constantFrom(
    ...['ACTIVE', 'ERROR', 'PENDING_UPDATE', 'PENDING_CREATE', 'PENDING_DELETE', 'gone', 'FORBIDDEN'],
  ),
  isTagged: fc.boolean(),
});

test('where nothing ever changes, runs and calls fall to a few a minute, for each kind of wait', () =>
  forAll(
    fc.array(stuck, { minLength: 1, maxLength: 6 }),
    fc.constantFrom(0, 0.5, 0.999),
    async (world, chance) => {
      const startedMs = Date.now();
      const late = new Map<string, number>();
      const count = (what: string): void => {
        if (Date.now() - startedMs >= GROWN_MS) late.set(what, (late.get(what) ?? 0) + 1);
      };
      const wires = world.map(({ status }, at) => ({ id: `lb-${at}`, provisioning_status: status }));
      const there = wires.filter(({ provisioning_status: status }) => status !== 'gone');
      const busy = new BusyLoadBalancers({
        cloud: {
          list: () => {
            count('lists');
            return Promise.resolve(there.filter((wire) => world[wires.indexOf(wire)]?.isTagged));
          },
          get: (_kind, id) => {
            count('gets');
            const wire = there.find((one) => one.id === id);
            if (wire?.provisioning_status === 'FORBIDDEN') return Promise.reject(new Error('403'));
            return Promise.resolve(wire);
          },
        },
        cluster: () => Promise.resolve({ id: 'uid', name: 'kubernetes' }),
        ...{ clock, log: { warn: () => undefined } },
      });
      const run = (request: ReconcileRequest): Promise<Report> => {
        count(request.key);
        const at = Number(request.key.split('-')[1]);
        const { outcome, writes } = world[at] ?? { outcome: failed(), writes: [] };
        const waits = outcome.status === 'progressing' && outcome.waitingFor;
        const ends = { ...outcome, ...(waits ? { waitingFor: `lb-${at}` } : {}) };
        const applied = writes.map((address) => {
          return { verb: 'update', kind: 'listener', address, id: '', changes: [] };
        });
        return Promise.resolve(aReport(request, ends, { applied: applied as unknown as Report['applied'] }));
      };
      const queue = new Queue({ run, concurrency: 5, clock, busy, random: () => chance });
      world.forEach((_, at) => {
        queue.add({ key: `service/shop/web-${at}`, trigger: 'audit' });
      });

      await vi.advanceTimersByTimeAsync(LASTS_MS);

      // one more at the end of the time
      const most = (MOST_A_MINUTE * (LASTS_MS - GROWN_MS)) / MINUTE_MS + 1;
      for (const [what, times] of late)
        expect(times, what).toBeLessThanOrEqual(what.includes('/') ? most : most * world.length);
      await queue.stop();
      busy.stop();
      vi.clearAllTimers();
    },
  ));
