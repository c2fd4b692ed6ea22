/** spec.allocateLoadBalancerNodePorts false: the load balancer goes to the Pods themselves. */
import { describe, expect, test } from 'vitest';
import { aConfig } from '../../support/config.ts';
import { inEachTest, startSandboxWorld } from '../../support/sandbox-world.ts';
import { aService } from '../../support/service.ts';
import { eventsOf, readyOf } from '../../support/told.ts';

const it = inEachTest(() => startSandboxWorld());

interface Where {
  readonly pod: string;
  readonly address: string;
  readonly conditions?: object;
  /** The address that the Pod itself says it has. */
  readonly own?: string;
  /** The Node in whose network it is. */
  readonly on?: string;
}

const LABELS = { app: 'web' };

/** Pods as their kubelets have them, and the slice that the endpoint slice controller makes of them. */
function podsAt(...all: readonly Where[]): void {
  const { kube } = it.sandbox;
  const endpoints = all.map(({ pod: name, address, own = address, conditions = { ready: true }, on }) => {
    const { metadata } = kube.apply({
      kind: 'Pod',
      metadata: { name, labels: LABELS },
      ...(on === undefined
        ? {}
        : { spec: { hostNetwork: true, nodeName: on, containers: [{ ports: [{ containerPort: 8080 }] }] } }),
      status: { podIP: own, podIPs: [{ ip: own }] },
    });
    const targetRef = { kind: 'Pod', namespace: 'default', name, uid: metadata.uid };
    return { addresses: [address], conditions, targetRef };
  });
  kube.apply({
    kind: 'EndpointSlice',
    metadata: { name: 'web-x7k2p', labels: { 'kubernetes.io/service-name': 'web' } },
    addressType: 'IPv4',
    ports: [{ name: 'http', port: 8080, protocol: 'TCP' }],
    endpoints,
  });
}

const ask = (spec: object = {}, annotations: Record<string, string> = {}): void => {
  it.sandbox.kube.apply(aService({ annotations, spec: { allocateLoadBalancerNodePorts: false, ...spec } }));
};
const members = (): readonly string[] =>
  it.sandbox.cloud.members
    .map(({ name, address, protocol_port }) => `${name} ${address}:${String(protocol_port)}`)
    .sort();
const told = (): string => readyOf(it.sandbox)?.message ?? '';

test('Pods come and go, and the pool is empty when there is none', async () => {
  podsAt({ pod: 'web-1', address: '10.0.0.31' }, { pod: 'web-2', address: '10.0.0.32' });
  ask();
  await it.settle('web');
  expect(members()).toEqual(['web-1 10.0.0.31:8080', 'web-2 10.0.0.32:8080']);
  expect(it.sandbox.cloud.members).toMatchObject([{ monitor_port: null }, { monitor_port: null }]);
  expect(it.sandbox.cloud.healthmonitors).toMatchObject([{ type: 'TCP' }]);

  podsAt({ pod: 'web-2', address: '10.0.0.32' }, { pod: 'web-3', address: '10.0.0.33' });
  await it.sweepUntilSettled();
  expect(members()).toEqual(['web-2 10.0.0.32:8080', 'web-3 10.0.0.33:8080']);

  podsAt();
  await it.sweepUntilSettled();
  expect(members()).toEqual([]);
  expect(told()).toContain('nothing answers there');
  const events = eventsOf(it.sandbox);
  await it.sweepUntilSettled();
  expect(eventsOf(it.sandbox)).toEqual(events);
});

test('Pods that are not ready are no members, unless the Service publishes them', async () => {
  const conditions = { ready: false, serving: false, terminating: false };
  podsAt({ pod: 'web-1', address: '10.0.0.31' }, { pod: 'web-2', address: '10.0.0.32', conditions });
  ask();
  await it.settle('web');
  expect(members()).toEqual(['web-1 10.0.0.31:8080']);

  ask({ publishNotReadyAddresses: true });
  await it.settle('web');
  expect(members()).toEqual(['web-1 10.0.0.31:8080', 'web-2 10.0.0.32:8080']);
});

describe('what no Pod has as its address', () => {
  test('is no member, whoever wrote it into a slice', async () => {
    podsAt({ pod: 'web-1', address: '10.0.0.31' }, { pod: 'web-2', address: '10.0.0.99', own: '10.0.0.32' });
    ask();
    await it.settle('web');
    expect(members()).toEqual(['web-1 10.0.0.31:8080']);
    expect(told()).toContain('endpoints of spec.ports[0] "10.0.0.99" is not made a member');
    expect(told()).toContain('is not an address of Pod web-2');
  });

  test('is named when it comes, and no longer when it is gone', async () => {
    podsAt({ pod: 'web-1', address: '10.0.0.31' });
    ask();
    await it.settle('web');
    await it.sweepUntilSettled();

    podsAt({ pod: 'web-1', address: '10.0.0.31' }, { pod: 'web-2', address: '10.0.0.99', own: '10.0.0.32' });
    await it.sweepUntilSettled();
    expect(told()).toContain('10.0.0.99');

    podsAt({ pod: 'web-1', address: '10.0.0.31' });
    await it.sweepUntilSettled();
    expect(told()).not.toContain('10.0.0.99');
  });
});

const addressOf = (name: string): string => {
  const { id = '' } = it.sandbox.cloud.servers.find((server) => server.name === name) ?? {};
  return it.sandbox.cloud.ports.find((port) => port.device_id === id)?.fixed_ips[0]?.ip_address ?? '';
};

test('a Pod in the network of its Node is a member at an address that the Node’s server has, and at no other', async () => {
  const database = it.sandbox.cloud.addNovaServer('database');
  const own = addressOf('node-1');
  const theirs = addressOf(database.name);
  podsAt({ pod: 'web-1', address: own, on: 'node-1' }, { pod: 'web-2', address: theirs, on: 'node-2' });
  ask();

  await it.sweepUntilSettled();

  expect(members()).toEqual([`web-1 ${own}:8080`]);
  expect(told()).toContain(`"${theirs}" is not made a member`);
  expect(told()).toContain('none at which Node node-2 may be a member');
});

test('a Pod that says it has a server’s address puts the security group on no port of that server', async () => {
  const { cloud } = it.sandbox;
  const { id } = cloud.addNovaServer('database');
  const groups = (): unknown => cloud.ports.find(({ device_id: device }) => device === id)?.security_groups;
  const before = groups();
  podsAt({ pod: 'web-1', address: addressOf('database') });
  ask();

  await it.sweepUntilSettled(await it.another(aConfig(it.sandbox.authUrl, { manageSecurityGroups: true })));

  expect(members()).toHaveLength(1);
  expect(groups()).toEqual(before);
  expect(told()).toContain('of a server that no Node names');
});

describe('of Pods in the network of their Nodes', () => {
  const settleAfresh = async (): Promise<void> => {
    await it.settle('web', {}, await it.another(aConfig(it.sandbox.authUrl)));
  };

  test('members stay when Neutron lists no port any more, and new ones join as Nodes do', async () => {
    podsAt(...['node-1', 'node-2'].map((on) => ({ pod: `on-${on}`, address: addressOf(on), on })));
    ask();
    await it.sweepUntilSettled();
    const all = ['node-1', 'node-2', 'node-3'].map((on) => ({ pod: `on-${on}`, address: addressOf(on), on }));
    const { ports, servers } = it.sandbox.cloud;
    const others = ports.filter(({ device_id: id }) => !servers.some((server) => server.id === id));
    ports.splice(0, ports.length, ...others);
    podsAt(...all);

    await settleAfresh();
    expect(members()).toHaveLength(3);
    expect(told()).toContain('so nothing proves');
  });

  test('none joins while Neutron cannot list the ports, and those that are there stay', async () => {
    const theirs = addressOf(it.sandbox.cloud.addNovaServer('database').name);
    podsAt({ pod: 'web-1', address: addressOf('node-1'), on: 'node-1' });
    ask();
    await it.sweepUntilSettled();
    const own = members();
    const status = { addresses: [{ type: 'InternalIP', address: theirs }] };
    it.sandbox.kube.apply({ kind: 'Node', metadata: { name: 'node-3' }, status });
    podsAt(
      { pod: 'web-1', address: addressOf('node-1'), on: 'node-1' },
      { pod: 'web-3', address: theirs, on: 'node-3' },
    );
    const match = { side: 'openstack', method: 'GET', path: /\/v2.0\/ports/ } as const;
    it.sandbox.fault({ match, times: 1e6, kind: 'fail-before', status: 503 });

    await settleAfresh();

    expect(members()).toEqual(own);
    expect(told()).toContain(`"${theirs}" waits: whose it is cannot be looked up`);
  });
});

describe('Pods of another subnet', () => {
  test('that Neutron does not know are refused in words', async () => {
    podsAt({ pod: 'web-1', address: '10.244.0.7' });
    ask();
    await it.settle('web');
    expect(members()).toEqual([]);
    expect(told()).toContain(
      '"10.244.0.7" cannot be members: they are not in 10.0.0.0/24, the subnet of the members',
    );
    expect(told()).toContain('loadbalancer.openstack.org/member-subnet-id');
  });

  test('are reached there if a port of the project has the address of one', async () => {
    const { cloud } = it.sandbox;
    const [near] = cloud.subnets;
    if (!near) throw new Error('no subnet');
    const id = cloud.newId();
    cloud.subnets.push({ ...near, id, cidr: '10.8.0.0/16' });
    const [port] = cloud.ports;
    if (!port) throw new Error('no port');
    const fixed_ips = [{ subnet_id: id, ip_address: '10.8.0.7' }];
    cloud.ports.push({ ...port, id: cloud.newId(), fixed_ips });
    podsAt({ pod: 'web-1', address: '10.8.0.7' }, { pod: 'web-2', address: '10.8.0.8' });
    ask();
    await it.settle('web');
    expect(members()).toEqual(['web-1 10.8.0.7:8080', 'web-2 10.8.0.8:8080']);
    expect(it.sandbox.cloud.members.map(({ subnet_id }) => subnet_id)).toEqual([id, id]);
  });
});

test('a port that has a node port keeps it next to one that has none', async () => {
  podsAt({ pod: 'web-1', address: '10.0.0.31' });
  const ports = [
    { name: 'http', port: 80, targetPort: 8080 },
    { name: 'https', port: 443, nodePort: 30443 },
  ];
  ask({ ports, externalTrafficPolicy: 'Local' });
  await it.settle('web');
  expect(members()).toEqual([
    'node-1 10.0.0.10:30443',
    'node-2 10.0.0.11:30443',
    'node-3 10.0.0.12:30443',
    'web-1 10.0.0.31:8080',
  ]);
  // kube-proxy is asked of nodes, not of Pods
  expect(it.sandbox.cloud.healthmonitors.map(({ type }) => type).sort()).toEqual(['HTTP', 'TCP']);
});

test('no node that can be used keeps no Pod that is gone', async () => {
  podsAt({ pod: 'web-1', address: '10.0.0.31' }, { pod: 'web-2', address: '10.0.0.32' });
  ask();
  await it.settle('web');
  for (const node of ['node-1', 'node-2', 'node-3']) it.sandbox.kube.removeNode(node);
  podsAt({ pod: 'web-2', address: '10.0.0.32' });
  await it.sweepUntilSettled();
  expect(members()).toEqual(['web-2 10.0.0.32:8080']);

  podsAt();
  await it.sweepUntilSettled();
  expect(members()).toEqual([]);
});
