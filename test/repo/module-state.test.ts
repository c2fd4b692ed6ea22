import { expect, test } from 'vitest';
import { codeOf, filesOf } from './files.ts';

/** What a module keeps for itself shows in no signature, and outlives a test. It belongs into `World.memory`. */
const STATE =
  /^(?:export )?(?:let |const \w+(?:: [^=]+)? = (?:new (?:Weak)?(?:Map|Set)\b(?:<.*>)?\(\)|once\())/;

test.each([
  ['let begun: Promise<void> | undefined;', true],
  ['const memories = new WeakMap<Cloud, Map<string, Entry>>();', true],
  ['const seen: Set<string> = new Set();', true],
  ['const listed = once(() => kube.listNodes());', true],
  ["const WRITES = new Set(['']);", false],
  ['  let begun = false;', false],
])('%s is state of a module: %s', (line, isState) => {
  expect(STATE.test(line)).toBe(isState);
});

test('no module of shared/ keeps state', () => {
  const found = filesOf('shared/**/*.ts').flatMap((path) =>
    codeOf(path)
      .split('\n')
      .filter((line) => STATE.test(line))
      .map((line) => `${path}: ${line}`),
  );
  expect(found).toEqual([]);
});
