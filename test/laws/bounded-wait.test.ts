import fc from 'fast-check';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Report } from '../../shared/model/outcome.ts';
import type { Key, Trigger } from '../../shared/model/request.ts';
import { Queue } from '../../shared/queue/queue.ts';
import { AGED_MS } from '../../shared/queue/scheduling.ts';
import { aReport, failed, progressing, SETTLED } from '../unit/queue/reports.ts';
import './seed.ts';

beforeEach(() => void vi.useFakeTimers({ now: 0 }));
afterEach(() => void vi.useRealTimers());

const LONGEST_RUN_MS = 1_000;
const NAMES = ['1', '2', '3'];
const NAMESPACES = ['a', 'b', 'c'];
const LASTS_MS = 60_000;
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
interface ServiceObject {
  readonly key: Key;
  readonly trigger: Trigger;
  readonly firstMs: number;
  readonly everyMs: number;
  readonly tookMs: number;
  readonly ends: 'settled' | 'failed' | 'waits' | 'always new work' | 'rejects';
}

const object: fc.Arbitrary<ServiceObject> = fc.record({
  key: fc.constantFrom(...keys),
  trigger: fc.constantFrom<Trigger>('audit', 'resync', 'sweep'),
  firstMs: fc.nat(5_000),
  everyMs: fc.constantFrom(50, 700, 20_000, Infinity),
  tookMs: fc.constantFrom(50, 300, LONGEST_RUN_MS, LONGEST_RUN_MS),
  ends: fc.constantFrom<ServiceObject['ends']>(
    'settled',
    'failed',
    'waits',
    'always new work',
    'always new work',
    'rejects',
  ),
});
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
  await fc.assert(
    fc.asyncProperty(worlds, fc.constantFrom(1, 1, 2, 5), async (objects, concurrency) => {
      const waitingSince = new Map<Key, number>();
      const running = new Set<Key>();
      /** A sweep leaves these to their requeue. */
      const comesBack = new Set<Key>();
      let runs = 0;
      const queue = new Queue({
        concurrency,
        clock: { now: () => Date.now() },
        random: () => 0.5,
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
      await vi.advanceTimersByTimeAsync(LASTS_MS);
      const waits = [...waitingSince.values()].map((since) => Date.now() - since);
      longest = Math.max(longest, ...waits);
      vi.clearAllTimers();
      expect(longest).toBeLessThanOrEqual(BOUND_MS);
    }),
    { examples: [[HOGS, 1]] },
  );
  expect(longest).toBeGreaterThan(AGED_MS);
});
