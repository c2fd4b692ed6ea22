import { expect, test } from 'vitest';
import { codeOf, filesOf } from './files.ts';

/** What a module keeps for itself shows in no signature, and outlives a test. It belongs into `World.memory`. */
const STATE =
  /^(?:export )?(?:let |const \w+(?:: [^=]+)? = (?:new (?:Weak)?(?:Map|Set)\b(?:<.*>)?\(\)|once\())/;

test('no module of shared/ keeps state', () => {
  const found = filesOf('shared/**/*.ts').flatMap((path) =>
    codeOf(path)
      .split('\n')
      .filter((line) => STATE.test(line))
      .map((line) => `${path}: ${line}`),
  );
  expect(found).toEqual([]);
});
