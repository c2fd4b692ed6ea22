import { expect } from 'vitest';
import { lotOf, nameOf, playAll } from './matrix.ts';
import { isKill } from './play.ts';
import { STORIES, type StoryName } from './stories.ts';

/** What `npm run thorough` plays of the 50,000 besides each kill, always the same ones. */
const SHARE = 0.05;

/** The one combination to play again, and no other. */
const ONE = process.env['MATRIX'];

/** So many combinations two or three stories have at least, if all are played. */
const LEAST = 15_000;

const isOf = (combination: string, stories: readonly string[]): boolean =>
  stories.some((story) => combination.startsWith(`${story}; `));

/** Plays the kills of the stories and a share of the other combinations, prints the counts, and fails with the line that replays what is wrong. */
export async function tellMatrix(stories: readonly StoryName[]): Promise<void> {
  if (ONE !== undefined && !isOf(ONE, Object.keys(STORIES)))
    throw new Error(
      `MATRIX='${ONE}': no story begins so; the stories are ${Object.keys(STORIES).join(', ')}`,
    );
  if (ONE !== undefined && !isOf(ONE, stories)) return;
  const before = process.cpuUsage();
  const { wrong, ...counts } = await playAll(stories, (combination) =>
    ONE === undefined ? isKill(combination) || lotOf(combination) < SHARE : nameOf(combination) === ONE,
  );
  const { user, system } = process.cpuUsage(before);
  console.log(
    `${counts.fired} combinations fired, ${counts.afterOneSweep} of them right after one sweep, the others after two; ` +
      `${counts.neverReached} never reached; ${Math.round((user + system) / 1e6)} s of CPU`,
  );
  expect(wrong.join('\n\n')).toBe('');
  expect(counts.fired).toBeGreaterThan(ONE === undefined ? SHARE * LEAST : 0);
}
