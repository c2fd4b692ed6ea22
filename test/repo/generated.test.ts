import { expect, test } from 'vitest';
import { annotationsPage } from '../../docs/generate-annotations.ts';
import { flagsPage } from '../../docs/generate-flags.ts';
import { rightsPage } from '../../docs/generate-rights.ts';
import { supportPage } from '../../docs/generate-support.ts';
import { accessRulesFile } from '../../infra/openstack/access-rules.ts';
import { textOf } from './files.ts';

test.each([
  ['docs/annotations.md', annotationsPage],
  ['docs/flags.md', flagsPage],
  ['docs/rights.md', rightsPage],
  ['docs/support.md', supportPage],
  ['infra/openstack/access-rules.json', accessRulesFile],
])('%s says what its table says; if not: npm run generate', (path, text) => {
  expect(textOf(path)).toBe(text());
});
