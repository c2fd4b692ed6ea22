/** Prometheus's rules by Prometheus's own tool, which the lab's packages bring: elsewhere `npm test` tries them where it is installed. */
import { execFileSync } from 'node:child_process';
import { dirname } from 'node:path';
import { expect, it } from 'vitest';
import { RULES } from '../../../infra/monitoring/rules.ts';

it.each([
  ['takes the rules', ['check', 'rules', 'rules.yaml']],
  ['has each alert fire, and each stay quiet', ['test', 'rules', 'rules.test.yaml']],
])('promtool %s', (_, args) => {
  expect(execFileSync('promtool', args, { cwd: dirname(RULES), encoding: 'utf8' })).toContain('SUCCESS');
});
