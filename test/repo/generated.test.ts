import { expect, test } from 'vitest';
import { annotationsPage } from '../../docs/generate-annotations.ts';
import { flagsPage } from '../../docs/generate-flags.ts';
import { supportPage } from '../../docs/generate-support.ts';
import { textOf } from './files.ts';

test.each([
  ['annotations', annotationsPage],
  ['flags', flagsPage],
  ['support', supportPage],
])('docs/%s.md says what its table says; if not: npm run generate', (name, page) => {
  expect(textOf(`docs/${name}.md`)).toBe(page());
});
