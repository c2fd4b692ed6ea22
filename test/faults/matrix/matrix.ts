/** The combinations of stories, calls, faults, how long they last and whether the process lives. */
import { createHash } from 'node:crypto';
import { FAULTS } from './faults.ts';
import { STORIES, type Story, type StoryName } from './stories.ts';
import { isWrite, play, type Combination, type Ending, type Target } from './play.ts';

const LASTS = ['once', 'for ever'] as const;
const PROCESSES = ['lives', 'killed'] as const;

export interface Result {
  readonly fired: number;
  /** These do not count: the story did not come to that call again. */
  readonly neverReached: number;
  /** How many were right after one sweep. */
  readonly afterOneSweep: number;
  readonly wrong: readonly string[];
}

const textOf = ({ side, method, path, nth }: Target): string => `${side} ${method} ${path} ${nth}`;

/** What names a combination in the line that replays it. */
export const nameOf = ({ story, target, fault, lasts, process }: Combination): string =>
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
): Promise<Result> {
  const result = { fired: 0, neverReached: 0, afterOneSweep: 0 };
  const wrong: string[] = [];
  for (const name of stories) {
    const { orAs }: Story = STORIES[name];
    const whole = await play(name);
    const wholes = orAs === undefined ? [whole] : [whole, await play(orAs as StoryName)];
    if (!whole.calls.some(isWrite)) wrong.push(`${name} does nothing`);
    for (const combination of combinationsOf(name, whole).filter(isDrawn)) {
      if (isLeftOut(combination)) continue;
      const ending = await play(name, combination, wholes);
      if (!ending.fired) {
        result.neverReached += 1;
        continue;
      }
      result.fired += 1;
      if (ending.sweeps === 1) result.afterOneSweep += 1;
      if (ending.wrong.length > 0) wrong.push([againWith(combination), ...ending.wrong].join('\n  '));
    }
  }
  return { ...result, wrong };
}

function againWith(combination: Combination): string {
  return `again: MATRIX='${nameOf(combination)}' npm run thorough -- test/faults/matrix`;
}
