/** What is refused comes back as often as where nothing waits for Octavia's room, on virtual time. */
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Outcome } from '../../../shared/model/outcome.ts';
import type { Trigger } from '../../../shared/model/request.ts';
import { BusyOctavia, BusyProcess, named, RUN_MS, SECOND, type Need } from './busy-octavia.ts';
import { failed } from './reports.ts';

// the same worlds each time, so that a failure belongs to the change
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: 20_261_121 });

beforeEach(() => void vi.useFakeTimers({ now: 0 }));
afterEach(() => void vi.useRealTimers());

const FORBIDDEN: Outcome = { status: 'failed', code: 'FORBIDDEN', message: '403', retryAfterMs: 0 };
const LASTS_MS = 900 * SECOND;

interface World {
  readonly bears: number;
  readonly refused: number;
  readonly others: number;
  readonly workMs: number;
  readonly need: Need;
  readonly hints: readonly { readonly atMs: number; readonly of: number; readonly trigger: Trigger }[];
}

/** How often each refused Service has tried to write. */
async function triesOf(world: World, holdsBack: boolean): Promise<readonly number[]> {
  vi.setSystemTime(0);
  const process = new BusyProcess(new BusyOctavia(world.bears), { holdsBack });
  process.add(named(world.refused, 'r/refused'), world.need);
  process.add(named(world.others, 'changed'), { workMs: world.workMs });
  const keys = [...process.services.keys()];
  for (const { atMs, of, trigger } of world.hints)
    setTimeout(() => {
      const key = keys[of % world.refused];
      if (key) process.hint(key, trigger);
    }, atMs);
  await vi.advanceTimersByTimeAsync(LASTS_MS);
  vi.clearAllTimers();
  return keys.slice(0, world.refused).map((key) => process.services.get(key)?.writes ?? 0);
}

const sum = (counts: readonly number[]): number => counts.reduce((all, one) => all + one, 0);

test('20 Services that an operator has to mend, beside a thousand that change', async () => {
  const world = {
    bears: 20,
    refused: 20,
    others: 1_000,
    workMs: 2 * SECOND,
    need: { refuses: () => FORBIDDEN },
    hints: [],
  };
  const free = sum(await triesOf(world, false));
  const held = sum(await triesOf(world, true));
  expect(held).toBeLessThanOrEqual(free);
  expect(held).toBeGreaterThan(0.9 * free);
});

test('no Service tries more often, whatever is found and hinted, and whoever has to mend it', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.record({
        bears: fc.integer({ min: 1, max: 20 }),
        refused: fc.integer({ min: 1, max: 4 }),
        others: fc.nat(60),
        workMs: fc.integer({ min: SECOND, max: 30 * SECOND }),
        need: fc.record({
          verb: fc.constantFrom<'create' | 'update'>('create', 'update'),
          refuses: fc.constantFrom(
            () => FORBIDDEN,
            () => failed(),
          ),
        }),
        hints: fc.array(
          fc.record({
            atMs: fc.nat(LASTS_MS),
            of: fc.nat(3),
            trigger: fc.constantFrom<Trigger>('sweep', 'sweep', 'sweep', 'watch', 'resync'),
          }),
          { maxLength: 60 },
        ),
      }),
      async (world) => {
        const free = await triesOf(world, false);
        const held = await triesOf(world, true);
        for (const [at, tries] of held.entries()) expect(tries).toBeLessThanOrEqual(free[at] ?? 0);
      },
    ),
    { numRuns: 80 },
  );
});

test('a Service that was refused, parked, and then settled, comes back as one that is refused for the first time', async () => {
  const process = new BusyProcess(new BusyOctavia(2));
  const tries: number[] = [];
  const refuses = (write: number): Outcome | undefined => {
    tries.push(Date.now());
    return write === 6 ? undefined : failed();
  };
  process.add(['r/refused'], { refuses });
  process.add(named(100, 'changed'), { workMs: 2 * SECOND });
  for (let at = 0; process.done.length < 101 && at < 1_000; at += 1)
    await vi.advanceTimersByTimeAsync(SECOND);
  expect(process.done).toHaveLength(101);
  expect(tries).toHaveLength(6);

  const refused = process.services.get('service/r/refused');
  if (refused) refused.left = 1;
  process.hint('service/r/refused', 'sweep');
  await vi.advanceTimersByTimeAsync(4 * SECOND);
  const [first = 0, second = Infinity, third = Infinity] = tries.slice(6);
  expect(second - first).toBeLessThanOrEqual(SECOND + RUN_MS);
  expect(third - second).toBeLessThanOrEqual(2 * SECOND + RUN_MS);
});

test('a Service that was refused uses its room at once, before events', async () => {
  const process = new BusyProcess(new BusyOctavia(2), { concurrency: 5 });
  const tries: number[] = [];
  const refuses = (): Outcome => {
    tries.push(Date.now());
    return failed();
  };
  process.add(['refused'], { refuses });
  await vi.advanceTimersByTimeAsync(400);
  process.add(named(2, 'slow'), { workMs: 10 * SECOND });
  await vi.advanceTimersByTimeAsync(5 * SECOND);
  expect([tries.length, process.parked.sizeOf(undefined)]).toEqual([1, 1]);

  process.add(named(100, 'looks'), { writes: 0, runMs: 2 * SECOND });
  while (process.parked.sizeOf(undefined) > 0) await vi.advanceTimersByTimeAsync(100);
  await vi.advanceTimersByTimeAsync(3 * SECOND);
  expect(process.took('looks').length).toBeLessThan(50);
  expect(tries.length).toBeGreaterThan(1);
});
