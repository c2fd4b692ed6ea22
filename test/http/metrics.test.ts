import { expect, test } from 'vitest';
import {
  createMetrics,
  createMetricsByCluster,
  UnsettledObjects,
  type Metrics,
} from '../../functions/metrics.ts';
import type { Outcome } from '../../shared/model/outcome.ts';
import type { Plan } from '../../shared/model/plan.ts';
import type { Key, ReconcileRequest } from '../../shared/model/request.ts';
import { DRIFT, PLAN, report } from './test-server.ts';

/** Lines of the scrape that begin like this. */
const scraped = async (metrics: Pick<Metrics, 'scrape'>, start = ''): Promise<readonly string[]> =>
  (await metrics.scrape()).body.split('\n').filter((line) => line.startsWith(start));

test('the end of each certificate is scraped with its Service, while that uses it', async () => {
  const metrics = createMetrics();
  const named = (...names: readonly string[]) =>
    names.map((name) => ({ name, notAfter: '2026-12-01T00:00:00Z' }));
  metrics.setCertificates('service/shop/web', named('web-tls', 'old-tls'));
  metrics.setCertificates('service/shop/api', named('api-tls'));
  metrics.setCertificates('service/shop/web', named('web-tls'));
  metrics.setCertificates('service/shop/api', []);
  const labels = '{namespace="shop",service="web",name="web-tls"}';
  expect(await scraped(metrics, 'levelset_certificate_')).toEqual([
    `levelset_certificate_not_after_seconds${labels} 1796083200`,
  ]);
});

test('every other metric is scraped with its labels, and none has a namespace or name', async () => {
  const metrics = createMetrics();
  metrics.observeReconcile(report({ key: 'service/shop/web', trigger: 'audit' }, { status: 'settled' }));
  metrics.observeCall({ service: 'octavia', method: 'POST', status: 201, durationMs: 80 });
  metrics.observeCall({ service: 'neutron', method: 'GET', durationMs: 30_000 });
  metrics.observeCall({ service: 'kubernetes', method: 'PATCH', status: 409, durationMs: 5 });
  metrics.setQueue({ depth: 3, oldestMs: 1500 });
  metrics.setLoadBalancers({ ERROR: 1 });
  metrics.setLoadBalancers({ ACTIVE: 2 });
  metrics.observeSweep('failed');
  metrics.observeAudit({ accepted: 4, skipped: 1, ignored: 0 });

  const { contentType, body } = await metrics.scrape();
  expect(contentType).toMatch('version=0.0.4');
  const lines = body.split('\n');
  expect(lines).toEqual(
    expect.arrayContaining([
      'levelset_reconcile_total{object="service",outcome="settled"} 1',
      'levelset_reconcile_duration_seconds_bucket{le="0.05",object="service",outcome="settled"} 1',
      'levelset_openstack_requests_total{service="octavia",method="POST",status="201"} 1',
      'levelset_openstack_requests_total{service="neutron",method="GET",status="none"} 1',
      'levelset_openstack_request_duration_seconds_count{service="octavia",method="POST"} 1',
      'levelset_kube_requests_total{method="PATCH",status="409"} 1',
      'levelset_queue_depth 3',
      'levelset_queue_oldest_seconds 1.5',
      'levelset_load_balancers{state="ACTIVE"} 2',
      'levelset_sweeps_total{result="failed"} 1',
      'levelset_audit_events_total{result="accepted"} 4',
      'levelset_audit_events_total{result="skipped"} 1',
    ]),
  );
  expect(lines.filter((line) => line.includes('state="ERROR"'))).toEqual([]);
  expect(body).toContain('process_cpu_seconds_total');
  expect(body).toContain('nodejs_eventloop_lag_p99_seconds');
  expect(body).not.toMatch(/shop|web/);
});

test('Nodes and load balancers that are deleted, and those that are refused to be, are counted; a dry run is not', async () => {
  const metrics = createMetrics();
  const deleting = (kind: 'node' | 'loadbalancer' | 'pool'): Plan['steps'][number] => ({
    ...{ verb: 'delete', kind, address: kind, id: kind, because: '' },
  });
  const refusing = (kind: 'node' | 'loadbalancer', changes: Plan['refused'][number]['changes'] = []) => {
    const reason = 'the deletion budget';
    return { plan: { ...PLAN, refused: [{ kind, address: kind, changes, reason, approval: 'abc' }] } };
  };
  const moved = [{ attribute: 'providerID', from: 'openstack:///1', to: 'openstack:///2' }];
  const observe = (key: ReconcileRequest['key'], more: object, dryRun = false): void => {
    const request: ReconcileRequest = { key, trigger: 'audit', dryRun };
    metrics.observeReconcile({ ...report(request, { status: 'blocked', reason: 'x' }), ...more });
  };
  observe('node/a', { applied: [deleting('node')] });
  observe('node/b', refusing('node'));
  observe('node/b', refusing('node', moved));
  observe('node/b', refusing('node'), true);
  observe('service/shop/web', { applied: [deleting('loadbalancer'), deleting('pool')] });
  observe('service/shop/web', refusing('loadbalancer'));

  expect(await scraped(metrics, 'levelset_deletions_total')).toEqual([
    'levelset_deletions_total{object="node",result="deleted"} 1',
    'levelset_deletions_total{object="node",result="refused"} 1',
    'levelset_deletions_total{object="loadbalancer",result="deleted"} 1',
    'levelset_deletions_total{object="loadbalancer",result="refused"} 1',
  ]);
  expect(await scraped(metrics)).toContain('levelset_reconcile_total{object="node",outcome="blocked"} 4');
});

test('drift is counted by its kind, as repaired or only reported; a dry run is not', async () => {
  const metrics = createMetrics();
  const request: ReconcileRequest = { key: 'service/shop/web', trigger: 'sweep' };
  const drifted = (driftStays?: true) => ({
    ...report(request, { status: 'settled' }),
    plan: { ...PLAN, drift: DRIFT, ...(driftStays && { driftStays }) },
  });
  metrics.observeReconcile(drifted());
  metrics.observeReconcile(drifted(true));
  metrics.observeReconcile({ ...drifted(), request: { ...request, dryRun: true } });
  metrics.observeReconcile(report(request, { status: 'settled' }));

  expect(await scraped(metrics, 'levelset_drift_total')).toEqual([
    'levelset_drift_total{kind="pool",result="repaired"} 1',
    'levelset_drift_total{kind="member",result="repaired"} 1',
    'levelset_drift_total{kind="pool",result="reported"} 1',
    'levelset_drift_total{kind="member",result="reported"} 1',
  ]);
});

test('of several clusters each has its own series, and one that is gone has none', async () => {
  const metrics = createMetricsByCluster();
  const seriesOf = (name: string) => scraped(metrics, `${name}{`);
  const [a, b] = [metrics.of('a'), metrics.of('b')];
  for (const [cluster, depth] of [[a, 1] as const, [b, 2] as const]) {
    cluster.setQueue({ depth, oldestMs: 0 });
    cluster.setLoadBalancers({ ACTIVE: depth, ERROR: 1 });
    cluster.setWebhook({ refused: { token: depth } });
    cluster.observeSweep('found');
  }
  a.setLoadBalancers({ ACTIVE: 3 });
  b.setWebhook({ refused: { token: 5 } });
  metrics.setServed(new Map(Object.entries({ a: true, b: false })));

  const ofBoth = (name: string, a: number, b: number) => [
    `${name}{cluster="a"} ${a}`,
    `${name}{cluster="b"} ${b}`,
  ];
  expect(await seriesOf('levelset_queue_depth')).toEqual(ofBoth('levelset_queue_depth', 1, 2));
  expect((await seriesOf('levelset_load_balancers')).toSorted()).toEqual([
    'levelset_load_balancers{cluster="a",state="ACTIVE"} 3',
    'levelset_load_balancers{cluster="b",state="ACTIVE"} 2',
    'levelset_load_balancers{cluster="b",state="ERROR"} 1',
  ]);
  expect(await seriesOf('levelset_audit_refusals_total')).toEqual([
    'levelset_audit_refusals_total{cluster="a",reason="token"} 1',
    'levelset_audit_refusals_total{cluster="b",reason="token"} 5',
  ]);
  expect(await seriesOf('levelset_cluster_served')).toEqual(ofBoth('levelset_cluster_served', 1, 0));

  await metrics.forget('b');
  const { body } = await metrics.scrape();
  expect(body).toContain('levelset_sweeps_total{cluster="a",result="found"} 1');
  expect(body).not.toContain('cluster="b"');
});

const PROGRESSING: Outcome = { status: 'progressing', reason: '', retryAfterMs: 0 };
const FAILED: Outcome = { status: 'failed', code: 'CLOUD_UNAVAILABLE', message: '', retryAfterMs: 0 };
const BLOCKED: Outcome = { status: 'blocked', reason: '' };
const SETTLED: Outcome = { status: 'settled' };

/** Runs that take no time, by their moment in milliseconds; an `early` one fails before it has a plan. */
function runs(key: Key = 'service/shop/web') {
  let nowMs = 0;
  const objects = new UnsettledObjects(() => nowMs);
  const ends = (atMs: number, outcome: Outcome | 'early', address?: string): number | undefined => {
    nowMs = atMs;
    const isEarly = outcome === 'early';
    const { plan, ...ended } = report({ key, trigger: 'audit' }, isEarly ? FAILED : outcome);
    return objects.note({
      ...{ ...ended, durationMs: 0 },
      ...(plan && !isEarly && { plan }),
      ...(address !== undefined && { address }),
    });
  };
  return { objects, ends };
}

type Ends = Parameters<ReturnType<typeof runs>['ends']>;
const IP = '192.0.2.1';
// prettier-ignore
test.each<[string, ends: readonly Ends[], waitedMs: readonly number[], key?: Key]>([
  ['a Service from its first run on, failures included, and once', [[1_000, 'early'], [5_000, PROGRESSING], [31_000, SETTLED, IP], [40_000, SETTLED, IP]], [30_000]],
  ['not one that had its address before an outage', [[0, 'early'], [60_000, PROGRESSING, IP], [61_000, SETTLED, IP]], []],
  ['one whose owner has to act, but not meanwhile', [[0, BLOCKED], [100_000, PROGRESSING], [120_000, SETTLED, IP]], [20_000]],
  ['not one that is deleted', [[0, PROGRESSING], [1_000, SETTLED]], []],
  ['not a Node', [[0, PROGRESSING], [1_000, SETTLED, IP]], [], 'node/node-1'],
])('who waits for an address: %s', (_, all, waitedMs, key) => {
  const { ends } = runs(key);
  expect(all.flatMap((one) => ends(...one) ?? [])).toEqual(waitedMs);
});

test('an object is as old as its first run that was not settled, in whatever state, but a dry run, and blocked begins anew', () => {
  const { objects, ends } = runs('node/node-1');
  ends(0, PROGRESSING);
  ends(60_000, FAILED);
  expect(objects.view().oldestMs).toEqual({ progressing: 0, failed: 60_000, blocked: 0 });
  ends(70_000, BLOCKED);
  ends(80_000, BLOCKED);
  expect(objects.view()).toEqual({
    count: { progressing: 0, failed: 0, blocked: 1 },
    oldestMs: { progressing: 0, failed: 0, blocked: 10_000 },
  });
  ends(90_000, SETTLED);
  objects.note(report({ key: 'service/shop/web', trigger: 'resync', dryRun: true }, PROGRESSING));
  expect(objects.view().count).toEqual({ progressing: 0, failed: 0, blocked: 0 });
});
