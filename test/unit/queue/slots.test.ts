import fc from 'fast-check';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Outcome } from '../../../shared/model/outcome.ts';
import type { Key } from '../../../shared/model/request.ts';
import { Queue } from '../../../shared/queue/queue.ts';
import { MemorySlots, type Claimant } from '../../../shared/queue/slots.ts';
import type { Step } from '../../../shared/model/plan.ts';
import { aReport, progressing, SETTLED } from './reports.ts';

const MADE: Step = { verb: 'create', kind: 'loadbalancer', address: 'lb', attributes: {} };

beforeEach(() => void vi.useFakeTimers({ now: 0 }));
afterEach(() => void vi.useRealTimers());

const CLOCK = { now: () => Date.now() };

/** Those that wait, with their turns, and who has been let in, in this order. */
function waiting(
  slots: MemorySlots,
  ...turns: readonly string[]
): { claimant: (at: number) => Claimant; begun: number[] } {
  const begun: number[] = [];
  const all = turns.map((turn, at) => ({ turn, begin: () => void begun.push(at) }));
  for (const claimant of all) if (!slots.take(claimant)) slots.wait(claimant);
  const claimant = (at: number): Claimant => all[at] ?? expect.fail(`nobody is the ${at}.`);
  return { claimant, begun };
}

test('a place that is free goes to the turn with the fewest, and within a turn to who waited longest', () => {
  const slots = new MemorySlots(2, CLOCK);
  const { claimant, begun } = waiting(slots, 'a', 'a', 'a', 'b', 'a', 'c');
  for (const at of [0, 3, 1, 5, 2]) slots.leave(claimant(at));
  expect(begun).toEqual([3, 5, 2, 4]);
});

test('who waits keeps its age when it waits anew', () => {
  const slots = new MemorySlots(1, CLOCK);
  const { claimant, begun } = waiting(slots, 'a', 'b', 'c');
  slots.wait(claimant(1));
  slots.leave(claimant(0));
  expect(begun).toEqual([1]);
});

test('one that is stuck holds up others for three minutes', async () => {
  const slots = new MemorySlots(1, CLOCK);
  const { begun } = waiting(slots, 'stuck', 'waits');
  await vi.advanceTimersByTimeAsync(179_000);
  expect(begun).toEqual([]);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(begun).toEqual([1]);
});

const service = fc.record({
  namespace: fc.constantFrom('a', 'b', 'c'),
  addedMs: fc.nat(3_000),
  /** How long Octavia creates it, and how many changes follow. */
  createMs: fc.integer({ min: 1, max: 20_000 }),
  changes: fc.nat(3),
  hintsEveryMs: fc.constantFrom(0, 0, 300, 2_000),
});

test('of any number of Services no more than allowed are made at once, all of them are made, and none waits beside a free place', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(service, { minLength: 1, maxLength: 30 }),
      fc.integer({ min: 1, max: 6 }),
      async (services, most) => {
        const slots = new MemorySlots(most, CLOCK);
        const made = new Map<Key, number>();
        const left = new Map<Key, number>();
        const createdMs = new Map<Key, number>();
        const working = new Set<Key>();
        let hints = 0;
        const queue = new Queue({
          clock: CLOCK,
          concurrency: 15,
          random: () => 0.5,
          slots,
          busy: {
            forget: () => undefined,
            wait: ({ request: { key } }, _leastMs, ready) => {
              setTimeout(ready, (made.get(key) ?? 0) - Date.now());
            },
          },
          run: async (request, mayCreate) => {
            const { key } = request;
            const { createMs = 0, changes = 0 } = services[Number(key.split('-')[1])] ?? {};
            await new Promise((resolve) => setTimeout(resolve, 20));
            const done = (outcome: Outcome) => aReport(request, outcome);
            const readyMs = made.get(key);
            if (readyMs === undefined) {
              if (!mayCreate()) return done({ ...progressing(5_000), needsSlot: true } as Outcome);
              working.add(key);
              const inHands = [...createdMs.values()].filter((at) => at > Date.now()).length;
              expect(inHands).toBeLessThan(most);
              createdMs.set(key, Date.now() + createMs);
              made.set(key, Date.now() + createMs);
              left.set(key, changes);
              return aReport(request, progressing(700, key), { applied: [MADE] });
            }
            if (Date.now() < readyMs) return done(progressing(700, key));
            working.delete(key);
            const steps = left.get(key) ?? 0;
            if (steps === 0) return done(SETTLED);
            left.set(key, steps - 1);
            made.set(key, Date.now() + 500);
            return done(progressing(700, key));
          },
        });
        for (const [at, { namespace, addedMs, hintsEveryMs }] of services.entries()) {
          const key: Key = `service/${namespace}/web-${at}`;
          const add = (): void => {
            queue.add({ key, trigger: 'audit' });
          };
          setTimeout(add, addedMs);
          if (hintsEveryMs > 0)
            for (hints = 1; hints < 20; hints += 1) setTimeout(add, addedMs + hints * hintsEveryMs);
        }
        const longest = services.reduce((sum, { createMs }) => sum + createMs + 4 * 2_500 + 500, 20_000);
        await vi.advanceTimersByTimeAsync(longest / most + 40_000);
        expect(working.size).toBe(0);
        expect(made.size).toBe(services.length);
        await queue.stop();
        vi.clearAllTimers();
      },
    ),
    { numRuns: 60, seed: 20_261_127 },
  );
});
