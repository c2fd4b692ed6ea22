import { describe, expect, test } from 'vitest';
import { createLog, reconcileLine } from '../../functions/log.ts';
import { readResync } from '../../functions/resync.ts';
import type { Outcome, Report } from '../../shared/model/outcome.ts';
import type { Plan } from '../../shared/model/plan.ts';
import { printedBy } from '../support/for-one-test.ts';
import { DRIFT, PLAN, report } from './test-server.ts';

async function printed(write: (log: ReturnType<typeof createLog>) => unknown) {
  const lines = await printedBy(() => write(createLog('debug')));
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

describe('createLog', () => {
  test('writes one JSON line per call, the field "service" under another name', async () => {
    const lines = await printed((log) => {
      log.info('settled', { object: 'shop/web', service: 'octavia' });
      log.error('failed', { error: new Error('top', { cause: new Error('inner') }) });
    });
    expect(lines).toMatchObject([
      {
        ...{ level: 'INFO', message: 'settled', service: 'levelset' },
        ...{ object: 'shop/web', field_service: 'octavia' },
      },
      { level: 'ERROR', message: 'failed', error: { message: 'top', cause: { message: 'inner' } } },
    ]);
  });

  test('never prints what looks like a secret, at any depth', async () => {
    const sensitive = {
      'X-Auth-Token': 'hunter2',
      password: 'hunter2',
      deep: [{ OS_APPLICATION_CREDENTIAL_SECRET: 'hunter2', headers: { Authorization: 'Bearer hunter2' } }],
      error: Object.assign(new Error('no'), { options: { token: 'hunter2' } }),
    };
    const lines = await printed((log) => {
      log.warn('refused', sensitive);
    });
    expect(JSON.stringify(lines)).not.toContain('hunter2');
    const deep = [{ headers: { Authorization: '[redacted]' } }];
    expect(lines).toMatchObject([{ password: '[redacted]', deep }]);
  });
});

describe('reconcileLine', () => {
  const request = { key: 'service/shop/web', trigger: 'audit', cause: 'audit-1' } as const;

  test('prints a settled run in short, and of one that failed why, and by which requests', () => {
    const line = (outcome: Outcome, more: Partial<Report>): unknown =>
      reconcileLine({ ...report(request, outcome), ...more }, (plan) => `${plan.steps.length} to delete`);
    const its = {
      ...{ object: 'service/shop/web', trigger: 'audit', cause: 'audit-1' },
      ...{ plan: '1 to delete', applied: 0, duration_ms: 12, calls: 3 },
    };
    const found = { loadBalancerId: 'lb-1', address: '203.0.113.7' };
    const settled = { ...its, outcome: 'settled', load_balancer: 'lb-1', address: '203.0.113.7' };
    expect(line({ status: 'settled' }, found)).toEqual(settled);
    const quota = { status: 'failed', code: 'QUOTA_EXCEEDED', message: 'no more', retryAfterMs: 1 } as const;
    expect(line(quota, { failedRequestIds: ['req-1'] })).toMatchObject({
      ...{ ...its, outcome: 'failed', reason: 'no more', code: 'QUOTA_EXCEEDED' },
      openstack_request_ids: ['req-1'],
    });
  });

  const KEYS = ['service/shop/web', 'node/worker-7', 'routes'] as const;
  test.each(KEYS)('names %s as a resync takes it', (key) => {
    const { object } = reconcileLine(report({ ...request, key }, { status: 'settled' }), () => '');
    expect(readResync({ objects: [object] })).toMatchObject({ objects: [key] });
  });

  test('prints drift, the first ten steps in words, and whether it stays', () => {
    const drift = Array.from({ length: 12 }, (_, at) => DRIFT[at % 2] ?? []).flat();
    const plan: Plan = { ...PLAN, drift, driftStays: true };
    const drifted = { ...report(request, { status: 'settled' }), plan };
    const line = reconcileLine(drifted, () => '');
    expect(line).toMatchObject({ drift_count: 12, drift_stays: true });
    expect(line['drift']).toHaveLength(10);
    const steps = [
      '~ pool/tcp/80: lb_algorithm: "SOURCE_IP" -> "ROUND_ROBIN"',
      '+ member/tcp/80/10.0.0.7:30080',
    ];
    expect(line['drift']).toEqual(expect.arrayContaining(steps));
  });
});
