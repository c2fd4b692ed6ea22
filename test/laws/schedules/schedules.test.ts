/**
 * Two and three processes, of which one leads: edits by people, events that are lost, doubled, late and out of order, stalls of any request and
 * any answer, clocks that differ, processes that are frozen, killed and cut off. Whoever begins a write holds the Lease, no write opens more
 * than the old and the new wish together, no address is lost, and after one sweep there is one of everything, as wished.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { assertReplayable } from '../seed.ts';
import { THOROUGH, WORLDS } from '../worlds.ts';
import { FOUND } from './found.ts';
import { play } from './play.ts';
import { aSchedule, type Schedule } from './schedule.ts';

test.each(Object.entries(FOUND))('no rule is broken where %s', async (_what, schedule) => {
  const { faults, story } = await play(schedule);

  expect(faults, story.join('\n')).toEqual([]);
});

test('no schedule breaks a rule', { timeout: 7_200_000 }, async () => {
  const holds = async (schedule: Schedule): Promise<void> => {
    const { faults, story } = await play(schedule);
    if (faults.length > 0) throw new Error([...faults, ...story].join('\n'));
  };
  await assertReplayable(fc.asyncProperty(aSchedule, holds), { numRuns: (THOROUGH ? 10 : 2) * WORLDS });
});
