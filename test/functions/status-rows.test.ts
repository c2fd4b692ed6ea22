import { expect, test } from 'vitest';
import { goneRows, serviceRows, type LastReport } from '../../functions/status-rows.ts';
import type { Condition, Service } from '../../shared/model/kubernetes.ts';
import { FINALIZER, READY_CONDITION } from '../../shared/model/ownership.ts';
import type { ErrorCode } from '../../shared/model/errors.ts';
import type { Outcome } from '../../shared/model/outcome.ts';
import type { Key } from '../../shared/model/request.ts';
import { renderPage } from '../../shared/report/page/objects-page.ts';
import { DRIFT, PLAN } from '../http/test-server.ts';

/** As it comes from the wire: client-node's type is a class, whose literals the linter refuses. */
function aSpec(type: string, loadBalancerClass?: string): Service['spec'] {
  return JSON.parse(JSON.stringify({ type, loadBalancerClass })) as Service['spec'];
}

function aService(name: string, change: Partial<Service> = {}): Service {
  return {
    metadata: { name, namespace: 'shop', uid: name, resourceVersion: '1' },
    spec: aSpec('LoadBalancer'),
    ...change,
  };
}

function ready(status: Condition['status'], reason: string): NonNullable<Service['status']> {
  const condition = { type: READY_CONDITION, status, reason, message: 'in words', lastTransitionTime: '' };
  return { loadBalancer: { ingress: [{ ip: '203.0.113.10' }] }, conditions: [condition] };
}

const rows = (services: readonly Service[], reports = new Map<Key, LastReport>()): unknown =>
  serviceRows(services, {}, reports).map(({ object, state, reason, address }) => [
    object,
    state,
    reason,
    address,
  ]);

test('a Service that this process has not run is as its own status says', () => {
  expect(
    rows([
      aService('new'),
      aService('up', { status: ready('True', 'EnsuredLoadBalancer') }),
      aService('busy', { status: ready('False', 'EnsuringLoadBalancer') }),
      aService('bad', { status: ready('False', 'SyncLoadBalancerFailed') }),
      aService('bad-and-up', { status: ready('True', 'SyncLoadBalancerFailed') }),
      aService('stopped', { status: ready('False', 'LoadBalancerBlocked') }),
      aService('no-address', { status: ready('False', 'EnsuredLoadBalancer') }),
      aService('no-nodes', { status: ready('True', 'UnAvailableLoadBalancer') }),
    ]),
  ).toEqual([
    ['service/shop/new', 'unknown', 'no run yet', undefined],
    ['service/shop/up', 'settled', 'in words', '203.0.113.10'],
    ['service/shop/busy', 'progressing', 'in words', '203.0.113.10'],
    ['service/shop/bad', 'failed', 'in words', '203.0.113.10'],
    ['service/shop/bad-and-up', 'failed', 'in words', '203.0.113.10'],
    ['service/shop/stopped', 'blocked', 'in words', '203.0.113.10'],
    ['service/shop/no-address', 'settled', 'in words', '203.0.113.10'],
    ['service/shop/no-nodes', 'settled', 'in words', '203.0.113.10'],
  ]);
});

test('a problem is as old as the condition says, whenever this process began; a run that failed in an outage tells nothing', () => {
  const old = '2026-11-20T01:00:00Z';
  const seen = '2026-11-21T02:00:00Z';
  const since = (status: Condition['status'], outcome: Outcome): unknown => {
    const its = ready(status, status === 'False' ? 'LoadBalancerBlocked' : 'EnsuredLoadBalancer');
    const conditions = its.conditions?.map((one) => ({ ...one, lastTransitionTime: old }));
    const request = { key: 'service/shop/a', trigger: 'audit' } as const;
    const report = { request, outcome, applied: [], durationMs: 1, calls: 1, failedRequestIds: [] };
    const last = { report, at: '2026-11-21T03:00:00Z', since: seen };
    const reports = new Map([[request.key, last]] as const);
    const [row] = serviceRows(
      [aService('a', { status: { ...its, conditions: conditions ?? [] } })],
      {},
      reports,
    );
    return [row?.since, row?.unknownSince];
  };
  const failed = (code: ErrorCode): Outcome => ({ status: 'failed', code, message: 'x', retryAfterMs: 1 });
  expect(since('False', { status: 'blocked', reason: 'x' })).toEqual([old, undefined]);
  expect(since('True', { status: 'blocked', reason: 'x' })).toEqual([seen, undefined]);
  expect(since('True', failed('QUOTA_EXCEEDED'))).toEqual([seen, undefined]);
  expect(since('True', failed('CLOUD_UNAVAILABLE'))).toEqual([seen, seen]);
});

test('of several addresses every one is shown', () => {
  const ingress = [
    { ip: '203.0.113.10', ipMode: 'VIP' },
    { ip: 'fd00::5', ipMode: 'VIP' },
  ];
  const status = { ...ready('True', 'EnsuredLoadBalancer'), loadBalancer: { ingress } };
  expect(rows([aService('dual', { status })])).toEqual([
    ['service/shop/dual', 'settled', 'in words', '203.0.113.10, fd00::5'],
  ]);
});

test('the last run comes before the status', () => {
  const report: LastReport = {
    at: '2026-11-21T03:00:00Z',
    report: {
      request: { key: 'service/shop/up', trigger: 'audit' },
      outcome: { status: 'blocked', reason: 'no such subnet' },
      applied: [],
      durationMs: 1,
      calls: 1,
      failedRequestIds: [],
    },
  };
  const service = aService('up', { status: ready('True', 'EnsuredLoadBalancer') });

  expect(rows([service], new Map([['service/shop/up', report]]))).toEqual([
    ['service/shop/up', 'blocked', 'no such subnet', '203.0.113.10'],
  ]);
});

test('only who wants, or still holds, a load balancer is shown', () => {
  const plain = aService('plain', { spec: aSpec('ClusterIP') });
  const classed = aService('classed', { spec: aSpec('LoadBalancer', 'other') });
  const leaving = aService('leaving', {
    metadata: { ...aService('leaving').metadata, finalizers: [FINALIZER] },
    spec: aSpec('ClusterIP'),
  });

  expect(rows([plain, classed, leaving])).toEqual([
    ['service/shop/leaving', 'unknown', 'no run yet', undefined],
  ]);
});

test('a Service that was released has a row, one that never was ours has none', () => {
  const held = (name: string): Service['metadata'] => ({
    ...aService(name).metadata,
    finalizers: [FINALIZER],
  });
  const other = aSpec('LoadBalancer', 'other');
  const released = { metadata: held('let-go'), spec: other, status: ready('Unknown', 'Released') };
  const takenOver = { metadata: held('taken'), spec: other, status: ready('Unknown', 'TakenOver') };

  expect(
    rows([
      aService('a', released),
      aService('b', takenOver),
      aService('c', { metadata: held('theirs'), spec: other }),
    ]),
  ).toEqual([
    ['service/shop/let-go', 'blocked', 'in words', '203.0.113.10'],
    ['service/shop/taken', 'blocked', 'in words', '203.0.113.10'],
  ]);
});

test('a Service that is gone has a row while something of it is held back', () => {
  const report = (key: Key, status: 'blocked' | 'settled'): readonly [Key, LastReport] => {
    const outcome = status === 'blocked' ? { status, reason: 'in words' } : { status };
    const request = { key, trigger: 'sweep' } as const;
    const run = { request, outcome, applied: [], durationMs: 1, calls: 1, failedRequestIds: [] };
    return [key, { at: '2026-01-01T00:00:00Z', report: run }];
  };
  const reports = new Map([
    report('service/shop/gone', 'blocked'),
    report('service/shop/there', 'blocked'),
    report('service/shop/done', 'settled'),
    report('node/shop', 'blocked'),
  ]);

  const gone = goneRows([aService('there')], reports);

  expect(gone.map(({ object, state, reason }) => [object, state, reason])).toEqual([
    ['service/shop/gone', 'blocked', 'in words'],
  ]);
});

test('a change that waits for approval is on the row of a settled Service, and its plan can be opened', () => {
  const awaitingApproval = {
    verb: 'update',
    address: 'pool/tcp/80',
    kind: 'pool',
    changes: [],
    reason: 'x',
  } as const;
  const report: LastReport = {
    at: '2026-11-21T03:00:00Z',
    report: {
      request: { key: 'service/shop/up', trigger: 'sweep' },
      outcome: { status: 'settled' },
      plan: {
        object: 'service/shop/up',
        services: ['shop/up'],
        steps: [],
        refused: [],
        awaitingApproval: [{ ...awaitingApproval, approval: 'aaaaaaaaaaaa' }],
        problems: [{ field: 'lb-method', value: 'RANDOM', message: 'must be ROUND_ROBIN' }],
        foreign: [],
      },
      applied: [],
      durationMs: 1,
      calls: 1,
      failedRequestIds: [],
    },
  };
  const [row] = serviceRows([aService('up')], {}, new Map<Key, LastReport>([['service/shop/up', report]]));

  expect(row).toMatchObject({
    reason: 'as desired; 1 change waits for approval; lb-method "RANDOM" must be ROUND_ROBIN',
    planSteps: 0,
    awaitingApproval: 1,
    problems: 1,
  });
  expect(row?.plan).toContain('approve with the annotation levelset.openstack.org/approve: aaaaaaaaaaaa');
});

test('the row of each Service names those that share its load balancer', () => {
  const on = (name: string, id: string): Service =>
    aService(name, {
      metadata: {
        ...aService(name).metadata,
        annotations: { 'loadbalancer.openstack.org/load-balancer-id': id },
      },
    });
  const shown = serviceRows([on('a', '1'), on('b', '1'), on('c', '2'), aService('d')], {}, new Map());

  expect(shown.map(({ object, sharedWith }) => [object, sharedWith])).toEqual([
    ['service/shop/a', ['shop/b']],
    ['service/shop/b', ['shop/a']],
    ['service/shop/c', undefined],
    ['service/shop/d', undefined],
  ]);
});

test('drift is on the row of a settled Service, and on the page', () => {
  const at = '2026-11-21T03:00:00Z';
  const shown = (stays: boolean): readonly [string, string] => {
    const report = {
      request: { key: 'service/shop/up', trigger: 'sweep' },
      outcome: { status: 'settled' },
      plan: { ...PLAN, steps: [], drift: DRIFT, ...(stays ? { driftStays: true as const } : {}) },
      ...{ applied: [], durationMs: 1, calls: 1, failedRequestIds: [] },
    } as const;
    const rowsOf = serviceRows([aService('up')], {}, new Map([['service/shop/up', { at, report }]]));
    return [rowsOf[0]?.reason ?? '', renderPage({ cluster: 'prod', generatedAt: at, rows: rowsOf })];
  };

  const [reason, html] = shown(false);
  expect(reason).toBe('as desired; drift, 1 to update, 1 to create; levelset undoes it');
  expect(html).toContain('<summary>Plan: 2 of drift</summary>');
  const [left, listed] = shown(true);
  expect(left).toContain('levelset only adds what is missing (drift: report)');
  expect(listed).toContain(
    '~ pool/tcp/80: lb_algorithm: &quot;SOURCE_IP&quot; -&gt; &quot;ROUND_ROBIN&quot;',
  );
});
