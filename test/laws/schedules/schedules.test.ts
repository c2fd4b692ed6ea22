/**
 * Two and three processes, edits by people, events that are lost, doubled, late and out of order, stalls of any request and any answer,
 * clocks that differ: whoever writes has the lease, no write opens more than the old and the new wish together, no address is
 * lost, and after one sweep of one process there is one of everything, as wished.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { assertReplayable, SEED, THOROUGH } from '../seed.ts';
import { FOUND, MADE_AND_DELETED } from './found.ts';
import { play } from './play.ts';
import { aSchedule, NAMES, type ProcessPlan, type Schedule } from './schedule.ts';

test.each(Object.entries(FOUND))('no rule is broken where %s', async (_what, schedule) => {
  const { faults, story } = await play(schedule);

  expect(faults, story.join('\n')).toEqual([]);
});

test('no schedule breaks a rule', { timeout: 1_800_000 }, async () => {
  const seen = {
    schedules: 0,
    overlaps: 0,
    expired: 0,
    skewed: 0,
    lost: 0,
    doubled: 0,
    late: 0,
    outOfOrder: 0,
  };
  const holds = async (schedule: Schedule): Promise<void> => {
    const { faults, story, overlaps, expired } = await play(schedule);
    seen.schedules += 1;
    seen.overlaps += overlaps ? 1 : 0;
    seen.expired += expired;
    seen.skewed += schedule.processes.some(isSkewed) ? 1 : 0;
    const events = eventsOf(schedule);
    for (const [what, count] of Object.entries(events)) seen[what as keyof typeof events] += count;
    if (faults.length > 0) throw new Error([...faults, ...story].join('\n'));
  };
  const numRuns = THOROUGH ? 3_000 : 15;
  await assertReplayable(fc.asyncProperty(aSchedule, holds), { numRuns });

  const { schedules, overlaps, expired, skewed, lost, doubled, late, outOfOrder } = seen;
  if (THOROUGH)
    console.log(
      `${schedules} schedules of the seed ${SEED}: in ${overlaps} two processes were between the first read and the last write of one load balancer at once, and in ${skewed} a clock was off by minutes; ${expired} leases expired under a run, and another process took them; of the edits ${lost} were told to nobody, ${doubled} twice, ${late} late, ${outOfOrder} of these after a later edit`,
    );
  if (process.env['LAWS_PATH'] === undefined)
    expect(Math.min(overlaps, expired, skewed, lost, doubled, late, outOfOrder)).toBeGreaterThan(0);
});

/** Whether its time of day is minutes off, or becomes so. */
const isSkewed = ({ skewMs, isSet }: ProcessPlan): boolean =>
  [skewMs, skewMs + (isSet?.byMs ?? 0)].some((ms) => Math.abs(ms) > 60_000);

/** How many edits are told to nobody, twice, late, and after the event of a later edit. */
function eventsOf({
  edits,
  processes,
}: Schedule): Record<'lost' | 'doubled' | 'late' | 'outOfOrder', number> {
  const names = NAMES.slice(0, processes.length);
  let atMs = 0;
  const told = edits.map(({ afterMs, lateMs = 0, againMs, tells }) => {
    atMs += afterMs;
    const isTold = tells.some((name) => names.includes(name));
    return {
      isTold,
      isDoubled: isTold && againMs !== undefined,
      isLate: isTold && lateMs > 0,
      toldMs: atMs + lateMs,
    };
  });
  const isOvertaken = ({ isLate, toldMs }: (typeof told)[number], at: number): boolean =>
    isLate && told.slice(at + 1).some((later) => later.isTold && later.toldMs < toldMs);
  return {
    lost: told.filter(({ isTold }) => !isTold).length,
    doubled: told.filter(({ isDoubled }) => isDoubled).length,
    late: told.filter(({ isLate }) => isLate).length,
    outOfOrder: told.filter(isOvertaken).length,
  };
}

test('without leases schedules break the rules', async () => {
  const { faults } = await play(MADE_AND_DELETED, 'no leases');
  expect(faults).toContainEqual(expect.stringMatching(/floatingips opens 80 outside/));

  const found: string[] = [];
  for (const schedule of fc.sample(aSchedule, { seed: SEED, numRuns: THOROUGH ? 150 : 20 }))
    found.push(...(await play(schedule, 'no leases')).faults);
  expect(found).not.toEqual([]);
});
