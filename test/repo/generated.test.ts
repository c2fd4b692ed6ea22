import { expect, test } from 'vitest';
import { annotationsPage } from '../../docs/generate-annotations.ts';
import { textOf } from './files.ts';

test('docs/annotations.md says what the table says; if not: npm run generate', () => {
  expect(textOf('docs/annotations.md')).toBe(annotationsPage());
});
