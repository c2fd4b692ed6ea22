import { expect } from 'vitest';
import { lotOf, nameOf, playAll } from './matrix.ts';
import { STORIES, type StoryName } from './stories.ts';

/** What `npm run thorough` plays of the 50,000, always the same ones. */
export const SHARE = 0.05;

/** The one combination to play again, and no other. */
const ONE = process.env['MATRIX'];

/** So many combinations two or three stories have at least, if all are played. */
const LEAST = 15_000;

const isOf = (combination: string, stories: readonly string[]): boolean =>
  stories.some((story) => combination.startsWith(`${story}; `));

/** Plays this share of the combinations of the stories, prints the counts, and fails with the line that replays what is wrong. */
export async function tellMatrix(stories: readonly StoryName[], share: number): Promise<void> {
  if (ONE !== undefined && !isOf(ONE, Object.keys(STORIES)))
    throw new Error(
      `MATRIX='${ONE}': no story begins so; the stories are ${Object.keys(STORIES).join(', ')}`,
    );
  if (ONE !== undefined && !isOf(ONE, stories)) return;
  const before = process.cpuUsage();
  const { wrong, ...counts } = await playAll(stories, (combination) =>
    ONE === undefined ? lotOf(combination) < share : nameOf(combination) === ONE,
  );
  const { user, system } = process.cpuUsage(before);
  const left = [...counts.leftOut].map(([why, count]) => `; ${count} left out: ${why}`).join('');
  console.log(
    `${counts.fired} combinations fired, ${counts.afterOneSweep} of them right after one sweep, the others after two; ` +
      `${counts.neverReached} never reached${left}; ${Math.round((user + system) / 1e6)} s of CPU`,
  );
  expect(wrong.join('\n\n')).toBe('');
  expect(counts.fired).toBeGreaterThan(ONE === undefined ? share * LEAST : 0);
}
