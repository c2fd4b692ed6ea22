import { expect, test } from 'vitest';
import { observedNode } from '../../../shared/model/node/node.ts';
import { planNode, reasonToKeep, type NodeDeletionBudget } from '../../../shared/node/plan/plan-node.ts';

const NOW = 10_000_000;
const HOUR_MS = 3_600_000;
const uids = (count: number, name: string) => Array.from({ length: count }, (_, at) => `${name}-${at}`);
const present = (count: number) => ['own', ...uids(count - 1, 'there')];
const deletions = (count: number, at = NOW - 1) => uids(count, 'gone').map((id) => ({ id, at }));
const leaving = (input: Partial<NodeDeletionBudget>): string | undefined =>
  reasonToKeep({
    ...{ id: 'own', all: present(50), withServer: ['there-0'], deletions: [], percent: 10, now: NOW },
    ...input,
  });

// prettier-ignore
test.each<[which: string, input: Partial<NodeDeletionBudget>, why?: RegExp]>([
  ['the first goes', {}],
  ['the first of a cluster of one goes', { all: present(1) }],
  ['the last of a share goes', { all: present(46), deletions: deletions(4) }],
  ['one after the hour is over goes', { deletions: deletions(5, NOW - HOUR_MS) }],
  ['one that was recorded itself goes', { all: present(46), deletions: [...deletions(4), { id: 'own', at: NOW - 1 }] }],
  ['any with 100% goes', { percent: 100, deletions: deletions(49) }],
  ['one with 0% stays', { percent: 0 }, /--deletion-share=0% allows no deletion/],
  ['one where Nova shows no server stays', { withServer: [] }, /lists no server of any Node/],
  ['one where Nova shows no server, with 100% stays', { withServer: [], percent: 100 }, /no server of any Node/],
  ['one that Nova lists stays', { withServer: ['own', 'there-0'], percent: 100 }, /lists its server, although/],
  ['one above the share stays', { all: present(45), deletions: deletions(5) }, /^5 Nodes were deleted .* allows 5 of 50 in an hour$/],
  ['one above the share, where those that went are listed still stays', { all: [...present(45), ...uids(5, 'gone')], deletions: deletions(5) }, /allows 5 of 50 in an hour$/],
  ['the second of nine stays', { all: present(8), deletions: deletions(1) }, /^1 Node was deleted .* allows 1 of 9 in an hour$/],
  ['one in the last millisecond of the hour stays', { deletions: deletions(5, NOW - HOUR_MS + 1) }, /^5 Nodes/],
])('%s', (_, input, why = /^goes$/) => {
  expect(leaving(input) ?? 'goes').toMatch(why);
});

test('a Node that leaves is told why, and one that is kept why not', () => {
  const observed = observedNode({ metadata: { name: 'a', uid: 'uid-a', resourceVersion: '1' } });
  const given = { name: 'a', desired: [], observed, problems: [], leaves: true, approved: [] };
  expect(planNode(given).steps).toMatchObject([{ verb: 'delete', because: 'its server is gone' }]);
  const reason = 'its server is gone, but levelset does not delete the Node: x';
  expect(planNode({ ...given, reasonToKeep: 'x' })).toMatchObject({ steps: [], refused: [{ reason }] });
});
