/** Writes the version of package.json, the one place where it is changed, into the chart. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');
const CHART = join(import.meta.dirname, 'levelset/Chart.yaml');

const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  readonly version: string;
};
const chart = readFileSync(CHART, 'utf8');
writeFileSync(CHART, chart.replace(/^(version|appVersion): .*$/gm, `$1: ${version}`));
