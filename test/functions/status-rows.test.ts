/** Rows of the page: what an object says of itself, or else its last run in this process. */
import { expect, test } from 'vitest';
import { goneRows, nodeRows, routesRow, serviceRows, type LastReport } from '../../functions/status-rows.ts';
import type { Condition, Node, Service } from '../../shared/model/kubernetes.ts';
import { SERVER_GONE, UNINITIALIZED_TAINT } from '../../shared/model/node/node.ts';
import { FINALIZER, LOAD_BALANCER_ID, READY_CONDITION } from '../../shared/model/ownership.ts';
import type { ErrorCode } from '../../shared/model/errors.ts';
import type { Outcome, Report } from '../../shared/model/outcome.ts';
import type { Key } from '../../shared/model/request.ts';
import type { StatusRow } from '../../shared/report/page.ts';
import { DRIFT, PLAN as WITH_STEP } from '../http/test-server.ts';

const PLAN = { ...WITH_STEP, steps: [] };
const SINCE = '2026-11-20T01:00:00Z';
const SEEN = '2026-11-21T02:00:00Z';
const AT = '2026-11-21T03:00:00Z';
const SETTLED: Outcome = { status: 'settled' };
const BLOCKED: Outcome = { status: 'blocked', reason: 'no such subnet' };
const failed = (code: ErrorCode): Outcome => ({ status: 'failed', code, message: 'x', retryAfterMs: 1 });
const EVALUATED = { outcome: SETTLED, plan: PLAN };

type Written = { readonly name?: string } & Readonly<Partial<Record<'metadata' | 'spec' | 'status', object>>>;

/** As it comes from the wire. */
function anObject({ name = 'web', metadata, spec, status }: Written, namespace?: string): unknown {
  const its = { name, namespace, uid: name, resourceVersion: '1', ...metadata };
  return JSON.parse(JSON.stringify({ metadata: its, spec, status }));
}
const aService = ({ spec, ...its }: Written = {}): Service =>
  anObject({ ...its, spec: { type: 'LoadBalancer', ...spec } }, 'shop') as Service;
const aNode = (its: Written = {}): Node => anObject({ name: 'a', spec: {}, ...its }) as Node;

function told(status: Condition['status'], reason: string, ...ips: readonly string[]): object {
  const condition = { type: READY_CONDITION, status, reason, message: 'in words', lastTransitionTime: SINCE };
  return { loadBalancer: { ingress: ips.map((ip) => ({ ip })) }, conditions: [condition] };
}

type Run = Pick<Report, 'outcome'> & Partial<Report>;

function rowsOf(
  { services = [], nodes = [] }: { services?: readonly Service[]; nodes?: readonly Node[] },
  runs: Readonly<Record<string, Run>> = {},
): readonly StatusRow[] {
  const last = ([key, run]: [string, Run]): [Key, LastReport] => {
    const request = { key: key as Key, trigger: 'audit' } as const;
    const report = { request, applied: [], durationMs: 1, calls: 1, failedRequestIds: [], ...run };
    return [request.key, { at: AT, since: SEEN, report }];
  };
  const reports = new Map(Object.entries(runs).map(last));
  return [
    ...serviceRows(services, {}, reports),
    ...goneRows(services, reports),
    ...nodeRows(nodes, reports),
    ...routesRow(reports),
  ];
}

test.each([
  ['True', 'EnsuredLoadBalancer', 'settled'],
  ['False', 'EnsuredLoadBalancer', 'settled'],
  ['True', 'UnAvailableLoadBalancer', 'settled'],
  ['False', 'EnsuringLoadBalancer', 'progressing'],
  ['False', 'SyncLoadBalancerFailed', 'failed'],
  ['True', 'SyncLoadBalancerFailed', 'failed'],
  ['False', 'LoadBalancerBlocked', 'blocked'],
] as const)('a Service that was not run here is as its status says: %s %s', (ready, reason, state) => {
  const address = '203.0.113.10, fd00::5';
  const its = { object: 'service/shop/web', state, reason: 'in words', planSteps: 0, address };
  const status = told(ready, reason, '203.0.113.10', 'fd00::5');
  expect(rowsOf({ services: [aService({ status })] })).toMatchObject([its]);
});

test.each<[string, Condition['status'], Outcome, Pick<StatusRow, 'since' | 'unknownSince'>]>([
  ['as old as the condition says', 'False', BLOCKED, { since: SINCE }],
  ['as old as this process knows', 'True', BLOCKED, { since: SEEN }],
  ['as old as this process knows, too', 'True', failed('QUOTA_EXCEEDED'), { since: SEEN }],
  ['not known in an outage', 'True', failed('CLOUD_UNAVAILABLE'), { since: SEEN, unknownSince: SEEN }],
])('a problem is %s', (_, ready, outcome, expected) => {
  const status = told(ready, ready === 'False' ? 'LoadBalancerBlocked' : 'EnsuredLoadBalancer');
  const [row] = rowsOf({ services: [aService({ status })] }, { 'service/shop/web': { outcome } });
  const { since, unknownSince } = row ?? {};
  expect({ since, unknownSince }).toEqual({ unknownSince: undefined, ...expected });
});

test('only who wants, holds or held a load balancer has a row, and a Service that is gone while something of it stays', () => {
  const held = { finalizers: [FINALIZER] };
  const other = { loadBalancerClass: 'other' };
  const services = [
    aService({ name: 'new' }),
    aService({ name: 'plain', spec: { type: 'ClusterIP' } }),
    aService({ name: 'classed', spec: other }),
    aService({ name: 'theirs', spec: other, metadata: held }),
    aService({ name: 'leaving', spec: { type: 'ClusterIP' }, metadata: held }),
    aService({ name: 'let-go', spec: other, metadata: held, status: told('Unknown', 'Released') }),
    aService({ name: 'taken', spec: other, metadata: held, status: told('Unknown', 'TakenOver') }),
  ];
  const runs = {
    'service/shop/gone': { outcome: BLOCKED },
    'service/shop/done': { outcome: SETTLED },
    'node/shop': { outcome: BLOCKED },
  };
  const rows = rowsOf({ services }, runs);
  expect(rows.map(({ object, state, reason }) => `${object} ${state} ${reason}`)).toEqual([
    'service/shop/new unknown no run yet',
    'service/shop/leaving unknown no run yet',
    'service/shop/let-go blocked in words',
    'service/shop/taken blocked in words',
    'service/shop/gone blocked no such subnet',
  ]);
});

test('the last run comes before the status; what waits for approval, what has no effect and drift are on the row of a settled Service', () => {
  const change = { address: 'pool/tcp/80', kind: 'pool', changes: [], reason: 'x' } as const;
  const plan = {
    ...{ ...PLAN, drift: DRIFT },
    awaitingApproval: [{ ...change, verb: 'update' as const, approval: 'aaaaaaaaaaaa' }],
    refused: [{ ...change, approval: 'bbbbbbbbbbbb' }],
    problems: [{ field: 'lb-method', value: 'RANDOM', message: 'must be ROUND_ROBIN' }],
  };
  const services = [aService({ status: told('False', 'SyncLoadBalancerFailed') })];
  const [row] = rowsOf({ services }, { 'service/shop/web': { outcome: SETTLED, plan } });
  expect(row).toMatchObject({
    reason:
      'as desired; 2 changes wait for approval; lb-method "RANDOM" must be ROUND_ROBIN; drift, 1 to update, 1 to create; levelset undoes it',
    ...{ state: 'settled', planSteps: 0, awaitingApproval: 2, problems: 1, drift: 2 },
    plan: expect.stringContaining(
      'approve with the annotation levelset.openstack.org/approve: bbbbbbbbbbbb,aaaaaaaaaaaa',
    ) as string,
  });
  const stays = { outcome: SETTLED, plan: { ...plan, driftStays: true as const } };
  const [left] = rowsOf({ services }, { 'service/shop/web': stays });
  expect(left?.reason).toContain('levelset only adds what is missing (drift: report)');
  expect(left?.plan).toContain('~ pool/tcp/80: lb_algorithm: "SOURCE_IP" -> "ROUND_ROBIN"');
});

test('the row of each Service names those that share its load balancer', () => {
  const on = (name: string, id: string): Service =>
    aService({ name, metadata: { annotations: { [LOAD_BALANCER_ID]: id } } });
  const services = [on('a', '1'), on('b', '1'), on('c', '2'), aService({ name: 'd' })];
  const shared = rowsOf({ services }).map(({ sharedWith }) => sharedWith);
  expect(shared).toEqual([['shop/b'], ['shop/a'], undefined, undefined]);
});

const taints = [{ key: UNINITIALIZED_TAINT, effect: 'NoSchedule' }];
const annotations = { [SERVER_GONE]: '1 p r s' };
const gone = 'its server does not exist; levelset looks for it once more before it deletes the Node';

test.each<[string, Written, Run | undefined, string | undefined]>([
  ['waits for its beginning', { spec: { taints } }, undefined, 'progressing waits to be initialised'],
  ['lost its server', { metadata: { annotations } }, undefined, `progressing ${gone}`],
  ['was told what is wrong', { spec: { taints }, status: told('False', 'x') }, undefined, 'failed in words'],
  ['waits for somebody', { status: told('False', 'NodeBlocked') }, undefined, 'blocked in words'],
  ['says nothing', {}, undefined, undefined],
  ['was told that all is well again', { status: told('True', 'x') }, undefined, undefined],
  ['is blocked by its last run', {}, { outcome: BLOCKED }, 'blocked no such subnet'],
  ['was well in its last run', { status: told('False', 'x') }, EVALUATED, undefined],
  ['had an event without a read', { status: told('False', 'x') }, { outcome: SETTLED }, 'failed in words'],
])('a Node that %s has its row, or none', (_, its, run, expected) => {
  const rows = rowsOf({ nodes: [aNode(its)] }, run && { 'node/a': run });
  const told = rows.map(({ state, reason }) => `${state} ${reason}`);
  expect(told).toEqual(expected === undefined ? [] : [expected]);
});

test('the row of a Node names its server, and the addresses without the host name', () => {
  const serverId = 'aaaaaaaa-0000-4000-8000-000000000001';
  const addresses = [
    { type: 'InternalIP', address: '10.0.0.7' },
    { type: 'ExternalIP', address: '203.0.113.7' },
    { type: 'Hostname', address: 'a' },
  ];
  const spec = { providerID: `openstack:///${serverId}` };
  const nodes = [aNode({ spec, status: { ...told('False', 'x'), addresses } })];
  expect(rowsOf({ nodes })).toMatchObject([{ serverId, since: SINCE, address: '10.0.0.7, 203.0.113.7' }]);
});

test('routes have a row while a run says that they are not settled', () => {
  const blocked = { object: 'routes', state: 'blocked' };
  expect(rowsOf({}, { routes: { outcome: BLOCKED } })).toMatchObject([blocked]);
  expect(rowsOf({}, { routes: EVALUATED })).toEqual([]);
});
