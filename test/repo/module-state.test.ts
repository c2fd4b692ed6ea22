import { expect, test } from 'vitest';
import { codeOf, filesOf, linesWith } from './files.ts';

/** What a module keeps for itself shows in no signature, and outlives a test. It belongs into `World.memory`. */
const STATE =
  /^(?:export )?(?:let |const \w+(?:: [^=]+)? = (?:new (?:Weak)?(?:Map|Set)\b(?:<.*>)?\(\)|once\())/;

test('no module of shared/ keeps state', () => {
  expect(linesWith(STATE, filesOf('shared/**/*.ts'), codeOf)).toEqual([]);
});
