import { describe, expect, test } from 'vitest';
import { deletes } from '../../../shared/apply/reserve-deletion.ts';
import type { Node } from '../../../shared/model/kubernetes.ts';
import { observedNode, SERVER_GONE } from '../../../shared/model/node/node.ts';
import type { Attributes, DesiredResource } from '../../../shared/model/resources.ts';
import { planNode } from '../../../shared/node/plan/plan-node.ts';
import type { NodePlanInput } from '../../../shared/node/plan/plan-node.ts';

const aNode = (since: string): Node => ({
  metadata: { name: 'a', uid: 'uid-a', resourceVersion: '1', annotations: { [SERVER_GONE]: since } },
  spec: { providerID: 'openstack:///s' },
});
const wish = (attributes: Attributes): DesiredResource => ({
  kind: 'node',
  address: 'node/a',
  attributes,
  ifPresent: true,
});
const planOf = (input: Partial<NodePlanInput>, since = '1 p r s') =>
  planNode({
    ...{ name: 'a', desired: [wish({ labels: { a: 'b' } })], observed: observedNode(aNode(since)) },
    ...{ problems: [], leaves: false, approved: [] },
    ...input,
  });
const approvalOf = (since?: string): string =>
  planOf({ leaves: true, reasonToKeep: 'x' }, since).refused[0]?.approval ?? '';

describe('a Node that leaves', () => {
  test('is deleted, and nothing else is written to it', () => {
    const plan = planOf({ leaves: true });
    const step = { verb: 'delete', kind: 'node', address: 'node/a', id: 'uid-a' };
    expect(plan).toMatchObject({ steps: [{ ...step, because: 'its server is gone' }], refused: [] });
    expect(deletes(plan)).toBe(true);
  });

  test('and is kept by the deletion budget has a condition that says why, and what approves it', () => {
    const plan = planOf({ leaves: true, reasonToKeep: 'too many' });
    expect(plan.refused).toEqual([
      {
        ...{ address: 'node/a', kind: 'node', changes: [] },
        reason: 'its server is gone, but levelset does not delete the Node: too many',
        approval: expect.stringMatching(/^[0-9a-f]{12}$/) as unknown,
      },
    ]);
    expect(plan.steps).toEqual([]);
    expect(deletes(plan)).toBe(false);
  });

  test.each([
    ['its own approval', () => [approvalOf()], 1],
    ['its own among others', () => ['0123456789ab', approvalOf()], 1],
    ["another Node's", () => ['0123456789ab'], 0],
    ['that of another time', () => [approvalOf('2 p r s')], 0],
    ['none', () => [''], 0],
  ])('with %s', (_, approved, deleted) => {
    const { steps, refused } = planOf({ leaves: true, reasonToKeep: 'x', approved: approved() });
    expect([steps.length, refused.length]).toEqual([deleted, 1 - deleted]);
  });

  test('and is not there any more is nothing to do', () => {
    expect(planOf({ leaves: true, observed: [], reasonToKeep: 'x' })).toMatchObject({
      steps: [],
      refused: [],
    });
  });
});
