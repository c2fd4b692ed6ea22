/** What chaos on the lab rests on: a comparison that knows nothing of the program. */
import { expect, test } from 'vitest';
import { filesOf, textOf } from './files.ts';

test('what says what has to be there takes nothing but types from the program', () => {
  const files = filesOf('test/e2e/chaos/*.ts');
  expect(files.length).toBeGreaterThan(8);
  const taken = files.flatMap((path) => [
    ...textOf(path).matchAll(/^import (?!type )[^;]*from '[./]*\/(?:shared|functions)\/[^;]*;$/gm),
  ]);
  expect(taken.map(([line]) => line)).toEqual([]);
});
