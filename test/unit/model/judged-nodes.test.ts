import { describe, expect, test } from 'vitest';
import { judgeNodes, withoutAddresses } from '../../../shared/model/node/judged-nodes.ts';
import type { Node } from '../../../shared/model/kubernetes.ts';

type DevicePort = Exclude<Parameters<typeof judgeNodes>[1], string>[number];

const serverId = (number: number): string => `5e5e5e5e-0000-4000-8000-${String(number).padStart(12, '0')}`;

function aNode(name: string, server: number | undefined, ...addresses: readonly string[]): Node {
  return {
    metadata: { name, uid: name, resourceVersion: '1' },
    ...(server === undefined ? {} : { spec: { providerID: `openstack:///${serverId(server)}` } }),
    status: {
      addresses: [
        ...addresses.map((address) => ({ type: 'InternalIP', address })),
        { type: 'Hostname', address: name },
      ],
    },
  };
}

const aPort = (id: string, server: number | undefined, ...addresses: readonly string[]): DevicePort => ({
  id,
  device_id: server === undefined ? '' : serverId(server),
  device_owner: server === undefined ? '' : 'compute:az1',
  fixed_ips: addresses.map((ip_address) => ({ ip_address, subnet_id: 'private' })),
});
const addressesIn = (nodes: readonly Node[]): readonly string[] =>
  nodes.flatMap(({ status }) => status?.addresses ?? []).map(({ address }) => address);

describe('an address of a Node', () => {
  const own = aPort('own', 1, '10.0.0.1');

  // prettier-ignore
  test.each([
    ['on a port of its server', [own], '10.0.0.1', ['own']],
    ['in another spelling', [aPort('own', 1, 'fd00::1')], 'fd00:0::1', ['own']],
    ['on a sub-port of its trunk', [{ ...own, trunk_details: { sub_ports: [{ port_id: 'sub' }] } }, { ...aPort('sub', undefined, '10.5.0.1'), device_owner: 'trunk:subport' }], '10.5.0.1', ['sub']],
    ['in an address pair of a sub-port',
      [{ ...own, trunk_details: { sub_ports: [{ port_id: 'sub' }] } }, {...{ ...aPort('sub', undefined, '10.5.0.1'), device_owner: 'trunk:subport' }, allowed_address_pairs: [{ ip_address: '10.5.0.100' }] }],
      '10.5.0.100', ['sub']],
    ['in an address pair, although a port that nobody uses reserves it', [{ ...own, allowed_address_pairs: [{ ip_address: '10.0.0.100' }] }, aPort('vip', undefined, '10.0.0.100')], '10.0.0.100', ['own']],
    ['that another server has, too, in another network', [own, aPort('other', 2, '10.0.0.1')], '10.0.0.1', ['own']],
  ] as const)('%s is taken', (_, ports, address, ids) => {
    const judged = judgeNodes([aNode('one', 1, address)], ports);
    expect(addressesIn(judged.nodes)).toContain(address);
    expect([judged.refused, judged.ports.get(address), [...judged.unseen]]).toEqual([[], ids, []]);
  });

  // prettier-ignore
  test.each([
    ['another server’s, however wide its own pairs are', [{ ...own, allowed_address_pairs: [{ ip_address: '0.0.0.0/0' }] }, aPort('db', 9, '10.0.0.9')], '10.0.0.9', 'port db of server'],
    ['a router’s', [{ ...aPort('gw', 3, '10.0.0.254'), device_owner: 'network:router_interface' }], '10.0.0.254', 'network:router_interface'],
    ['a sub-port’s of another trunk', [own, { ...aPort('sub', undefined, '10.5.0.1'), device_owner: 'trunk:subport' }], '10.5.0.1', 'trunk:subport'],
    ['of the machine itself', [own], '::1', '::/127'],
  ] as const)('that is %s is refused, and named', (_, ports, address, because) => {
    const judged = judgeNodes([aNode('one', 1, '10.0.0.1', address)], [own, ...ports]);
    expect(addressesIn(judged.nodes)).toEqual(['10.0.0.1', 'one']);
    expect(judged.refused).toMatchObject([{ node: 'one', address }]);
    expect(judged.refused[0]?.because).toContain(because);
  });

  test('is an ExternalIP beside an InternalIP if a port of the server has it, whatever the Node says of ports', () => {
    const node = aNode('one', 1, '10.0.0.1');
    const externals = ['10.5.0.1', '10.5.0.9'].map((address) => ({ type: 'ExternalIP', address }));
    const addresses = [...(node.status?.addresses ?? []), ...externals];
    const ports = [own, aPort('data', 1, '10.5.0.1'), aPort('db', 9, '10.5.0.9')];
    const judged = judgeNodes([{ ...node, status: { addresses } }], ports);
    expect([judged.refused, judged.ports.get('10.5.0.1')]).toEqual([[], ['data']]);
  });

  test('that another Node proves to be its own is nobody else’s, with a server or without', () => {
    const nodes = [aNode('a', undefined, '10.0.0.1'), aNode('b', 2, '10.0.0.1'), aNode('one', 1, '10.0.0.1')];
    const judged = judgeNodes(nodes, [own]);
    expect(judged.nodes.map(({ metadata }) => metadata.name)).toEqual(['one']);
    expect(judged.refused.map(({ node }) => node)).toEqual(['a', 'b']);
  });

  test('of a floating IP, whose port only an admin sees, is nobody’s port', () => {
    const port = { ...aPort('fip', 7, '203.0.113.9'), device_owner: 'network:floatingip' };
    expect([...judgeNodes([aNode('one', 1, '203.0.113.9')], [port]).unseen]).toEqual(['203.0.113.9']);
  });
});

test('a Node of which no IP address is left goes, and the others stay what they are', () => {
  const nodes = [aNode('one', 1, '10.0.0.1'), aNode('two', 2, '10.0.0.2', 'fd00::2')];
  expect(withoutAddresses(nodes, new Set(['10.0.0.1', '10.0.0.2']))).toEqual([aNode('two', 2, 'fd00::2')]);
  expect(withoutAddresses(nodes, new Set())[0]).toBe(nodes[0]);
});
