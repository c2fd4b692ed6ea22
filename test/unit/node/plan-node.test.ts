import { expect, test } from 'vitest';
import { deletes } from '../../../shared/apply/reserve-deletion.ts';
import type { Node } from '../../../shared/model/kubernetes.ts';
import { observedNode, SERVER_GONE } from '../../../shared/model/node/node.ts';
import type { Attributes, DesiredResource } from '../../../shared/model/resources.ts';
import { planNode, type NodePlanInput } from '../../../shared/node/plan/plan-node.ts';

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

test('a Node that leaves is deleted, and nothing else is written to it; one that is not there any more is nothing to do', () => {
  const plan = planOf({ leaves: true });
  const step = { verb: 'delete', kind: 'node', address: 'node/a', id: 'uid-a' };
  expect(plan).toMatchObject({ steps: [{ ...step, because: 'its server is gone' }], refused: [] });
  expect(deletes(plan)).toBe(true);
  const none = planOf({ leaves: true, observed: [], reasonToKeep: 'x' });
  expect(none).toMatchObject({ steps: [], refused: [] });
});

test.each([
  ['its own approval', () => [approvalOf()], 1],
  ['its own among others', () => ['0123456789ab', approvalOf()], 1],
  ["another Node's", () => ['0123456789ab'], 0],
  ['that of another time', () => [approvalOf('2 p r s')], 0],
  ['none', () => [''], 0],
])(
  'one that the deletion budget keeps leaves by its own approval, which its condition has: %s',
  (_, approved, deleted) => {
    const plan = planOf({ leaves: true, reasonToKeep: 'x', approved: approved() });
    expect([plan.steps.length, deletes(plan)]).toEqual([deleted, deleted > 0]);
    const reason = 'its server is gone, but levelset does not delete the Node: x';
    const approval: unknown = expect.stringMatching(/^[0-9a-f]{12}$/);
    const refusal = { address: 'node/a', kind: 'node', changes: [], reason, approval };
    expect(plan.refused).toEqual(deleted > 0 ? [] : [refusal]);
  },
);
