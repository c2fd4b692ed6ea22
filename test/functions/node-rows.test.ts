import { expect, test } from 'vitest';
import { nodeRows, routesRow, type LastReport } from '../../functions/status-rows.ts';
import type { Node } from '../../shared/model/kubernetes.ts';
import { SERVER_GONE, UNINITIALIZED_TAINT } from '../../shared/model/node/node.ts';
import { READY_CONDITION } from '../../shared/model/ownership.ts';
import type { Report } from '../../shared/model/outcome.ts';
import type { Plan } from '../../shared/model/plan.ts';
import type { Key } from '../../shared/model/request.ts';

const PROVIDER_ID = 'openstack:///aaaaaaaa-0000-4000-8000-000000000001';
const PLAN: Plan = {
  object: 'node/a',
  services: [],
  steps: [],
  refused: [],
  awaitingApproval: [],
  problems: [],
  foreign: [],
};

function aNode(change: { spec?: object; status?: object; annotations?: Record<string, string> } = {}): Node {
  const { annotations = {}, spec = {}, status = {} } = change;
  const metadata = { name: 'a', uid: 'uid-a', resourceVersion: '1', annotations };
  return JSON.parse(JSON.stringify({ metadata, spec, status })) as Node;
}

const SINCE = '2026-11-21T01:00:00Z';

function told(status: 'True' | 'False', reason = 'x'): object {
  const condition = {
    type: READY_CONDITION,
    status,
    reason,
    message: 'in words',
    lastTransitionTime: SINCE,
  };
  return { conditions: [{ type: 'Ready', status: 'True' }, condition] };
}

function last(key: Key, change: Pick<Report, 'outcome'> & Partial<Report>): ReadonlyMap<Key, LastReport> {
  const request = { key, trigger: 'audit' } as const;
  const report = { request, applied: [], durationMs: 1, calls: 1, failedRequestIds: [], ...change };
  return new Map([[key, { at: '2026-11-21T03:00:00Z', report }]]);
}

const NONE: ReadonlyMap<Key, LastReport> = new Map();
const taints = [{ key: UNINITIALIZED_TAINT, effect: 'NoSchedule' }];

test.each([
  ['waits for its beginning', aNode({ spec: { taints } }), ['progressing', 'waits to be initialised']],
  [
    'lost its server',
    aNode({ annotations: { [SERVER_GONE]: '1 p r s' } }),
    ['progressing', 'its server does not exist; levelset looks for it once more'],
  ],
  ['was told what is wrong', aNode({ spec: { taints }, status: told('False') }), ['failed', 'in words']],
  ['waits for somebody', aNode({ status: told('False', 'NodeBlocked') }), ['blocked', 'in words']],
])('a Node that %s has a row', (_, node, [state, reason]) => {
  const since = state === 'progressing' ? {} : { since: SINCE };
  expect(nodeRows([node], NONE)).toEqual([{ object: 'node/a', state, reason, planSteps: 0, ...since }]);
});

test.each([
  ['says nothing', aNode({ spec: { providerID: PROVIDER_ID } })],
  ['was told that all is well again', aNode({ status: told('True') })],
])('a Node that %s has none', (_, node) => {
  expect(nodeRows([node], NONE)).toEqual([]);
});

test('the row names the server, and the addresses without the host name', () => {
  const addresses = [
    { type: 'InternalIP', address: '10.0.0.7' },
    { type: 'ExternalIP', address: '203.0.113.7' },
    { type: 'Hostname', address: 'a' },
  ];
  const node = aNode({
    spec: { providerID: PROVIDER_ID },
    status: { ...told('False'), addresses },
  });

  expect(nodeRows([node], NONE)).toMatchObject([
    { serverId: 'aaaaaaaa-0000-4000-8000-000000000001', address: '10.0.0.7, 203.0.113.7' },
  ]);
});

test('the last run comes before what the Node says, with what may be approved', () => {
  const refused = [{ address: 'node/a', kind: 'node', changes: [], reason: 'x', approval: 'abc' }] as const;
  const outcome = { status: 'blocked', reason: 'the deletion budget' } as const;
  const [row] = nodeRows([aNode()], last('node/a', { outcome, plan: { ...PLAN, refused } }));

  expect(row).toMatchObject({
    state: 'blocked',
    reason: 'the deletion budget; 1 change waits for approval',
    planSteps: 0,
    awaitingApproval: 1,
  });
  expect(row?.plan).toContain('approve with the annotation levelset.openstack.org/approve: abc');
  const looked = last('node/a', { outcome: { status: 'settled' }, plan: PLAN });
  expect(nodeRows([aNode({ status: told('False') })], looked)).toEqual([]);
});

test('an event that led to no read says nothing of the Node', () => {
  const node = aNode({ status: told('False') });

  expect(nodeRows([node], last('node/a', { outcome: { status: 'settled' } }))).toMatchObject([
    { state: 'failed', reason: 'in words' },
  ]);
});

test('routes have a row while a run says that they are not settled', () => {
  const outcome = { status: 'blocked', reason: 'the quota' } as const;

  expect(routesRow(last('routes', { outcome }))).toMatchObject([
    { object: 'routes', state: 'blocked', reason: 'the quota' },
  ]);
  expect(routesRow(last('routes', { outcome: { status: 'settled' }, plan: PLAN }))).toEqual([]);
  expect(routesRow(NONE)).toEqual([]);
});
