import { describe, expect, test } from 'vitest';
import type { Applied } from '../../../shared/apply/apply.ts';
import { ReconcileError } from '../../../shared/model/errors.ts';
import type { ErrorCode } from '../../../shared/model/errors.ts';
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
const REFUSED: Refusal = {
  address: 'node/a',
  kind: 'node',
  changes: [],
  reason: 'too many at once',
  approval: 'abc',
};

const aNode = (change: {
  readonly taints?: readonly string[];
  readonly told?: Partial<NodeCondition>;
}): Node => {
  const { taints = [], told } = change;
  const condition = told && { type: READY_CONDITION, lastTransitionTime: BEFORE, ...told };
  return {
    metadata: { name: 'a', uid: 'uid-a', resourceVersion: '1' },
    spec: { taints: taints.map((key) => ({ key, effect: 'NoSchedule' })) },
    status: { conditions: condition ? [condition as NodeCondition] : [] },
  };
};
const anEvaluation = (node: Node, plan: Partial<Plan> = {}): NodeEvaluation => ({
  ...{ node, observed: [] },
  plan: { unit: 'node/a', ...EMPTY, ...plan },
});
const failed = (code: ErrorCode): Applied => ({
  ...NOTHING_WRITTEN,
  error: new ReconcileError(code, 'words'),
});

describe('the outcome of a run for a Node', () => {
  const evaluation = anEvaluation(aNode({}));
  const again = { ...evaluation, againInMs: 5_000 };
  // prettier-ignore
  test.each<readonly [which: string, evaluation: NodeEvaluation, applied: Applied, outcome: object]>([
    ['the Node matches its server', evaluation, NOTHING_WRITTEN, { status: 'settled' }],
    ['lost its server', again, NOTHING_WRITTEN, { status: 'progressing', retryAfterMs: 5_000 }],
    ['has a Problem', anEvaluation(evaluation.node, { problems: [PROBLEM] }), NOTHING_WRITTEN, { status: 'blocked' }],
    ['may not go', anEvaluation(evaluation.node, { refused: [REFUSED] }), NOTHING_WRITTEN, { status: 'blocked' }],
    ['ran out of time', again, { ...NOTHING_WRITTEN, stopped: true }, { retryAfterMs: 0 }],
    ['changed meanwhile', again, failed('KUBE_CONFLICT'), { status: 'progressing', reason: 'words' }],
    ['was drawn for', again, failed('CHANGED_MEANWHILE'), { status: 'progressing', reason: 'words' }],
  ])('one that %s', (_, found, applied, outcome) => {
    expect(outcomeOfNode(found, applied)).toMatchObject(outcome);
  });

  test('a Node that is refused to go says how it may', () => {
    const { reason = '' } = outcomeOfNode(
      anEvaluation(evaluation.node, { refused: [REFUSED] }),
      NOTHING_WRITTEN,
    ) as { reason?: string };
    expect(reason).toContain('approve with the annotation levelset.openstack.org/approve: abc');
  });
});

describe('the condition of a Node', () => {
  const SETTLED: Outcome = { status: 'settled' };
  const BLOCKED: Outcome = { status: 'blocked', reason: 'why' };
  const RETRY: Outcome = { status: 'failed', code: 'KUBE_UNAVAILABLE', message: 'why', retryAfterMs: 1 };
  const FORBIDDEN: Outcome = { status: 'failed', code: 'FORBIDDEN', message: 'why', retryAfterMs: 1 };
  const WAITS: Outcome = { status: 'progressing', reason: 'why', retryAfterMs: 1 };
  const told = { status: 'False', reason: 'NodeBlocked', message: 'why' } as const;
  const summary = (node: Node, outcome: Outcome, applied = NOTHING_WRITTEN) =>
    summarizeNode({ evaluation: anEvaluation(node), applied, outcome, now: NOW });

  test.each<readonly [which: string, told: Partial<NodeCondition> | undefined, outcome: Outcome]>([
    ['is at work', undefined, SETTLED],
    ['was told before', told, BLOCKED],
    ['waits', told, WAITS],
    ['comes back by itself', told, RETRY],
  ])('one that %s: nothing', (_, before, outcome) => {
    expect(summary(aNode(before ? { told: before } : {}), outcome)).toEqual({ events: [] });
  });

  test.each<
    readonly [
      which: string,
      told: Partial<NodeCondition> | undefined,
      outcome: Outcome,
      condition: Partial<NodeCondition>,
      event: string,
    ]
  >([
    ['is blocked', undefined, BLOCKED, told, 'Warning SyncNodeFailed'],
    ['is blocked by something else', { ...told, message: 'other' }, BLOCKED, told, 'Warning SyncNodeFailed'],
    ['failed before in these words', { ...told, reason: 'x' }, BLOCKED, told, 'Warning SyncNodeFailed'],
    ['failed', undefined, FORBIDDEN, { status: 'False', reason: 'SyncNodeFailed' }, 'Warning SyncNodeFailed'],
    ['is well again', told, SETTLED, { status: 'True', reason: 'Synced' }, 'Normal Synced'],
  ])('one that %s: a condition, and an Event', (_, before, outcome, condition, event) => {
    const said = summary(aNode(before ? { told: before } : {}), outcome);
    expect(said.condition).toMatchObject({ type: READY_CONDITION, ...condition });
    expect(said.events.map(({ type, reason }) => `${type} ${reason}`)).toEqual([event]);
    const stays = before?.status === condition.status;
    expect(said.condition?.lastTransitionTime).toBe(stays ? BEFORE : '2026-11-21T18:00:00Z');
  });

  // prettier-ignore
  test.each<readonly [what: string, taint: string, step: Step, events: readonly string[]]>([
    ['deleted', 'x', { verb: 'delete', kind: 'node', address: 'node/a', id: 'uid-a', because: '' }, ['DeletingNode']],
    ['initialised', 'node.cloudprovider.kubernetes.io/uninitialized', patch('node'), ['Synced']],
    ['given addresses', 'node.cloudprovider.kubernetes.io/uninitialized', patch('nodestatus'), []],
    ['kept level', 'x', patch('node'), []],
  ])('that it was %s', (_, taint, step, events) => {
    const { events: said } = summary(aNode({ taints: [taint] }), SETTLED, {
      ...NOTHING_WRITTEN,
      steps: [step],
    });
    expect(said.map(({ reason }) => reason)).toEqual(events);
  });
});

function patch(kind: 'node' | 'nodestatus'): Step {
  return { verb: 'update', kind, address: `${kind}/a`, id: 'uid-a', changes: [] };
}
