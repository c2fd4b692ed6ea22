import { expect, test } from 'vitest';
import type { Applied } from '../../../shared/apply/apply.ts';
import { ReconcileError, type ErrorCode } from '../../../shared/model/errors.ts';
import type { Node, NodeCondition } from '../../../shared/model/kubernetes.ts';
import type { Outcome } from '../../../shared/model/outcome.ts';
import { READY_CONDITION } from '../../../shared/model/ownership.ts';
import type { Plan, Problem, Refusal, Step } from '../../../shared/model/plan.ts';
import type { NodeEvaluation } from '../../../shared/node/evaluate-node.ts';
import { NOTHING_WRITTEN, outcomeOfNode, summarizeNode } from '../../../shared/node/report/report-node.ts';

const NOW = Date.UTC(2026, 10, 21, 18);
const BEFORE = '2026-11-21T17:00:00Z';
const EMPTY = { services: [], steps: [], refused: [], awaitingApproval: [], problems: [], foreign: [] };
const PROBLEM: Problem = { field: 'metadata.name', value: 'a', message: 'is the name of no server' };
const OF_A = { address: 'node/a', kind: 'node' } as const;
const REFUSED: Refusal = { ...OF_A, changes: [], reason: 'too many at once', approval: 'abc' };

function evaluationOf(plan: Partial<Plan> = {}, told?: Partial<NodeCondition>, taint = 'x'): NodeEvaluation {
  const condition = told && { type: READY_CONDITION, lastTransitionTime: BEFORE, ...told };
  const node: Node = {
    metadata: { name: 'a', uid: 'uid-a', resourceVersion: '1' },
    spec: { taints: [{ key: taint, effect: 'NoSchedule' }] },
    status: { conditions: condition ? [condition as NodeCondition] : [] },
  };
  return { node, observed: [], plan: { unit: 'node/a', ...EMPTY, ...plan } };
}
const failed = (code: ErrorCode): Applied => ({
  ...NOTHING_WRITTEN,
  error: new ReconcileError(code, 'words'),
});

const again = { ...evaluationOf(), againInMs: 5_000 };
const approve: unknown = expect.stringContaining(
  'approve with the annotation levelset.openstack.org/approve: abc',
);
// prettier-ignore
test.each<readonly [which: string, evaluation: NodeEvaluation, applied: Applied, outcome: object]>([
  ['matches its server', evaluationOf(), NOTHING_WRITTEN, { status: 'settled' }],
  ['lost its server', again, NOTHING_WRITTEN, { status: 'progressing', retryAfterMs: 5_000 }],
  ['has a Problem', evaluationOf({ problems: [PROBLEM] }), NOTHING_WRITTEN, { status: 'blocked' }],
  ['may not go, and says how it may', evaluationOf({ refused: [REFUSED] }), NOTHING_WRITTEN, { status: 'blocked', reason: approve }],
  ['ran out of time', again, { ...NOTHING_WRITTEN, stopped: true }, { retryAfterMs: 0 }],
  ['changed meanwhile', again, failed('KUBE_CONFLICT'), { status: 'progressing', reason: 'words' }],
  ['was drawn for', again, failed('CHANGED_MEANWHILE'), { status: 'progressing', reason: 'words' }],
])('the outcome of a run for a Node that %s', (_, found, applied, outcome) => {
  expect(outcomeOfNode(found, applied)).toMatchObject(outcome);
});

const SETTLED: Outcome = { status: 'settled' };
const BLOCKED: Outcome = { status: 'blocked', reason: 'why' };
const failure = (code: ErrorCode): Outcome => ({ status: 'failed', code, message: 'why', retryAfterMs: 1 });
const WAITS: Outcome = { status: 'progressing', reason: 'why', retryAfterMs: 1 };
const told = { status: 'False', reason: 'NodeBlocked', message: 'why' } as const;
const WELL = { status: 'True', reason: 'Synced' } as const;
const FAILED = { status: 'False', reason: 'SyncNodeFailed' } as const;

// prettier-ignore
test.each<[which: string, before: Partial<NodeCondition> | undefined, outcome: Outcome, condition?: Partial<NodeCondition>, event?: string]>([
  ['is at work', undefined, SETTLED],
  ['was told before', told, BLOCKED],
  ['waits', told, WAITS],
  ['comes back by itself', told, failure('KUBE_UNAVAILABLE')],
  ['is blocked', undefined, BLOCKED, told, 'Warning SyncNodeFailed'],
  ['is blocked by something else', { ...told, message: 'other' }, BLOCKED, told, 'Warning SyncNodeFailed'],
  ['failed before in these words', { ...told, reason: 'x' }, BLOCKED, told, 'Warning SyncNodeFailed'],
  ['failed', undefined, failure('FORBIDDEN'), FAILED, 'Warning SyncNodeFailed'],
  ['is well again', told, SETTLED, WELL, 'Normal Synced'],
])('the condition of a Node that %s, and its Event', (_, before, outcome, condition, event) => {
  const evaluation = evaluationOf({}, before);
  const said = summarizeNode({ evaluation, applied: NOTHING_WRITTEN, outcome, now: NOW });
  expect(said.events.map(({ type, reason }) => `${type} ${reason}`)).toEqual(event === undefined ? [] : [event]);
  if (condition === undefined) expect(said).not.toHaveProperty('condition');
  else {
    expect(said.condition).toMatchObject({ type: READY_CONDITION, ...condition });
    const stays = before?.status === condition.status;
    expect(said.condition?.lastTransitionTime).toBe(stays ? BEFORE : '2026-11-21T18:00:00Z');
  }
});

const SPECIAL = 'node.cloudprovider.kubernetes.io/uninitialized';
const patch = (kind: 'node' | 'nodestatus'): Step => ({
  ...{ verb: 'update', kind, address: `${kind}/a`, id: 'uid-a', changes: [] },
});
test.each<readonly [what: string, taint: string, step: Step, events: readonly string[]]>([
  ['deleted', 'x', { ...OF_A, verb: 'delete', id: 'uid-a', because: '' }, ['DeletingNode']],
  ['initialised', SPECIAL, patch('node'), ['Synced']],
  ['given addresses', SPECIAL, patch('nodestatus'), []],
  ['kept level', 'x', patch('node'), []],
])('that a Node was %s is an Event, or none', (_, taint, step, events) => {
  const evaluation = evaluationOf({}, undefined, taint);
  const applied = { ...NOTHING_WRITTEN, steps: [step] };
  const said = summarizeNode({ evaluation, applied, outcome: SETTLED, now: NOW });
  expect(said.events.map(({ reason }) => reason)).toEqual(events);
});
