import { expect, test } from 'vitest';
import { narrow } from '../../shared/run-context.ts';

test('a part of a run has the time that both have', () => {
  const run = { remainingMs: () => 500 };
  expect(narrow(run, { remainingMs: () => 800 }).remainingMs()).toBe(500);
  expect(narrow(run, { remainingMs: () => 200 }).remainingMs()).toBe(200);
});
