/** Each alert and each error code can be acted upon: what it is, what to do, where to read on; and each alert was tried. */
import { expect, test } from 'vitest';
import { readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { readRules, RULES } from '../../../infra/monitoring/rules.ts';
import { ERROR_FACTS } from '../../../docs/error-facts.ts';
import { filesOf, textOf } from '../../repo/files.ts';

const { alerts } = readRules();
const tests = readFileSync(join(dirname(RULES), 'rules.test.yaml'), 'utf8');

test('each alert has a severity, words, and a page of its own name in docs/runbooks', () => {
  expect(alerts.length).toBeGreaterThan(20);
  const without = alerts.filter(
    ({ alert, labels, annotations: { summary, description, runbook_url: url } }) => {
      const runbook = textOf(`docs/runbooks/${basename(url)}`);
      const isNamed = new RegExp(`^## ${alert}$`, 'm').test(runbook);
      const severities = ['critical', 'warning', 'info'];
      return !severities.includes(labels.severity) || summary === '' || description === '' || !isNamed;
    },
  );
  expect(without.map(({ alert }) => alert)).toEqual([]);
});

test('each runbook is that of an alert, or listed in the index', () => {
  const index = textOf('docs/runbooks/README.md');
  const alone = filesOf('docs/runbooks/*.md').filter((path) => !index.includes(`(${basename(path)})`));
  expect(alone).toEqual(['docs/runbooks/README.md']);
  expect(alerts.filter(({ alert }) => !index.includes(`\`${alert}\``)).map(({ alert }) => alert)).toEqual([]);
});

test('each error code says what it means and costs, how to see and to mend it, and what levelset does by itself', () => {
  const says = Object.values(ERROR_FACTS).flatMap((facts) => Object.values<string>({ ...facts }));
  expect(says.length).toBeGreaterThan(100);
  expect(says).not.toContain('');
});

test('each alert is tried by promtool, to fire and to stay quiet', () => {
  const untried = alerts.flatMap(({ alert }) =>
    ['fires', 'stays quiet']
      .filter((what) => !tests.includes(`name: ${alert} ${what}\n`))
      .map((what) => `${alert} ${what}`),
  );
  expect(untried).toEqual([]);
});
