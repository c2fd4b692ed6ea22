/** The combinations of stories, calls, faults, how long they last and whether the process lives. */
import { createHash } from 'node:crypto';
import { expect } from 'vitest';
import { FAULTS } from './faults.ts';
import { STORIES, type Story, type StoryName } from './stories.ts';
import { isKill, isWrite, play, type Combination, type Ending, type Target } from './play.ts';

const LASTS = ['once', 'for ever'] as const;
const PROCESSES = ['lives', 'killed'] as const;

const textOf = ({ side, method, path, nth }: Target): string => `${side} ${method} ${path} ${nth}`;

/** What names a combination in the line that replays it. */
const nameOf = ({ story, target, fault, lasts, process }: Combination): string =>
  [story, textOf(target), fault, lasts, process].join('; ');

function combinationsOf(story: StoryName, { calls }: Ending): readonly Combination[] {
  return calls.flatMap((target) =>
    FAULTS.flatMap((fault) =>
      LASTS.flatMap((lasts) => PROCESSES.map((process) => ({ story, target, fault, lasts, process }))),
    ),
  );
}

/** A number from 0 to 1 that is always the same for one combination: a sample by it is spread over all of them. */
export function lotOf(combination: Combination): number {
  return createHash('sha256').update(nameOf(combination)).digest().readUInt32BE() / 2 ** 32;
}

/**
 * A 404 for what is there. Of a Service: levelset deletes its load balancer, as it must, and makes another one. At the end of the last
 * Service of a group: only the sweep of orphans looks again, an hour later.
 */
const isLeftOut = ({ story, target: { side, method, path }, fault }: Combination): boolean =>
  fault === '404' &&
  ((side === 'kube' && method === 'GET' && /\/services\/\w+$/.test(path)) ||
    (story === 'share: the last one leaves' && method === 'DELETE'));

/** Plays the combinations of these stories whose lot is drawn, and says what went wrong, each with the line that replays it. */
export async function playAll(
  stories: readonly StoryName[],
  isDrawn: (combination: Combination) => boolean,
): Promise<{ readonly fired: number; readonly wrong: readonly string[] }> {
  let fired = 0;
  const wrong: string[] = [];
  for (const name of stories) {
    const { orAs }: Story = STORIES[name];
    const whole = await play(name);
    const wholes = orAs === undefined ? [whole] : [whole, await play(orAs as StoryName)];
    if (!whole.calls.some(isWrite)) wrong.push(`${name} does nothing`);
    for (const combination of combinationsOf(name, whole).filter(isDrawn)) {
      if (isLeftOut(combination)) continue;
      const ending = await play(name, combination, wholes);
      // a story may not come to that call again
      if (!ending.fired) continue;
      fired += 1;
      const again = `again: MATRIX='${nameOf(combination)}' npm run thorough -- test/faults/matrix`;
      if (ending.wrong.length > 0) wrong.push([again, ...ending.wrong].join('\n  '));
    }
  }
  return { fired, wrong };
}

/** What `npm run thorough` plays of the 50,000 besides each kill, always the same ones. */
const SHARE = 0.05;

/** The one combination to play again, and no other. */
const ONE = process.env['MATRIX'];

/** So many combinations two or three stories have at least, if all are played. */
const LEAST = 15_000;

const isOf = (combination: string, stories: readonly string[]): boolean =>
  stories.some((story) => combination.startsWith(`${story}; `));

/** Plays the kills of the stories and a share of the other combinations, and fails with the line that replays what is wrong. */
export async function tellMatrix(stories: readonly StoryName[]): Promise<void> {
  if (ONE !== undefined && !isOf(ONE, Object.keys(STORIES)))
    throw new Error(
      `MATRIX='${ONE}': no story begins so; the stories are ${Object.keys(STORIES).join(', ')}`,
    );
  if (ONE !== undefined && !isOf(ONE, stories)) return;
  const { fired, wrong } = await playAll(stories, (combination) =>
    ONE === undefined ? isKill(combination) || lotOf(combination) < SHARE : nameOf(combination) === ONE,
  );
  expect(wrong.join('\n\n')).toBe('');
  expect(fired).toBeGreaterThan(ONE === undefined ? SHARE * LEAST : 0);
}
