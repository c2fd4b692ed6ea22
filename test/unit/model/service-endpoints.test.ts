import { describe, expect, test } from 'vitest';
import { observeEndpoints } from '../../../shared/service/observe/observe-service.ts';
import { localNodes, readEndpoints } from '../../../shared/model/load-balancer/service-endpoints.ts';
import { aConfig } from '../../support/config.ts';
import type { PortEndpoints } from '../../../shared/model/load-balancer/service-endpoints.ts';
import type { Endpoint, EndpointSlice, Pod, ServicePort } from '../../../shared/model/kubernetes.ts';
import { aStoredService } from '../../support/service.ts';

const metadata = { name: 'web-x7k2p', uid: 'u', resourceVersion: '1' };
const slice = (...endpoints: readonly Endpoint[]): EndpointSlice => ({ metadata, endpoints });
const service = (spec: Record<string, unknown> = {}): ReturnType<typeof aStoredService> =>
  aStoredService({ spec });

const READY = { ready: true };
const UNREADY = { ready: false, serving: false, terminating: false };
const LEAVING = { ready: false, serving: true, terminating: true };
const GONE = { ready: false, serving: false, terminating: true };

describe('nodes of a Service whose traffic stays local', () => {
  test('with a ready endpoint are named once and in order, over all slices', () => {
    const slices = [
      slice({ nodeName: 'b', conditions: READY }, { nodeName: 'c', conditions: UNREADY }),
      slice({ nodeName: 'a' }, { nodeName: 'b', conditions: {} }, { conditions: READY }),
      { metadata, endpoints: null },
    ];
    expect(localNodes(slices, service())).toEqual(['a', 'b']);
  });

  test('with endpoints that are leaving count while they serve and nothing else does', () => {
    const leaving = slice({ nodeName: 'a', conditions: LEAVING }, { nodeName: 'b', conditions: GONE });
    expect(localNodes([leaving], service())).toEqual(['a']);
    const both = [leaving, slice({ nodeName: 'c', conditions: READY })];
    expect(localNodes(both, service())).toEqual(['c']);
  });

  test('all count with publishNotReadyAddresses', () => {
    const slices = [slice({ nodeName: 'a', conditions: UNREADY }, { nodeName: 'b', conditions: READY })];
    expect(localNodes(slices, service({ publishNotReadyAddresses: true }))).toEqual(['a', 'b']);
  });
});

const aPod = (name: string, ...ips: readonly string[]): Pod => ({
  metadata: { name, uid: `uid-${name}`, resourceVersion: '1', namespace: 'default' },
  status: { podIPs: ips.map((ip) => ({ ip })) },
});
const at = (address: string, pod: string, more: Partial<Endpoint> = {}): Endpoint => ({
  addresses: [address],
  targetRef: { kind: 'Pod', namespace: 'default', name: pod, uid: `uid-${pod}` },
  conditions: READY,
  ...more,
});
const http = { name: 'http', port: 80, targetPort: 'web' };
const port = (fields: object): ServicePort => fields as ServicePort;
const ipv4 = (port: number, ...endpoints: readonly Endpoint[]): EndpointSlice => ({
  metadata,
  addressType: 'IPv4',
  ports: [
    { name: 'http', port, protocol: 'TCP' },
    { name: 'dns', port: 53, protocol: 'UDP' },
  ],
  endpoints,
});
const ended = (pod: Pod, phase: string): Pod => ({ ...pod, status: { ...pod.status, phase } });
const inNodesNetwork = (pod: Pod, nodeName: string): Pod => ({
  ...pod,
  spec: { hostNetwork: true, nodeName, containers: [{ ports: [{ containerPort: 8080 }] }] },
});
const pods = [
  inNodesNetwork(aPod('host', '10.0.0.1'), 'a'),
  inNodesNetwork(aPod('liar', '10.0.0.99'), 'a'),
  inNodesNetwork(aPod('thief', '10.0.0.1'), 'b'),
  ...[aPod('web-1', '10.0.0.31', 'fd00::31'), aPod('web-2', '10.0.0.32'), aPod('web-4', '10.0.0.32')],
  ...[ended(aPod('done', '10.0.0.41'), 'Succeeded'), ended(aPod('broken', '10.0.0.42'), 'Failed')],
];

function podsBehind(slices: readonly EndpointSlice[], port: ServicePort): PortEndpoints {
  const direct = service({ allocateLoadBalancerNodePorts: false, ports: [port] });
  const [found] = readEndpoints(
    slices,
    direct,
    pods,
    (node, address) => node === 'a' && address === '10.0.0.1',
  );
  return found ?? { pods: [], refused: [] };
}

describe('Pods behind a port', () => {
  test('are reached where their own slice says, by the name of the port', () => {
    const slices = [ipv4(8080, at('10.0.0.31', 'web-1')), ipv4(9090, at('10.0.0.32', 'web-2'))];
    expect(podsBehind(slices, port(http))).toEqual({
      pods: [
        { pod: 'web-1', address: '10.0.0.31', port: 8080 },
        { pod: 'web-2', address: '10.0.0.32', port: 9090 },
      ],
      refused: [],
    });
    const dns = port({ name: 'dns', port: 53, protocol: 'UDP' });
    expect(podsBehind(slices, dns).pods.map((one) => one.port)).toEqual([53, 53]);
    expect(podsBehind(slices, port({ name: 'dns', port: 53 })).pods).toEqual([]);
  });

  test.each<[number, string | number, boolean]>([
    [8080, 'web', true],
    [9090, 9090, true],
    [9090, 'web', false],
    [10_250, 9090, false],
    [22, 8080, false],
  ])('in the network of their Node, slice port %j and targetPort %j', (number, targetPort, isReached) => {
    const { pods, refused } = podsBehind(
      [ipv4(number, at('10.0.0.1', 'host'))],
      port({ ...http, targetPort }),
    );
    expect(pods.map((one) => one.port)).toEqual(isReached ? [number] : []);
    expect(refused.map(({ addresses }) => addresses)).toEqual(isReached ? [] : [['10.0.0.1']]);
  });

  test('in the network of their Node are those with an address that the Node has', () => {
    const all = [at('10.0.0.1', 'host'), at('10.0.0.99', 'liar'), at('10.0.0.1', 'thief')];
    const found = podsBehind([ipv4(8080, ...all)], port(http));
    expect(found.pods).toEqual([{ pod: 'host', address: '10.0.0.1', port: 8080 }]);
    expect(found.refused.map(({ because }) => because)).toEqual([
      expect.stringContaining('the address is none at which Node a may be a member'),
      expect.stringContaining('the address is none at which Node b may be a member'),
    ]);
  });

  test('at one address are one, the first by name in whatever order they come', () => {
    const both = [at('10.0.0.32', 'web-2'), at('10.0.0.32', 'web-4')];
    const named = [both, both.toReversed()].map((all) => podsBehind([ipv4(8080, ...all)], port(http)).pods);
    const [first] = named;
    expect(named).toEqual([first, first]);
    expect(first?.map(({ pod }) => pod)).toEqual(['web-2']);
  });

  test('are chosen for each family by itself', () => {
    const ipv6 = { ...ipv4(8080, at('fd00::31', 'web-1', { conditions: LEAVING })), addressType: 'IPv6' };
    const named = { ...ipv4(8080, at('web.example.org', 'web-1')), addressType: 'FQDN' };
    const found = podsBehind([ipv4(8080, at('10.0.0.31', 'web-1')), ipv6, named], port(http));
    expect(found.pods.map(({ address }) => address)).toEqual(['10.0.0.31', 'fd00::31']);
  });

  // prettier-ignore
  test.each<[string, Endpoint, string]>([
    ['another machine', { ...at('10.0.0.99', 'x'), targetRef: { kind: 'Node', name: 'x' } }, 'names no Pod'],
    ['nothing', { addresses: ['10.0.0.99'] }, 'names no Pod'],
    ['a Pod of another namespace', at('10.0.0.31', 'web-1', { targetRef: { kind: 'Pod', namespace: 'kube-system', name: 'web-1' } }), 'another namespace'],
    ['a Pod that is not there', at('10.0.0.31', 'web-9'), 'does not select'],
    ['a namesake of before', at('10.0.0.31', 'web-1', { targetRef: { kind: 'Pod', name: 'web-1', uid: 'other' } }), 'does not select'],
    ['an address of another Pod', at('10.0.0.32', 'web-1'), 'is not an address of Pod web-1'],
    ['a Pod that has succeeded', at('10.0.0.41', 'done'), 'Pod done has ended (Succeeded)'],
    ['a Pod that has failed', at('10.0.0.42', 'broken'), 'Pod broken has ended (Failed)'],
  ])('are none if a slice names %s', (_what, endpoint, because) => {
    const { address = '' } = { address: endpoint.addresses?.[0] };
    expect(podsBehind([ipv4(8080, endpoint)], port(http))).toEqual({
      pods: [],
      refused: [{ because: expect.stringContaining(because) as string, addresses: [address], count: 1 }],
    });
  });
});

test('endpoints are asked for where traffic stays local, Pods where there is no node port', async () => {
  const asked: string[] = [];
  const kube = {
    listEndpointSlices: (namespace: string, name: string) => {
      asked.push(`slices ${namespace}/${name}`);
      return Promise.resolve([{ ...ipv4(8080, at('10.0.0.31', 'web-1')), nodeName: 'a' }]);
    },
    listPods: (namespace: string, labels: Readonly<Record<string, string>>) => {
      asked.push(`pods ${namespace} ${JSON.stringify(labels)}`);
      return Promise.resolve(pods);
    },
  };
  const web = (spec: Record<string, unknown>) => service({ selector: { app: 'web' }, ...spec });
  const direct = { allocateLoadBalancerNodePorts: false, ports: [http, { ...http, nodePort: 30080 }] };
  expect(await observeEndpoints(web({}), { kube, config: aConfig() }, () => false)).toEqual({});
  expect(asked).toEqual([]);
  expect(
    await observeEndpoints(web({ externalTrafficPolicy: 'Local' }), { kube, config: aConfig() }, () => false),
  ).toHaveProperty('localNodes');
  expect(asked.splice(0)).toEqual(['slices default/web']);
  expect(await observeEndpoints(web(direct), { kube, config: aConfig() }, () => false)).toEqual({
    endpoints: [{ pods: [{ pod: 'web-1', address: '10.0.0.31', port: 8080 }], refused: [] }, undefined],
  });
  expect(asked).toEqual(['slices default/web', 'pods default {"app":"web"}']);
});

describe('a Pod', () => {
  const podAt = (name: string, ip: string): Pod =>
    ({ metadata: { name, uid: name }, spec: {}, status: { podIPs: [{ ip }] } }) as unknown as Pod;
  const at = (pod: string, address: string, port: number): EndpointSlice => ({
    ...slice({ addresses: [address], targetRef: { kind: 'Pod', name: pod } }),
    addressType: 'IPv4',
    ports: [{ name: 'http', port }],
  });
  const direct = service({ allocateLoadBalancerNodePorts: false, ports: [{ name: 'http', port: 80 }] });
  const pods = [podAt('a', '10.0.0.1'), podAt('b', '10.0.0.2')];

  test('is one member of a port, at the lowest number, in whatever order its slices come', () => {
    const slices = [at('a', '10.0.0.1', 8081), at('a', '10.0.0.1', 8080), at('b', '10.0.0.2', 9000)];
    for (const some of [slices, slices.toReversed()])
      expect(
        readEndpoints(some, direct, pods, () => false)[0]?.pods.toSorted((x, y) => x.port - y.port),
      ).toEqual([
        { pod: 'a', address: '10.0.0.1', port: 8080 },
        { pod: 'b', address: '10.0.0.2', port: 9000 },
      ]);
  });

  test('shares the address of its Node with others, and each has its number', () => {
    const onNode = (name: string): Pod => ({
      ...podAt(name, '10.0.0.9'),
      spec: { containers: [{ ports: [{ containerPort: 8080 }] }] },
    });
    const slices = [at('a', '10.0.0.9', 8080), at('b', '10.0.0.9', 8081)];
    expect(
      readEndpoints(slices, direct, ['a', 'b'].map(onNode), () => true)[0]?.pods.map(({ port }) => port),
    ).toEqual([8080, 8081]);
  });

  test('beyond the limit is no member, and is told', () => {
    const slices = [at('a', '10.0.0.1', 8080), at('b', '10.0.0.2', 8080)];
    expect(readEndpoints(slices, direct, pods, () => false, 1)).toEqual([
      {
        pods: [{ pod: 'a', address: '10.0.0.1', port: 8080 }],
        refused: [
          {
            because: expect.stringContaining('has 1 members already') as string,
            addresses: ['10.0.0.2'],
            count: 1,
          },
        ],
      },
    ]);
  });
});
