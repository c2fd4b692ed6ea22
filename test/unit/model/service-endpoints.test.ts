import { expect, test } from 'vitest';
import { localNodes, readEndpoints } from '../../../shared/service/observe/endpoint-slices.ts';
import type { Endpoint, EndpointSlice, Pod, ServicePort } from '../../../shared/model/kubernetes.ts';
import { aStoredService } from '../../support/service.ts';

const metadata = { name: 'web-x7k2p', uid: 'u', resourceVersion: '1' };
const slice = (...endpoints: readonly Endpoint[]): EndpointSlice => ({ metadata, endpoints });

const READY = { ready: true };
const UNREADY = { ready: false, serving: false, terminating: false };
const LEAVING = { ready: false, serving: true, terminating: true };
const GONE = { ready: false, serving: false, terminating: true };

// prettier-ignore
test.each<[string, readonly EndpointSlice[], readonly string[], object?]>([
  ['with a ready endpoint are named once and in order, over all slices', [slice({ nodeName: 'b', conditions: READY }, { nodeName: 'c', conditions: UNREADY }), slice({ nodeName: 'a' }, { nodeName: 'b', conditions: {} }, { conditions: READY }), { metadata, endpoints: null }], ['a', 'b']],
  ['with endpoints that are leaving count while they serve and nothing else does', [slice({ nodeName: 'a', conditions: LEAVING }, { nodeName: 'b', conditions: GONE })], ['a']],
  ['and no more when something else does', [slice({ nodeName: 'a', conditions: LEAVING }, { nodeName: 'c', conditions: READY })], ['c']],
  ['all count with publishNotReadyAddresses', [slice({ nodeName: 'a', conditions: UNREADY }, { nodeName: 'b', conditions: READY })], ['a', 'b'], { publishNotReadyAddresses: true }],
])('nodes of a Service whose traffic stays local: %s', (_, slices, nodes, spec = {}) => {
  expect(localNodes(slices, aStoredService({ spec: { ...spec } }))).toEqual(nodes);
});

const aPod = (name: string, ...ips: readonly string[]): Pod => ({
  metadata: { name, uid: `uid-${name}`, resourceVersion: '1', namespace: 'default' },
  status: { podIPs: ips.map((ip) => ({ ip })) },
});
const at = (address: string, pod: string, more: Partial<Endpoint> = {}): Endpoint => ({
  ...{ addresses: [address], conditions: READY },
  targetRef: { kind: 'Pod', namespace: 'default', name: pod, uid: `uid-${pod}` },
  ...more,
});
const targeting = (targetRef: NonNullable<Endpoint['targetRef']>): Partial<Endpoint> => ({ targetRef });
const port = (fields: object = {}): ServicePort => ({ name: 'http', port: 80, targetPort: 'web', ...fields });
const ports = (number: number): NonNullable<EndpointSlice['ports']> => [
  { name: 'http', port: number, protocol: 'TCP' },
  { name: 'dns', port: 53, protocol: 'UDP' },
];
const ipv4 = (number: number, ...endpoints: readonly Endpoint[]): EndpointSlice => ({
  ...{ metadata, addressType: 'IPv4', ports: ports(number), endpoints },
});
const ended = (pod: Pod, phase: string): Pod => ({ ...pod, status: { ...pod.status, phase } });
const onNode = (pod: Pod, nodeName: string): Pod => ({
  ...pod,
  spec: { hostNetwork: true, nodeName, containers: [{ ports: [{ containerPort: 8080 }] }] },
});
const pods = [
  ...[onNode(aPod('host', '10.0.0.1'), 'a'), onNode(aPod('beside', '10.0.0.1'), 'a')],
  ...[aPod('web-1', '10.0.0.31', 'fd00::31'), aPod('web-2', '10.0.0.32'), aPod('web-4', '10.0.0.32')],
  ...[ended(aPod('done', '10.0.0.41'), 'Succeeded'), ended(aPod('broken', '10.0.0.42'), 'Failed')],
];

/** `POD ADDRESS:PORT` of each that is a member, and why some addresses are refused. */
function behind(slices: readonly EndpointSlice[], of: ServicePort, limit?: number) {
  const direct = aStoredService({ spec: { allocateLoadBalancerNodePorts: false, ports: [of] } });
  const isOfNode = (node: string, address: string): boolean => node === 'a' && address === '10.0.0.1';
  const [found] = readEndpoints(slices, direct, pods, isOfNode, limit);
  return {
    members: found?.pods.map((one) => `${one.pod} ${one.address}:${one.port}`).sort(),
    refused: found?.refused.map(
      ({ because, addresses, count }) => `${count}: ${addresses.join()} ${because}`,
    ),
  };
}

const WEB = at('10.0.0.31', 'web-1');
const BOTH = [ipv4(8080, WEB), ipv4(9090, at('10.0.0.32', 'web-2'))];
const FD = { ...ipv4(8080, at('fd00::31', 'web-1', { conditions: LEAVING })), addressType: 'IPv6' };
const NAMED = { ...ipv4(8080, at('web.example.org', 'web-1')), addressType: 'FQDN' };
const hostAt = (number: number): readonly EndpointSlice[] => [ipv4(number, at('10.0.0.1', 'host'))];

// prettier-ignore
test.each<[string, readonly EndpointSlice[], members: readonly string[], refused?: readonly string[], of?: object]>([
  ['are reached where their own slice says, by the name of the port', BOTH, ['web-1 10.0.0.31:8080', 'web-2 10.0.0.32:9090']],
  ['of another port and protocol', BOTH, ['web-1 10.0.0.31:53', 'web-2 10.0.0.32:53'], [], { name: 'dns', port: 53, protocol: 'UDP' }],
  ['of another port and the wrong protocol', BOTH, [], [], { name: 'dns', port: 53 }],
  ['in the network of their Node, at a port that its containers name', hostAt(8080), ['host 10.0.0.1:8080']],
  ['there, at the number that the Service targets', hostAt(9090), ['host 10.0.0.1:9090'], [], { targetPort: 9090 }],
  ['there, at another number', hostAt(9090), [], ['10.0.0.1 Pod host is in the network of its Node, and neither a port of it nor']],
  ['there, at the number of the kubelet', hostAt(10_250), [], ['10.0.0.1 Pod host is in the network of its Node, and neither a port of it nor'], { targetPort: 9090 }],
  ['there, at the number of ssh', hostAt(22), [], ['10.0.0.1 Pod host is in the network of its Node, and neither a port of it nor'], { targetPort: 8080 }],
  ['there, two of them, each with its number', [ipv4(8080, at('10.0.0.1', 'host')), ipv4(8081, at('10.0.0.1', 'beside'))], ['beside 10.0.0.1:8081', 'host 10.0.0.1:8080'], [], { targetPort: 8081 }],
  ['at one address are one, the first by name', [ipv4(8080, at('10.0.0.32', 'web-4'), at('10.0.0.32', 'web-2'))], ['web-2 10.0.0.32:8080']],
  ['are chosen for each family by itself', [ipv4(8080, WEB), FD, NAMED], ['web-1 10.0.0.31:8080', 'web-1 fd00::31:8080']],
  ['are one member of a port, at the lowest number', [ipv4(8081, WEB), ipv4(8080, WEB), ipv4(9000, at('10.0.0.32', 'web-2'))], ['web-1 10.0.0.31:8080', 'web-2 10.0.0.32:9000']],
  ['are no other machine', [ipv4(8080, at('10.0.0.99', 'x', targeting({ kind: 'Node', name: 'x' })))], [], ['10.0.0.99 its EndpointSlice names no Pod']],
  ['are no addresses of nothing', [ipv4(8080, { addresses: ['10.0.0.99'] })], [], ['10.0.0.99 its EndpointSlice names no Pod']],
  ['are none of another namespace', [ipv4(8080, at('10.0.0.31', 'web-1', targeting({ kind: 'Pod', namespace: 'kube-system', name: 'web-1' })))], [], ['another namespace']],
  ['are none that are not there', [ipv4(8080, at('10.0.0.31', 'web-9'))], [], ['does not select']],
  ['are no namesakes of before', [ipv4(8080, at('10.0.0.31', 'web-1', targeting({ kind: 'Pod', name: 'web-1', uid: 'other' })))], [], ['does not select']],
  ['have not succeeded', [ipv4(8080, at('10.0.0.41', 'done'))], [], ['Pod done has ended (Succeeded)']],
  ['have not failed', [ipv4(8080, at('10.0.0.42', 'broken'))], [], ['Pod broken has ended (Failed)']],
])('Pods %s', (_, slices, members, refused = [], of = {}) => {
  const says = refused.map((text) => expect.stringContaining(text) as string);
  for (const some of [slices, slices.toReversed()])
    expect(behind(some, port(of))).toEqual({ members, refused: says });
});

test('Pods beyond the limit are no members, and are told', () => {
  expect(behind(BOTH, port(), 1)).toEqual({
    members: ['web-1 10.0.0.31:8080'],
    refused: ['1: 10.0.0.32 this port has 1 members already, and --service-limits allows no more'],
  });
});
