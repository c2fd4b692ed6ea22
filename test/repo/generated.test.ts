import { format, type FormatConfig } from 'oxfmt';
import { expect, test } from 'vitest';
import { annotationsPage } from '../../docs/generate-annotations.ts';
import { errorCodesPage } from '../../docs/generate-error-codes.ts';
import { flagsPage } from '../../docs/generate-flags.ts';
import { REFERENCE_PAGES } from '../../docs/generate-reference.ts';
import { rightsPage } from '../../docs/generate-rights.ts';
import { supportPage } from '../../docs/generate-support.ts';
import { valuesSchema } from '../../infra/charts/values-schema.ts';
import { admissionPolicyFile } from '../../infra/kubernetes/admission-policy.ts';
import { accessRulesFile } from '../../infra/openstack/access-rules.ts';
import { auditSchemaCode } from '../../shared/trigger/generate-audit-schema.ts';
import style from '../../.oxfmtrc.json' with { type: 'json' };
import { textOf } from './files.ts';

const PAGES: readonly (readonly [string, () => string | Promise<string>])[] = [
  ['docs/annotations.md', annotationsPage],
  ['docs/flags.md', flagsPage],
  ['docs/rights.md', rightsPage],
  ['docs/support.md', supportPage],
  ...REFERENCE_PAGES,
  ['docs/runbooks/error-codes.md', errorCodesPage],
  // a template of the chart can read no file outside of it
  ['infra/charts/levelset/files/rules.yaml', () => textOf('infra/monitoring/rules.yaml')],
  ['infra/charts/levelset/values.schema.json', valuesSchema],
  ['infra/openstack/access-rules.json', accessRulesFile],
  ['infra/kubernetes/admission-policy.yaml', admissionPolicyFile],
  ['shared/trigger/audit-schema.generated.js', auditSchemaCode],
];

const { overrides, ignorePatterns, ...all } = style;

test.each(PAGES)('%s says what its table says; if not: npm run generate', async (path, text) => {
  const generated = await text();
  const options = { ...all, ...(path.endsWith('.md') && overrides[0]?.options) } as FormatConfig;
  const isLeft = ignorePatterns.includes(path);
  expect(textOf(path)).toBe(isLeft ? generated : (await format(path, generated, options)).code);
});
