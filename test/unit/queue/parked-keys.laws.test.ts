/** Whatever happens, every key ends, and Octavia's room is free again. On virtual time. */
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Outcome } from '../../../shared/model/outcome.ts';
import { serviceKey, type Key, type Trigger } from '../../../shared/model/request.ts';
import { BusyOctavia, BusyProcess, SECOND, type Need } from './busy-octavia.ts';
import { failed } from './reports.ts';

// the same worlds each time, so that a failure belongs to the change
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: 20_261_121 });

beforeEach(() => void vi.useFakeTimers({ now: 0 }));
afterEach(() => void vi.useRealTimers());

const REFUSED: Outcome = {
  status: 'failed',
  code: 'RATE_LIMITED',
  message: '429',
  retryAfterMs: 20 * SECOND,
};

const services = fc.array(
  fc.record({
    atMs: fc.nat(60 * SECOND),
    namespace: fc.constantFrom('a', 'b'),
    trigger: fc.constantFrom<Trigger>('audit', 'sweep', 'resync'),
    verb: fc.constantFrom<'create' | 'update' | 'delete'>('create', 'update', 'delete'),
    members: fc.constantFrom(true, false, false),
    writes: fc.nat(3),
    workMs: fc.integer({ min: 100, max: 40 * SECOND }),
    runMs: fc.constantFrom(50, 300, 2 * SECOND, 15 * SECOND),
    shared: fc.constantFrom(undefined, undefined, 'one', 'other'),
    failing: fc.array(fc.constantFrom<Outcome | undefined>(undefined, failed(), REFUSED), { maxLength: 4 }),
  }),
  { minLength: 1, maxLength: 14 },
);
const hints = fc.array(
  fc.record({
    atMs: fc.nat(180 * SECOND),
    of: fc.nat(13),
    trigger: fc.constantFrom<Trigger>('watch', 'sweep', 'resync', 'requeue'),
  }),
  { maxLength: 40 },
);
const blind = fc.array(fc.record({ atMs: fc.nat(120 * SECOND), forMs: fc.nat(60 * SECOND) }), {
  maxLength: 3,
});

test('every key ends, and no work, room or parked key is left', async () => {
  await fc.assert(
    fc.asyncProperty(
      services,
      hints,
      blind,
      fc.integer({ min: 1, max: 20 }),
      fc.boolean(),
      async (all, hinted, silences, bears, slowsDown) => {
        vi.setSystemTime(0);
        const process = new BusyProcess(new BusyOctavia(bears, slowsDown ? 'slows down' : 'queues'), {
          concurrency: 5,
        });
        const keys: Key[] = [];
        all.forEach(({ atMs, namespace, trigger, shared, members, failing, verb, ...rest }, at) => {
          const name = `${namespace}/s-${at}`;
          keys.push(serviceKey(namespace, `s-${at}`));
          const need: Need = {
            ...rest,
            verb: shared === undefined ? verb : 'update',
            ...(shared !== undefined && { loadBalancer: shared }),
            ...(members && { members: true as const }),
            fails: (run) => failing[run - 1],
          };
          setTimeout(() => {
            process.add([name], need, trigger);
          }, atMs);
        });
        for (const { atMs, of, trigger } of hinted)
          setTimeout(() => {
            const key = keys[of];
            if (key && process.services.has(key)) process.hint(key, trigger);
          }, atMs);
        for (const { atMs, forMs } of silences) {
          setTimeout(() => (process.isBlind = true), atMs);
          setTimeout(() => (process.isBlind = false), atMs + forMs);
        }

        await vi.advanceTimersByTimeAsync(180 * SECOND);
        const { queue } = process;
        const isOver = (): boolean =>
          process.done.length === all.length && queue.depth + queue.running + process.waiting === 0;
        for (let more = 0; !isOver() && more < 400; more += 1) await vi.advanceTimersByTimeAsync(10 * SECOND);

        expect(process.done).toHaveLength(all.length);
        expect([queue.depth, queue.running, process.waiting, process.load.working]).toEqual([0, 0, 0, 0]);
        expect(keys.filter((key) => process.parked.isGoing({ key }))).toEqual([]);
        expect(process.load.hasRoom()).toBe(true);
        vi.clearAllTimers();
      },
    ),
    { numRuns: 60 },
  );
});
