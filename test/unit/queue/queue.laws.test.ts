import fc from 'fast-check';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Outcome } from '../../../shared/model/outcome.ts';
import type { Trigger } from '../../../shared/model/request.ts';
import { Queue } from '../../../shared/queue/queue.ts';
import { PRIORITIES, PRIORITY } from '../../../shared/queue/scheduling.ts';
import { aReport, aRequest, failed, nameOf, progressing, SETTLED } from './reports.ts';

// the same worlds each time, so that a failure belongs to the change
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: 20_261_121 });

beforeEach(() => void vi.useFakeTimers({ now: 0 }));
afterEach(() => void vi.useRealTimers());

const adds = fc.array(
  fc.record({
    atMs: fc.nat(400),
    name: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
    trigger: fc.constantFrom<Trigger>('audit', 'events', 'resync', 'command', 'sweep', 'requeue'),
    delayMs: fc.constantFrom(0, 0, 0, 30),
  }),
  { minLength: 1, maxLength: 30 },
);
const outcomes = fc.infiniteStream(
  fc.record({
    tookMs: fc.nat(50),
    outcome: fc.constantFrom<Outcome>(SETTLED, SETTLED, failed(), progressing(20), progressing(0)),
  }),
);

interface Result {
  readonly tookMs: number;
  readonly outcome: Outcome;
}

interface Run {
  readonly name: string;
  readonly startMs: number;
}

const rankOf = (trigger: Trigger): number => PRIORITIES.indexOf(PRIORITY[trigger]);

test('no two runs of one key overlap, no key is lost, and nothing overtakes what is more urgent', async () => {
  await fc.assert(
    fc.asyncProperty(adds, outcomes, fc.integer({ min: 1, max: 3 }), async (plan, results, concurrency) => {
      const runs: Run[] = [];
      const running: string[] = [];
      const lastAdd = new Map<string, number>();
      const ready = new Map<string, number>();
      const stream: Iterator<Result, Result> = results[Symbol.iterator]();
      const queue = new Queue({
        concurrency,
        clock: { now: () => Date.now() },
        random: () => 0.5,
        run: async (request) => {
          const name = nameOf(request.key);
          const others = [...ready].filter(([other]) => other !== name && !running.includes(other));
          if (request.trigger !== 'requeue')
            expect(Math.min(...others.map(([, rank]) => rank))).toBeGreaterThanOrEqual(
              rankOf(request.trigger),
            );
          ready.delete(name);
          expect(running).not.toContain(name);
          expect(running.length).toBeLessThan(concurrency);
          runs.push({ name, startMs: Date.now() });
          running.push(name);
          const { tookMs, outcome } = stream.next().value;
          await new Promise((resolve) => setTimeout(resolve, tookMs));
          running.splice(running.indexOf(name), 1);
          return aReport(request, outcome);
        },
      });
      for (const { atMs, name, trigger, delayMs } of plan) {
        setTimeout(() => {
          lastAdd.set(name, Date.now());
          if (delayMs === 0) ready.set(name, Math.min(rankOf(trigger), ready.get(name) ?? Infinity));
          queue.add(aRequest(name, trigger), delayMs);
        }, atMs);
      }
      await vi.advanceTimersByTimeAsync(60_000);
      await queue.stop();
      for (const { name } of plan) expect(runs.map((run) => run.name)).toContain(name);
      for (const [name, addedMs] of lastAdd) {
        expect(runs.some((run) => run.name === name && run.startMs >= addedMs)).toBe(true);
      }
      vi.clearAllTimers();
    }),
    { numRuns: 150 },
  );
});
