import fc from 'fast-check';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Outcome } from '../../../shared/model/outcome.ts';
import { isByPerson, type Trigger } from '../../../shared/model/request.ts';
import { Queue } from '../../../shared/queue/queue.ts';
import { SPACING_MS } from '../../../shared/queue/queue.ts';
import { aReport, aRequest, failed, nameOf, progressing, SETTLED } from './reports.ts';

// the same worlds each time, so that a failure belongs to the change
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: 20_261_121 });

beforeEach(() => void vi.useFakeTimers({ now: 0 }));
afterEach(() => void vi.useRealTimers());

const bursts = fc.array(
  fc.record({
    atMs: fc.nat(4_000),
    name: fc.constantFrom('a', 'b', 'c'),
    trigger: fc.constantFrom<Trigger>('audit', 'watch', 'events', 'sweep', 'resync'),
    count: fc.integer({ min: 1, max: 30 }),
    everyMs: fc.integer({ min: 1, max: 150 }),
  }),
  { minLength: 1, maxLength: 6 },
);
const runs = fc.infiniteStream(
  fc.record({
    tookMs: fc.constantFrom(0, 1, 20, 400, 700),
    outcome: fc.constantFrom<Outcome>(SETTLED, SETTLED, failed(), progressing(0), progressing(20)),
  }),
);

interface Run {
  readonly trigger: Trigger;
  readonly atMs: number;
  comesBack?: boolean;
}

interface Result {
  readonly tookMs: number;
  readonly outcome: Outcome;
}

test('events run a key twice a second at most, at once when it was quiet, and after the last of them', async () => {
  await fc.assert(
    fc.asyncProperty(bursts, runs, async (plan, results) => {
      const all = new Map<string, Run[]>();
      const hinted = new Map<string, Run[]>();
      const note = (into: Map<string, Run[]>, name: string, trigger: Trigger): void => {
        into.set(name, [...(into.get(name) ?? []), { trigger, atMs: Date.now() }]);
      };
      const running = new Set<string>();
      const stream: Iterator<Result, Result> = results[Symbol.iterator]();
      const queue = new Queue({
        concurrency: 5,
        clock: { now: () => Date.now() },
        random: () => 0.5,
        run: async (request) => {
          const name = nameOf(request.key);
          note(all, name, request.trigger);
          running.add(name);
          const { tookMs, outcome } = stream.next().value;
          Object.assign(all.get(name)?.at(-1) ?? {}, { comesBack: outcome.status !== 'settled' });
          await new Promise((resolve) => setTimeout(resolve, tookMs));
          running.delete(name);
          return aReport(request, outcome);
        },
      });
      for (const { atMs, name, trigger, count, everyMs } of plan)
        for (let at = 0; at < count; at += 1)
          setTimeout(
            () => {
              const before = all.get(name) ?? [];
              const isQuiet =
                !running.has(name) && Date.now() - (before.at(-1)?.atMs ?? -Infinity) > SPACING_MS;
              const isAtOnce = !running.has(name) && (isQuiet || isByPerson({ trigger }));
              note(hinted, name, trigger);
              queue.add(aRequest(name, trigger));
              // a sweep leaves a key to its requeue
              if (isAtOnce && trigger !== 'sweep') expect(all.get(name)?.at(-1)?.atMs).toBe(Date.now());
            },
            atMs + at * everyMs,
          );
      await vi.advanceTimersByTimeAsync(60_000);
      await queue.stop();
      for (const [name, hints] of hinted) {
        const began = all.get(name) ?? [];
        const lastMs = hints.at(-1)?.atMs ?? 0;
        expect(began.some(({ atMs }) => atMs >= lastMs)).toBe(true);
        began.slice(1).forEach(({ trigger, atMs }, index) => {
          const before = began[index];
          // a requeue takes events along
          const isFree = before?.comesBack === true || isByPerson({ trigger });
          if (!isFree) expect(atMs - (before?.atMs ?? 0)).toBeGreaterThanOrEqual(SPACING_MS);
        });
      }
      vi.clearAllTimers();
    }),
    { numRuns: 100 },
  );
});
