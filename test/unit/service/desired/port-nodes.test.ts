import { expect, test } from 'vitest';
import { isEligible, memberAddress, nodeSet } from '../../../../shared/model/node/node-set.ts';
import { nodeShares } from '../../../../shared/service/desired/desire-members.ts';
import { selectNodes } from '../../../../shared/service/desired/member-nodes.ts';
import type { Node } from '../../../../shared/model/kubernetes.ts';

const EXCLUDE = 'node.kubernetes.io/exclude-from-external-load-balancers';
const labelled = (labels: Readonly<Record<string, string>>): Partial<Node['metadata']> => ({ labels });
const tainted = (key: string): Node['spec'] => ({ taints: [{ key, effect: 'NoSchedule' }] });

/** Addresses as `TYPE ADDRESS`, and the subnet in which a port of the server has it. */
function aNode(
  name: string,
  told: readonly string[] = [],
  more: Partial<Node['metadata']> = {},
  spec: Node['spec'] = {},
): Node {
  const addresses = told.map((one) => {
    const [type = '', address = '', subnet] = one.split(' ');
    return { type, address, ...(subnet !== undefined && { onPort: [subnet] }) };
  });
  return { metadata: { name, uid: name, resourceVersion: '1', ...more }, spec, status: { addresses } };
}

test.each<[string, boolean, Partial<Node['metadata']>?, Node['spec']?]>([
  ['plain', true],
  ['being deleted', false, { deletionTimestamp: '2026-01-01T00:00:00Z' }],
  ['labelled true', false, labelled({ [EXCLUDE]: 'true' })],
  ['labelled with nothing', false, labelled({ [EXCLUDE]: '' })],
  ['labelled without sense', false, labelled({ [EXCLUDE]: 'nope' })],
  ['labelled false', true, labelled({ [EXCLUDE]: 'False' })],
  ['leaving', false, {}, tainted('ToBeDeletedByClusterAutoscaler')],
  ['not initialised', true, {}, tainted('node.cloudprovider.kubernetes.io/uninitialized')],
])('a node that is %s takes traffic: %s', (_, eligible, metadata, spec) => {
  expect(isEligible(aNode('n', [], metadata, spec))).toBe(eligible);
});

const subnet = { id: 's', cidr: '10.0.0.0/24', network_id: 'n' };

const named = { ...subnet, asked: true as const };

test.each([
  ['inside the member subnet', ['InternalIP 10.9.0.1', 'InternalIP 10.0.0.5'], 4, subnet, '10.0.0.5'],
  ['else the first InternalIP', ['ExternalIP 192.0.2.1', 'InternalIP 10.9.0.1'], 4, subnet, '10.9.0.1'],
  ['else an ExternalIP', ['Hostname n', 'ExternalIP 192.0.2.1'], 4, subnet, '192.0.2.1'],
  ['of the wanted family', ['InternalIP 10.0.0.5', 'InternalIP fd00::5'], 6, subnet, 'fd00::5'],
  ['or none', ['Hostname n', 'InternalIP fd00::5'], 4, subnet, undefined],
  ['one of a port there', ['ExternalIP 10.0.0.5 s', 'InternalIP 10.9.0.1'], 4, named, '10.0.0.5'],
  ['if somebody named it', ['ExternalIP 10.0.0.5 s', 'InternalIP 10.9.0.1'], 4, subnet, '10.9.0.1'],
  ['not of one elsewhere', ['ExternalIP 10.0.0.5 t', 'InternalIP 10.9.0.1'], 4, named, '10.9.0.1'],
  ['nor of none', ['ExternalIP 10.0.0.5', 'InternalIP 10.9.0.1'], 4, named, '10.9.0.1'],
] as const)('the address of a member (decision 25): %s', (_, addresses, family, of, address) => {
  expect(memberAddress(aNode('n', addresses), of, family)).toBe(address);
});

test('nodes that have no address yet are named, and no address is listed twice', () => {
  const nodes = [aNode('b', ['InternalIP 10.0.0.1']), aNode('late'), aNode('a', ['InternalIP 10.0.0.1'])];
  expect(nodeSet(nodes, undefined, 4)).toEqual({
    ...{ reachable: [{ name: 'a', address: '10.0.0.1' }], withoutAddress: ['late'] },
  });
});

const POOLS = [aNode('plain'), ...['edge', 'core'].map((pool) => aNode(pool, [], labelled({ pool })))];
const excluded = aNode('gpu', [], labelled({ pool: 'gpu', [EXCLUDE]: '' }));
const NO_MATCH =
  'matches none of 3 nodes: correct it, or label a node; until then levelset adds no member, and keeps those that are there';

test.each<[Readonly<Record<string, string>>, readonly Node[], readonly string[], string?]>([
  [{}, POOLS, ['plain', 'edge', 'core']],
  [{ pool: '' }, POOLS, ['edge', 'core']],
  [{ pool: 'edge' }, POOLS, ['edge']],
  [{ pool: 'gdge', ssd: '' }, POOLS, [], `pool=gdge,ssd ${NO_MATCH}`],
  [{ pool: 'gpu' }, [...POOLS, excluded], ['gpu'], 'pool=gpu '],
  [{ pool: 'edge' }, [], []],
])('%j selects nodes, and one that leaves none with traffic is a Problem', (selector, of, names, problem) => {
  const { nodes, mistake } = selectNodes(of, selector);
  expect(nodes.map(({ metadata }) => metadata.name)).toEqual(names);
  expect(mistake && `${mistake.value} ${mistake.message}`).toEqual(
    problem && expect.stringContaining(problem),
  );
});

type OfPort = Parameters<typeof nodeShares>[0]['ServicePort'];
type Shares = [string, OfPort, readonly string[] | undefined, readonly string[]];
// prettier-ignore
test.each<Shares>([
  ['nobody asks', {}, undefined, []],
  ['those that are named', { backupMembers: ['c'] }, undefined, ['c']],
  ['those without an endpoint where traffic stays local', {}, ['a'], ['b', 'c']],
  ['both', { backupMembers: ['a'] }, ['a', 'b'], ['a', 'c']],
  ['not all, because the Service names too many', { backupMembers: ['a', 'b', 'c'] }, undefined, []],
  ['not the last one with an endpoint', { backupMembers: ['a'] }, ['a'], ['b', 'c']],
  ['named beside one that is no member', { memberWeights: { a: 5, z: 1 }, backupMembers: ['b', 'y'] }, undefined, ['b']],
])('which nodes are backups: %s', (_, ServicePort, local, backups) => {
  const nodes = ['a', 'b', 'c'].map((name, index) => ({ name, address: `10.0.0.${index}` }));
  const intent = { listener: {}, pool: {}, member: {}, healthmonitor: {}, spelled: {}, ServicePort };
  const shares = nodeShares(intent, nodes, local);
  expect([...shares.backups]).toEqual(backups);
  const { memberWeights: weights = {} } = ServicePort;
  expect(shares.weights.get('a')).toBe(weights['a']);
  expect(shares.weights.get('constructor')).toBeUndefined();
  // a node that is no member is named, and the others count
  const strange = 'z' in weights ? ['z', 'y'] : [];
  expect(shares.problems.map(({ value, blocking }) => [value, blocking])).toEqual(
    strange.map((name) => [name, undefined]),
  );
});
