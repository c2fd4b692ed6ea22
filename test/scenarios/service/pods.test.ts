/** spec.allocateLoadBalancerNodePorts false: the load balancer goes to the Pods themselves. */
import { describe, expect, test } from 'vitest';
import { aConfig } from '../../support/config.ts';
import { inEachTest, startSandboxWorld } from '../../support/sandbox-world.ts';
import { failing } from '../../support/failing.ts';
import { eventsOf } from '../../support/told.ts';

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

/** Pods as their kubelets have them, and the slice that the endpoint slice controller makes of them. */
function podsAt(...all: readonly Where[]): void {
  const { kube } = it;
  const containers = [{ ports: [{ containerPort: 8080 }] }];
  const endpoints = all.map(({ pod: name, address, own = address, conditions = { ready: true }, on }) => {
    const { metadata } = kube.apply({
      kind: 'Pod',
      metadata: { name, labels: { app: 'web' } },
      ...(on !== undefined && { spec: { hostNetwork: true, nodeName: on, containers } }),
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

const ONE = { pod: 'web-1', address: '10.0.0.31' };
const TWO = { pod: 'web-2', address: '10.0.0.32' };
/** One whose slice has an address that it has not itself. */
const LIAR = { pod: 'web-2', address: '10.0.0.99', own: '10.0.0.32' };
const ask = (spec: object = {}) => it.make({ spec: { allocateLoadBalancerNodePorts: false, ...spec } });
const members = (): readonly string[] =>
  it.cloud.members
    .map(({ name, address, protocol_port }) => `${name} ${address}:${String(protocol_port)}`)
    .sort();

test('Pods come and go, and the pool is empty when there is none', async () => {
  podsAt(ONE, TWO);
  await ask();
  expect(members()).toEqual(['web-1 10.0.0.31:8080', 'web-2 10.0.0.32:8080']);
  expect(it.cloud.members).toMatchObject([{ monitor_port: null }, { monitor_port: null }]);
  expect(it.cloud.healthmonitors).toMatchObject([{ type: 'TCP' }]);

  podsAt(TWO, { pod: 'web-3', address: '10.0.0.33' });
  await it.sweepUntilSettled();
  expect(members()).toEqual(['web-2 10.0.0.32:8080', 'web-3 10.0.0.33:8080']);

  podsAt();
  await it.sweepUntilSettled();
  expect(members()).toEqual([]);
  expect(it.told()).toContain('nothing answers there');
  const events = eventsOf(it);
  await it.sweepUntilSettled();
  expect(eventsOf(it)).toEqual(events);
});

test('Pods that are not ready are no members, unless the Service publishes them', async () => {
  const conditions = { ready: false, serving: false, terminating: false };
  podsAt(ONE, { ...TWO, conditions });
  await ask();
  expect(members()).toEqual(['web-1 10.0.0.31:8080']);

  await ask({ publishNotReadyAddresses: true });
  expect(members()).toEqual(['web-1 10.0.0.31:8080', 'web-2 10.0.0.32:8080']);
});

test('what no Pod has as its address is no member, whoever wrote it into a slice, and is named until it is gone', async () => {
  podsAt(ONE);
  await ask();
  await it.sweepUntilSettled();

  podsAt(ONE, LIAR);
  await it.sweepUntilSettled();
  expect(members()).toEqual(['web-1 10.0.0.31:8080']);
  expect(it.told()).toContain('"10.0.0.99" is not made a member');

  podsAt(ONE);
  await it.sweepUntilSettled();
  expect(it.told()).not.toContain('10.0.0.99');
});

const addressOf = (name: string): string => {
  const { id = '' } = it.cloud.servers.find((server) => server.name === name) ?? {};
  return it.cloud.ports.find((port) => port.device_id === id)?.fixed_ips[0]?.ip_address ?? '';
};

test('a Pod in the network of its Node is a member at an address that the Node’s server has, and at no other', async () => {
  const database = it.cloud.addNovaServer('database');
  const own = addressOf('node-1');
  const theirs = addressOf(database.name);
  podsAt({ pod: 'web-1', address: own, on: 'node-1' }, { pod: 'web-2', address: theirs, on: 'node-2' });
  await ask();

  await it.sweepUntilSettled();

  expect(members()).toEqual([`web-1 ${own}:8080`]);
  expect(it.told()).toContain(`"${theirs}" is not made a member`);
  expect(it.told()).toContain('none at which Node node-2 may be a member');
});

test('a Pod that says it has a server’s address puts the security group on no port of that server', async () => {
  const { id } = it.cloud.addNovaServer('database');
  const groups = (): unknown => it.cloud.ports.find((port) => port.device_id === id)?.security_groups;
  const before = groups();
  podsAt({ pod: 'web-1', address: addressOf('database') });
  await ask();

  await it.sweepUntilSettled(await it.another(aConfig(it.sandbox.authUrl, { manageSecurityGroups: true })));

  expect(members()).toHaveLength(1);
  expect(groups()).toEqual(before);
  expect(it.told()).toContain('of a server that no Node names');
});

describe('of Pods in the network of their Nodes', () => {
  const settleAfresh = async () => it.settle('web', {}, await it.another());

  test('members stay when Neutron lists no port any more, and new ones join as Nodes do', async () => {
    const all = ['node-1', 'node-2', 'node-3'].map((on) => ({ pod: `on-${on}`, address: addressOf(on), on }));
    podsAt(...all.slice(0, 2));
    await ask();
    await it.sweepUntilSettled();
    const { ports, servers } = it.cloud;
    const others = ports.filter(({ device_id: id }) => !servers.some((server) => server.id === id));
    ports.splice(0, ports.length, ...others);
    podsAt(...all);

    await settleAfresh();
    expect(members()).toHaveLength(3);
    expect(it.told()).toContain('though nothing proves');
  });

  test('none joins while Neutron cannot list the ports, and those that are there stay', async () => {
    const theirs = addressOf(it.cloud.addNovaServer('database').name);
    const own = { pod: 'web-1', address: addressOf('node-1'), on: 'node-1' };
    podsAt(own);
    await ask();
    await it.sweepUntilSettled();
    const before = members();
    const status = { addresses: [{ type: 'InternalIP', address: theirs }] };
    it.kube.apply({ kind: 'Node', metadata: { name: 'node-3' }, status });
    podsAt(own, { pod: 'web-3', address: theirs, on: 'node-3' });
    failing(it, 'GET', /\/v2.0\/ports/);

    await settleAfresh();

    expect(members()).toEqual(before);
    expect(it.told()).toContain(`"${theirs}" waits: whose it is cannot be looked up`);
  });
});

test('Pods of another subnet are reached there if a port of the project has the address of one', async () => {
  const { cloud } = it;
  const {
    subnets: [near],
    ports: [port],
  } = cloud;
  if (!near || !port) throw new Error('no subnet');
  const id = cloud.newId();
  cloud.subnets.push({ ...near, id, cidr: '10.8.0.0/16' });
  const fixed_ips = [{ subnet_id: id, ip_address: '10.8.0.7' }];
  cloud.ports.push({ ...port, id: cloud.newId(), fixed_ips });
  podsAt({ pod: 'web-1', address: '10.8.0.7' }, { pod: 'web-2', address: '10.8.0.8' });
  await ask();
  expect(members()).toEqual(['web-1 10.8.0.7:8080', 'web-2 10.8.0.8:8080']);
  expect(it.cloud.members.map(({ subnet_id }) => subnet_id)).toEqual([id, id]);
});

test('a port that has a node port keeps it next to one that has none', async () => {
  podsAt(ONE);
  const ports = [
    { name: 'http', port: 80, targetPort: 8080 },
    { name: 'https', port: 443, nodePort: 30443 },
  ];
  await ask({ ports, externalTrafficPolicy: 'Local' });
  expect(members()).toEqual([
    'node-1 10.0.0.10:30443',
    'node-2 10.0.0.11:30443',
    'node-3 10.0.0.12:30443',
    'web-1 10.0.0.31:8080',
  ]);
  // kube-proxy is asked of nodes, not of Pods
  expect(it.cloud.healthmonitors.map(({ type }) => type).sort()).toEqual(['HTTP', 'TCP']);
});
