/** Copies the rules into the chart, whose templates can read no file outside it. */
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');
export const RULES_FILE = 'infra/monitoring/rules.yaml';
export const CHART_RULES = 'infra/charts/levelset/files/rules.yaml';

if (import.meta.main) copyFileSync(join(ROOT, RULES_FILE), join(ROOT, CHART_RULES));
