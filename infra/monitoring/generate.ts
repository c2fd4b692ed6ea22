/** Writes dashboard.json, and the rules into the chart, whose templates can read no file outside it. */
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { dashboardFile } from './dashboard.ts';

const ROOT = join(import.meta.dirname, '../..');
export const RULES_FILE = 'infra/monitoring/rules.yaml';
export const CHART_RULES = 'infra/charts/levelset/files/rules.yaml';

if (import.meta.main) {
  writeFileSync(join(import.meta.dirname, 'dashboard.json'), dashboardFile());
  mkdirSync(dirname(join(ROOT, CHART_RULES)), { recursive: true });
  copyFileSync(join(ROOT, RULES_FILE), join(ROOT, CHART_RULES));
}
