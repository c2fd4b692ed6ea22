import { expect, test } from 'vitest';
import { annotationsPage } from '../../docs/generate-annotations.ts';
import { errorCodesPage } from '../../docs/generate-error-codes.ts';
import { flagsPage } from '../../docs/generate-flags.ts';
import { REFERENCE_PAGES } from '../../docs/generate-reference.ts';
import { rightsPage } from '../../docs/generate-rights.ts';
import { supportPage } from '../../docs/generate-support.ts';
import { admissionPolicyFile } from '../../infra/kubernetes/admission-policy.ts';
import { accessRulesFile } from '../../infra/openstack/access-rules.ts';
import { auditSchemaCode } from '../../shared/trigger/generate-audit-schema.ts';
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
  ['infra/openstack/access-rules.json', accessRulesFile],
  ['infra/kubernetes/admission-policy.yaml', admissionPolicyFile],
  ['shared/trigger/audit-schema.generated.js', auditSchemaCode],
];

test.each(PAGES)('%s says what its table says; if not: npm run generate', async (path, text) => {
  expect(textOf(path)).toBe(await text());
});
