/** Everything that levelset shows of what tenants wrote: nothing of a key, no markup, no escape, nothing endless. */
import { expect, test } from 'vitest';
import { createLog, reconcileLine } from '../../../functions/log.ts';
import { createMetrics } from '../../../functions/metrics.ts';
import { History } from '../../../functions/page/remembered.ts';
import { serviceRows } from '../../../functions/status-rows.ts';
import type { Report } from '../../../shared/model/outcome.ts';
import { renderPlan } from '../../../shared/plan/render-plan.ts';
import type { StatusRow } from '../../../shared/report/page.ts';
import { renderObjectPage } from '../../../shared/report/page/object-page.ts';
import { renderPage } from '../../../shared/report/page/objects-page.ts';
import { serviceDetails } from '../../../shared/service/report/object-details.ts';
import { printedBy } from '../../support/for-one-test.ts';
import { inEachTest, run, startSandboxWorld } from '../../support/sandbox-world.ts';
import { aService } from '../../support/service.ts';
import { keepTlsSecret, keyOfPair } from '../../support/tls-secret.ts';
import { readyOf, serviceOf } from '../../support/told.ts';

const OWN = 'levelset.openstack.org/';
const OCCM = 'loadbalancer.openstack.org/';

const it = inEachTest(() => startSandboxWorld());

/** Runs the Service as `serve` would, until it waits, and collects all that comes out. */
async function showAll() {
  const reports: Report[] = [];
  const metrics = createMetrics();
  const printed = await printedBy(async () => {
    const log = createLog('debug');
    for (let runs = 0; runs < 40; runs += 1) {
      const report = await run({ key: 'service/default/web', trigger: 'command' }, { ...it.world, log });
      reports.push(report);
      metrics.observeReconcile(report);
      log.info('reconciled', reconcileLine(report, renderPlan));
      if (report.outcome.status !== 'progressing') break;
    }
  });
  const [last] = reports.toReversed();
  const service = serviceOf(it);
  const rows =
    service && last
      ? serviceRows([service], it.world.config, new Map([[last.request.key, { report: last, at: '' }]]))
      : [];
  const page = [
    renderPage({ cluster: 'test', generatedAt: '2026-11-21T00:00:00Z', rows }),
    ...(await Promise.all(rows.map((row) => objectPage(row, reports)))),
  ].join('\n');
  const plans = reports.map(({ plan }) => (plan ? renderPlan(plan) : '')).join('\n');
  const { kube } = it;
  const events = kube.list('Event', 'default').map(({ message }) => String(message));
  const told = [it.told(), ...events].join('\n');
  const kept = [kube.list('ConfigMap', 'levelset'), kube.list('Lease'), kube.list('Service')];
  const scraped = (await metrics.scrape()).body;
  const terminal = [plans, ...printed].join('\n');
  return {
    /** What a person reads on a terminal: plan and log. */
    terminal,
    page,
    /** Condition and Events. */
    told,
    /** All of it, metrics and what is kept in the cluster as well. */
    everything: [terminal, page, told, scraped, JSON.stringify([kept, reports])].join('\n'),
  };
}

/** The page of one object, after these runs, with the Events of the cluster. */
async function objectPage(row: StatusRow, reports: readonly Report[]): Promise<string> {
  const [generatedAt, history] = ['2026-11-21T00:00:00Z', new History()];
  for (const report of reports) history.add(report, generatedAt);
  const look = await serviceDetails(row.object, it.world);
  const events = it.kube.list('Event', 'default').map(({ type, reason, message }) => ({
    ...{ type: String(type), reason: String(reason), message: String(message) },
    ...{ at: generatedAt, count: 1 },
  }));
  expect(look?.plan).toBeDefined();
  const view = { cluster: 'test', generatedAt, row, runs: history.of(row.object), events };
  return renderObjectPage({ ...view, ...(look && { look }) });
}

test('nothing of the key of a certificate is shown or kept, from the first run to the last', async () => {
  // every line of it, as PEM and as bytes, in the encodings that it travels in
  const traces = keyOfPair('one')
    .split('\n')
    .filter((line) => line.length > 30 && !line.startsWith('-----'))
    .flatMap((line) => [
      line,
      Buffer.from(line).toString('base64').slice(0, 40),
      Buffer.from(line, 'base64').toString('hex'),
    ]);
  keepTlsSecret(it, 'one');
  const spec = { ports: [{ name: 'https', port: 443 }] };
  it.kube.apply(aService({ annotations: { [`${OWN}tls-secret`]: 'web-tls' }, spec }));

  const { everything } = await showAll();

  expect(it.cloud.listeners).toMatchObject([{ protocol: 'TERMINATED_HTTPS' }]);
  expect(everything).toContain('tls-secret');
  expect(traces.filter((trace) => everything.includes(trace))).toEqual([]);
});

test.each([
  ['markup', '<script>alert(1)</script><img src=x onerror=alert(1)>'],
  ['an escape of a terminal', '\u001b[2J\u001b[31mroot\u009b31m\u0007'],
  ['text that runs backwards, and what cannot be seen', '\u202egnp.exe\u200b\u2066x\u2028y'],
  ['a line of its own', 'x\n- lb and everything on it\n{"level":"ERROR"}'],
])('%s in an annotation is shown as what it is, everywhere', async (_, text) => {
  const annotations = {
    [`${OCCM}connection-limit`]: text,
    [`${OWN}monitor-url-path`]: text,
    [`${OCCM}floating-subnet`]: text,
    [`${OWN}tls-secret`]: text,
  };
  it.kube.apply(aService({ annotations }));
  const { terminal, page, told } = await showAll();

  expect(page).not.toMatch(/<img|<script>alert/);
  for (const shown of [terminal, page, told]) {
    expect(shown.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u202e\u2066\u200b\u2028]/u);
    expect(shown).not.toMatch(/^- lb and everything|^\{"level":"ERROR"\}/m);
  }
  expect(told.split('\n').filter((line) => line.includes('connection-limit')).length).toBeGreaterThan(0);
});

const LONG = 'x'.repeat(200_000);
const RANGES = '10.0.0.300/8,'.repeat(15_000);
const UNKNOWN = Array.from({ length: 2_000 }, (_, at) => [`${OWN}unknown-${at}`, 'x'.repeat(50)]);

test.each([
  ['a value', { [`${OCCM}connection-limit`]: LONG }],
  ['a list of ranges', { 'service.beta.kubernetes.io/load-balancer-source-ranges': RANGES }],
  ['a number of annotations that no row knows', Object.fromEntries(UNKNOWN) as Record<string, string>],
])('%s that is very large costs no more than a moment, and a short report', async (_, annotations) => {
  it.kube.apply(aService({ annotations }));
  const started = process.cpuUsage();
  const { told, terminal } = await showAll();

  expect(process.cpuUsage(started).user / 1_000).toBeLessThan(5_000);
  expect(readyOf(it)?.message.length ?? 0).toBeLessThan(8_000);
  expect(told.length).toBeLessThan(20_000);
  expect(terminal).not.toContain(LONG);
  for (const { message } of it.kube.list('Event', 'default'))
    expect(String(message).length).toBeLessThanOrEqual(1_024);
});
