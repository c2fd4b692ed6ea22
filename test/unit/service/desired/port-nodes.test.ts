import { describe, expect, test } from 'vitest';
import { isEligible, memberAddress, nodeSet } from '../../../../shared/model/node/node-set.ts';
import type { Node } from '../../../../shared/model/kubernetes.ts';

const EXCLUDE = 'node.kubernetes.io/exclude-from-external-load-balancers';

function aNode(
  name: string,
  addresses: readonly (readonly [string, string])[],
  more: Partial<Node['metadata']> = {},
  spec: Node['spec'] = {},
): Node {
  return {
    metadata: { name, uid: name, resourceVersion: '1', ...more },
    spec,
    status: { addresses: addresses.map(([type, address]) => ({ type, address })) },
  };
}

describe('isEligible', () => {
  // prettier-ignore
  test.each([
    ['a plain node', aNode('n', []), true],
    ['a node being deleted', aNode('n', [], { deletionTimestamp: '2026-01-01T00:00:00Z' }), false],
    ['label true', aNode('n', [], { labels: { [EXCLUDE]: 'true' } }), false],
    ['label empty', aNode('n', [], { labels: { [EXCLUDE]: '' } }), false],
    ['label without sense', aNode('n', [], { labels: { [EXCLUDE]: 'nope' } }), false],
    ['label false', aNode('n', [], { labels: { [EXCLUDE]: 'False' } }), true],
    ['leaving', aNode('n', [], {}, { taints: [{ key: 'ToBeDeletedByClusterAutoscaler', effect: 'NoSchedule' }] }), false],
    ['not initialised', aNode('n', [], {}, { taints: [{ key: 'node.cloudprovider.kubernetes.io/uninitialized', effect: 'NoSchedule' }] }), true],
  ])('%s', (_, node, eligible) => {
    expect(isEligible(node)).toBe(eligible);
  });
});

describe('memberAddress (decision 25)', () => {
  const subnet = { id: 's', cidr: '10.0.0.0/24', network_id: 'n' };
  // prettier-ignore
  test.each([
    ['inside the member subnet', [['InternalIP', '10.9.0.1'], ['InternalIP', '10.0.0.5']], 4, '10.0.0.5'],
    ['else the first InternalIP', [['ExternalIP', '192.0.2.1'], ['InternalIP', '10.9.0.1']], 4, '10.9.0.1'],
    ['else an ExternalIP', [['Hostname', 'n'], ['ExternalIP', '192.0.2.1']], 4, '192.0.2.1'],
    ['of the wanted family', [['InternalIP', '10.0.0.5'], ['InternalIP', 'fd00::5']], 6, 'fd00::5'],
    ['or none', [['Hostname', 'n'], ['InternalIP', 'fd00::5']], 4, undefined],
  ] as const)('%s', (_, addresses, family, address) => {
    expect(memberAddress(aNode('n', addresses), subnet, family)).toBe(address);
  });
});

test.each([
  ['a port of the server has it, and somebody named the subnet', ['s'], true, '10.0.0.5'],
  ['nobody named the subnet', ['s'], undefined, '10.9.0.1'],
  ['that port is in another subnet', ['another'], true, '10.9.0.1'],
  ['no port of the server has it', undefined, true, '10.9.0.1'],
] as const)(
  'an ExternalIP in the member subnet beside an InternalIP counts if %s',
  (_, onPort, asked, address) => {
    const external = { type: 'ExternalIP', address: '10.0.0.5', ...(onPort && { onPort }) };
    const node = aNode('n', [['InternalIP', '10.9.0.1']]);
    const addresses = [external, ...(node.status?.addresses ?? [])];
    const of = { ...node, status: { addresses } };
    const subnet = { id: 's', cidr: '10.0.0.0/24', network_id: 'n' };
    expect(memberAddress(of, { ...subnet, ...(asked && { asked }) }, 4)).toBe(address);
  },
);

describe('nodeSet', () => {
  test('names the nodes that have no address yet, and never lists an address twice', () => {
    const nodes = [
      aNode('b', [['InternalIP', '10.0.0.1']]),
      aNode('late', []),
      aNode('a', [['InternalIP', '10.0.0.1']]),
    ];
    expect(nodeSet(nodes, undefined, 4)).toEqual({
      reachable: [{ name: 'a', address: '10.0.0.1' }],
      withoutAddress: ['late'],
    });
  });
});
