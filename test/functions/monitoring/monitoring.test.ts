/** Rules and dashboard ask only for what levelset shows, and Prometheus's own tool takes both. */
import { execFileSync, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import dashboard from '../../../infra/monitoring/dashboard.json' with { type: 'json' };
import { groupedBy, metricsIn } from '../../../infra/monitoring/queries.ts';
import { readRules, RULES } from '../../../infra/monitoring/rules.ts';
import { ERRORS } from '../../../shared/model/errors.ts';
import type { Serving } from '../../../functions/serve/while-leading.ts';
import type { Sandbox } from '../../../infra/sandbox/sandbox.ts';
import { AUDIT_TOKEN, RESYNC_TOKEN } from '../../http/tokens.ts';
import { aFolder } from '../../support/for-one-test.ts';
import { keepTlsSecret } from '../../support/tls-secret.ts';
import { runningClusters, sourceOf, textsOf } from '../clusters/fleet.ts';
import { running, type Running } from '../running.ts';
import { aService, sandboxWorld, until } from '../sandbox-world.ts';
import { addressOf } from '../../support/told.ts';

/** Labels that Prometheus gives each target, and that of a registry. */
const OF_TARGETS = ['namespace', 'job', 'instance', 'cluster'];
const { recorded, alerts } = readRules();
const panels = dashboard.panels.flatMap(({ title, targets = [] }) =>
  targets.map(({ expr }) => ({ name: title, expr })),
);
const asked = [
  ...recorded.map(({ record, expr }) => ({ name: record, expr })),
  ...alerts.map(({ alert, expr }) => ({ name: alert, expr })),
  ...panels,
];
const recordedBy = new Map(recorded.map(({ record, expr }) => [record, new Set(groupedBy(expr))]));

interface Series {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: string;
}

let scraping: Promise<readonly Series[]> | undefined;
/** The first test that asks runs the sandboxes. */
const scrape = () => (scraping ??= scrapeSandboxes());

test('each metric and label in rules and dashboard is one that serve shows on the sandbox, or a recorded one', async () => {
  const shown = new Map<string, Set<string>>();
  for (const { name, labels } of await scrape())
    shown.set(name, new Set([...(shown.get(name) ?? []), ...Object.keys(labels)]));
  const unknown = asked.flatMap(({ name, expr }) => {
    const named = metricsIn(expr);
    const labelsOf = (metric: string) => recordedBy.get(metric) ?? shown.get(metric);
    const all = new Set([...OF_TARGETS, ...named.flatMap(({ metric }) => [...(labelsOf(metric) ?? [])])]);
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
  const after = await scrape();
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
  test('has each alert fire, and each stay quiet', () => {
    expect(promtool('test', 'rules', 'rules.test.yaml')).toContain('SUCCESS');
  }, 180_000);

  test('gets an answer from the sandbox for each recorded rule and each query of the dashboard', async () => {
    const file = join(aFolder(), 'dashboard.test.yaml');
    writeFileSync(file, stringify(answersTest(await scrape())));
    expect(promtool('test', 'rules', file)).toContain('SUCCESS');
  });
});

/** A test of promtool: after eight minutes with the series of the sandbox each recorded rule and each query has an answer. */
function answersTest(all: readonly Series[]): object {
  const its = (labels: Series['labels']): string =>
    Object.entries(labels)
      .map(([label, value]) => `${label}="${value}"`)
      .join(', ');
  const input = all
    .filter(({ name }) => name.startsWith('levelset_'))
    .map(({ name, labels, value }) => ({ series: `${name}{${its(labels)}}`, values: `0x4 ${value}x15` }));
  const answers = [...panels, ...recorded.map(({ record }) => ({ expr: record }))].map(({ expr }) => ({
    // with the variables of the dashboard as Grafana sets them at first
    expr: `clamp_max(count(${expr.replaceAll('$__rate_interval', '5m').replaceAll('$cluster', '.*')}), 1)`,
    eval_time: '8m',
    exp_samples: [{ value: 1 }],
  }));
  return {
    rule_files: [RULES],
    evaluation_interval: '1m',
    tests: [{ interval: '1m', input_series: input, promql_expr_test: answers }],
  };
}

/** What `levelset serve`, for one cluster and for several, shows of itself after a bad day on the sandbox. */
async function scrapeSandboxes(): Promise<readonly Series[]> {
  const world = await sandboxWorld({ pendingMs: 20 });
  const { sandbox } = world;
  const one = await running(world, { watch: true, sweepInterval: '2s' });
  const texts = textsOf('prod-a', sandbox, sandbox);
  const entries = { 'prod-a': texts, broken: { ...texts, kubeconfig: 'none' } };
  const many = await runningClusters(sourceOf(new Map(Object.entries(entries))));
  const both = [one, many];
  await until(
    'both have swept',
    async () => (await seriesOf(both)).filter(({ name }) => name === 'levelset_sweeps_total').length >= 2,
  );
  const isIdle = (): boolean => both.every(({ idle }) => idle());
  const mended = await badDay(sandbox, one, isIdle);
  const last = await seriesOf(both);
  const shown = new Set(last.map(({ name }) => name));
  return [...last, ...mended.filter(({ name }) => !shown.has(name))];
}

/**
 * Addresses are given, somebody changes a pool, both sides fail, a stranger posts, and at last the password is refused. Returns what is
 * shown before that: a sweep after it does not know the load balancers.
 */
async function badDay(
  { kube, cloud, fault, setAuditSink }: Sandbox,
  serving: Running,
  isIdle: () => boolean,
): Promise<readonly Series[]> {
  setAuditSink(`${serving.url}/audit/kubernetes`, AUDIT_TOKEN);
  keepTlsSecret({ kube }, 'one');
  kube.apply(aService('web', { 'levelset.openstack.org/tls-secret': 'web-tls' }));
  await until('an address', () => addressOf({ kube }) !== undefined);
  const resync = () => serving.post('/resync', RESYNC_TOKEN, { objects: ['service/default/web'] });
  await until('all is done', isIdle);
  // what somebody changes is told from levelset's own work once a run has read what is there
  await resync();
  await until('all is read', isIdle);
  for (const pool of cloud.pools) pool['lb_algorithm'] = 'LEAST_CONNECTIONS';
  for (const lb of cloud.loadbalancers) lb.updated_at = '2040-01-01T00:00:00';
  await resync();
  await untilShown(serving, 'levelset_drift_total');
  const failing = async (side: 'openstack' | 'kube', metric: string, labels: Series['labels']) => {
    const end = fault({ match: { side, method: 'GET' }, kind: 'fail-before', times: 1_000 });
    await resync();
    await untilShown(serving, metric, labels);
    end();
    await resync();
  };
  // a run that fails, not only a request: the next try of one may be answered
  await failing('openstack', 'levelset_failures_total', {});
  await failing('kube', 'levelset_sweeps_total', { result: 'failed' });
  await serving.post('/audit/kubernetes', 'wrong');
  await until('all is mended', isIdle);
  await untilShown(serving, 'levelset_load_balancers');
  const mended = await seriesOf([serving]);
  const match = { side: 'openstack' } as const;
  fault({ match, kind: 'fail-before', status: 401, times: 1_000 });
  await resync();
  await untilShown(serving, 'levelset_openstack_requests_total', { service: 'identity', status: '401' });
  return mended;
}

async function untilShown(serving: Serving, metric: string, wanted: Series['labels'] = {}): Promise<void> {
  const isIt = ({ name, labels }: Series): boolean =>
    name === metric && Object.entries(wanted).every(([label, value]) => labels[label] === value);
  await until(`${metric} is shown`, async () => (await seriesOf([serving])).some(isIt));
}

async function seriesOf(servings: readonly Serving[]): Promise<readonly Series[]> {
  const texts = servings.map(async ({ url }) => (await fetch(`${url}/metrics`)).text());
  return (await Promise.all(texts)).flatMap(parse);
}

/** The lines of Prometheus's text format that are values. */
function parse(text: string): readonly Series[] {
  return [...text.matchAll(/^([a-z_0-9]+)(?:\{(.*)\})? (\S+)$/gm)].map(
    ([, name = '', inside = '', value = '']) => ({
      name,
      labels: Object.fromEntries(
        [...inside.matchAll(/([a-z_]+)="((?:[^"\\]|\\.)*)"/g)].map(([, label = '', is = '']) => [label, is]),
      ),
      value,
    }),
  );
}
