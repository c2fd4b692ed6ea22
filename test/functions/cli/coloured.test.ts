import { readFile } from 'node:fs/promises';
import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { coloured } from '../../../functions/cli/command.ts';

const GOLDEN = ['plan', 'drift', 'explain'].map((name) => `test/golden/damages/${name}.txt`);

test.each(GOLDEN)('%s has colours on a terminal alone, and the same text', async (file) => {
  const text = await readFile(file, 'utf8');
  const shown = coloured(text, true, {});
  expect(shown).toContain('\u001b[');
  expect(stripVTControlCharacters(shown)).toBe(text);
  expect(coloured(text, true, { NO_COLOR: '1' })).toBe(text);
  expect(coloured(text, false, {})).toBe(text);
});
