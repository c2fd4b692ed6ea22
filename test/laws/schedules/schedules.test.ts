/**
 * Two and three processes, edits by people, stalls of any request and any answer, clocks that differ: whoever writes has the
 * lease, no write opens more than the old and the new wish together, no address is lost, and in the end there is one of
 * everything, as wished.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { assertReplayable, SEED, THOROUGH } from '../seed.ts';
import { FOUND, MADE_AND_DELETED } from './found.ts';
import { play } from './play.ts';
import { aSchedule, type Schedule } from './schedule.ts';

test.each(Object.entries(FOUND))('no rule is broken where %s', async (_what, schedule) => {
  const { faults, story } = await play(schedule);

  expect(faults, story.join('\n')).toEqual([]);
});

test('no schedule breaks a rule', { timeout: 900_000 }, async () => {
  const seen = { schedules: 0, overlaps: 0 };
  const holds = async (schedule: Schedule): Promise<void> => {
    const { faults, story, overlaps } = await play(schedule);
    seen.schedules += 1;
    seen.overlaps += overlaps ? 1 : 0;
    if (faults.length > 0) throw new Error([...faults, ...story].join('\n'));
  };
  const numRuns = THOROUGH ? 10_000 : 40;
  await assertReplayable(fc.asyncProperty(aSchedule, holds), { numRuns });

  const { schedules, overlaps } = seen;
  if (THOROUGH)
    console.log(
      `${schedules} schedules of the seed ${SEED}: in ${overlaps} two processes were between the first read and the last write of one load balancer at once`,
    );
  if (process.env['LAWS_PATH'] === undefined) expect(overlaps).toBeGreaterThan(0);
});

test('without leases schedules break the rules', async () => {
  const { faults } = await play(MADE_AND_DELETED, 'no leases');
  expect(faults).toContainEqual(expect.stringMatching(/floatingips opens 80 outside/));

  const found: string[] = [];
  for (const schedule of fc.sample(aSchedule, { seed: SEED, numRuns: THOROUGH ? 500 : 20 }))
    found.push(...(await play(schedule, 'no leases')).faults);
  expect(found).not.toEqual([]);
});
