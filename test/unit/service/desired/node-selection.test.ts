import { expect, test } from 'vitest';
import { selectNodes } from '../../../../shared/service/desired/nodes/port-nodes.ts';
import type { Node } from '../../../../shared/model/kubernetes.ts';

function aNode(name: string, labels?: Readonly<Record<string, string>>): Node {
  return { metadata: { name, uid: name, resourceVersion: '1', ...(labels ? { labels } : {}) } };
}

const NODES = [aNode('plain'), aNode('edge', { pool: 'edge' }), aNode('core', { pool: 'core' })];

test.each([
  [{}, ['plain', 'edge', 'core']],
  [{ pool: '' }, ['edge', 'core']],
  [{ pool: 'edge' }, ['edge']],
])('%j selects %j', (selector, names) => {
  const { nodes, problems } = selectNodes(NODES, selector);
  expect(nodes.map(({ metadata }) => metadata.name)).toEqual(names);
  expect(problems).toEqual([]);
});

test('one that leaves no node is a Problem', () => {
  expect(selectNodes(NODES, { pool: 'gdge', ssd: '' })).toEqual({
    nodes: [],
    problems: [
      {
        field: 'loadbalancer.openstack.org/node-selector',
        value: 'pool=gdge,ssd',
        message: 'matches none of 3 nodes; levelset adds no member, and keeps those that are there',
      },
    ],
  });
});

test('and so is one that leaves only nodes that take no traffic', () => {
  const excluded = { pool: 'gpu', 'node.kubernetes.io/exclude-from-external-load-balancers': '' };
  expect(selectNodes([...NODES, aNode('gpu', excluded)], { pool: 'gpu' }).problems).toHaveLength(1);
});

test('but not when there is no node at all', () => {
  expect(selectNodes([], { pool: 'edge' })).toEqual({ nodes: [], problems: [] });
});
