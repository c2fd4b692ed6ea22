/** Rules and dashboard ask only for what levelset shows, and Prometheus's own tool takes both. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { stringify } from 'yaml';
import dashboard from '../../../infra/monitoring/dashboard.json' with { type: 'json' };
import { groupedBy, metricsIn } from '../../../infra/monitoring/queries.ts';
import { readRules, RULES } from '../../../infra/monitoring/rules.ts';
import { ERRORS } from '../../../shared/model/errors.ts';
import { scrapeSandboxes, type Scraped, type Series } from './sandbox-metrics.ts';

/** Labels that Prometheus gives each target. */
const OF_TARGETS = ['namespace', 'job', 'instance'];
const { recorded, alerts } = readRules();
const panels = dashboard.panels.flatMap(({ title, targets = [] }) =>
  targets.map(({ expr }) => ({ name: title, expr })),
);
const asked = [
  ...recorded.map(({ record, expr }) => ({ name: record, expr })),
  ...alerts.map(({ alert, expr }) => ({ name: alert, expr })),
  ...panels,
];
const recordedBy = new Map(recorded.map(({ record, expr }) => [record, groupedBy(expr)]));

let scraping: Promise<Scraped> | undefined;
/** The first test that asks runs the sandboxes. */
const scrape = (): Promise<Scraped> => (scraping ??= scrapeSandboxes());

/** By metric, each label that one of its series has; histograms without their suffixes, too. */
function labelsShown(series: readonly Series[]): ReadonlyMap<string, ReadonlySet<string>> {
  const shown = new Map<string, Set<string>>();
  for (const { name, labels } of series) {
    const known = shown.get(name) ?? new Set();
    for (const label of Object.keys(labels)) known.add(label);
    shown.set(name, known);
  }
  return shown;
}

test('each metric and label in rules and dashboard is one that serve shows on the sandbox, or a recorded one', async () => {
  const shown = labelsShown((await scrape()).after);
  const unknown = asked.flatMap(({ name, expr }) => {
    const named = metricsIn(expr);
    const labelsOf = (metric: string): ReadonlySet<string> | undefined => {
      const by = recordedBy.get(metric);
      return by ? new Set(by) : shown.get(metric);
    };
    const all = new Set([
      ...OF_TARGETS,
      'cluster',
      ...named.flatMap(({ metric }) => [...(labelsOf(metric) ?? [])]),
    ]);
    return [
      ...named.flatMap(({ metric, labels }) => {
        const its = labelsOf(metric);
        if (!its) return `${name}: ${metric} is not shown`;
        return labels
          .filter((label) => !its.has(label) && label !== 'cluster')
          .map((label) => `${name}: ${metric} has no label ${label}`);
      }),
      ...groupedBy(expr)
        .filter((label) => !all.has(label))
        .map((label) => `${name}: nothing has the label ${label}`),
    ];
  });
  expect([...new Set(unknown)]).toEqual([]);
});

test('each value of a label that rules and dashboard ask for is one that the sandbox had', async () => {
  const { after } = await scrape();
  const unseen = asked
    .flatMap(({ expr }) => metricsIn(expr))
    .filter(({ metric }) => !recordedBy.has(metric))
    .flatMap(({ metric, values }) => {
      const its = after.filter(({ name }) => name === metric);
      return values
        .filter(({ label, pattern }) => !its.some(({ labels }) => pattern.test(labels[label] ?? '')))
        .map(({ label, pattern }) => `${metric} ${label} ${pattern.source}`);
    });
  // Octavia's own word: levelset has repaired such a load balancer before it could be seen here
  expect(unseen).toEqual(['levelset_load_balancers state ^(?:ERROR)$']);
});

test('error codes in rules are codes of the table', () => {
  const codes = asked.flatMap(({ expr }) =>
    [...expr.matchAll(/code=~?"([^"]+)"/g)].flatMap(([, named = '']) => named.split('|')),
  );
  expect(codes.length).toBeGreaterThan(8);
  expect(codes.filter((code) => !(code in ERRORS))).toEqual([]);
});

const hasPromtool = spawnSync('promtool', ['--version']).status === 0;
const promtool = (...args: readonly string[]): string =>
  execFileSync('promtool', args, { encoding: 'utf8', stdio: 'pipe', cwd: dirname(RULES) });

// Debian's package prometheus has promtool; the lab installs it
describe.skipIf(!hasPromtool)('promtool (skipped where it is not installed)', () => {
  test('takes the rules', () => {
    expect(promtool('check', 'rules', 'rules.yaml')).toContain('SUCCESS');
  });

  test('has each alert fire, and each stay quiet', () => {
    expect(promtool('test', 'rules', 'rules.test.yaml')).toContain('SUCCESS');
  }, 180_000);

  test('gets an answer from the sandbox for each recorded rule and each query of the dashboard', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'levelset-promtool-'));
    onTestFinished(() => {
      rmSync(directory, { recursive: true });
    });
    const file = join(directory, 'dashboard.test.yaml');
    writeFileSync(file, stringify(answersTest(await scrape())));
    expect(promtool('test', 'rules', file)).toContain('SUCCESS');
  });
});

const idOf = ({ name, labels }: Series): string =>
  `${name}{${Object.entries(labels)
    .map(([label, value]) => `${label}="${value}"`)
    .join(', ')}}`;

/** A test of promtool: after eight minutes with the series of the sandbox each recorded rule and each query has an answer. */
function answersTest({ before, after }: Scraped): object {
  const first = new Map(before.map((series) => [idOf(series), series.value]));
  const input = after
    .filter(({ name }) => name.startsWith('levelset_'))
    .map((series) => {
      const then = first.get(idOf(series));
      return {
        series: idOf(series),
        values: `${then === undefined ? '_x4' : `${then}x4`} ${series.value}x15`,
      };
    });
  return {
    rule_files: [RULES],
    evaluation_interval: '1m',
    tests: [
      {
        interval: '1m',
        input_series: input,
        promql_expr_test: [...panels, ...recorded.map(({ record }) => ({ expr: record }))].map(
          ({ expr }) => ({
            expr: `clamp_max(count(${inGrafana(expr)}), 1)`,
            eval_time: '8m',
            exp_samples: [{ value: 1 }],
          }),
        ),
      },
    ],
  };
}

/** With the variables of the dashboard as Grafana sets them at first. */
function inGrafana(expr: string): string {
  return expr.replaceAll('$__rate_interval', '5m').replaceAll('$cluster', '.*');
}
