/** A sample of the fault matrix; all of it is in `npm run thorough`. */
import { expect, test } from 'vitest';
import { lotOf, playAll } from './matrix/matrix.ts';

test('whatever call of a create or a delete goes wrong, and however, sweeps end in the same world', async () => {
  const { wrong, fired } = await playAll(['create', 'delete', 'routes'], (one) => lotOf(one) < 0.002);

  expect(wrong.join('\n\n')).toBe('');
  expect(fired).toBeGreaterThan(10);
});
