import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildProgram, type Program } from '../support/levelset-program.ts';
import { killAtEveryWrite, type Story } from './story.ts';

/** A test for each story: however it was killed, the world ends as if it was not, and a watch never saw anything wrong. */
export function killStories(stories: readonly Story[]): void {
  let program: Program;
  beforeAll(async () => {
    program = await buildProgram();
  });
  afterAll(() => program.remove());

  test.each(stories)('killed at any write of $name, sweeps end in the same world', async (story) => {
    const { kills, wrong, seen } = await killAtEveryWrite(story, program);
    expect(kills).toBeGreaterThan(1);
    expect(wrong).toEqual([]);
    expect(seen).toEqual([]);
  });
}
