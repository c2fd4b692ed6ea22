import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectNeutron } from '../conformance/cloud-case.ts';
import { CloudSession } from '../conformance/cloud-session.ts';
import { at } from '../conformance/json-path.ts';
import { startSandbox, type Sandbox } from '../../infra/sandbox/sandbox.ts';
import { joinNode, joinNodes } from '../support/nodes.ts';

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox({ nodes: 1 });
});
afterAll(() => sandbox.close());

const spec = (name: string): unknown => sandbox.kube.get('Node', undefined, name)?.spec;

test('ten machines join in one line: servers with ports, and Nodes that wait to be initialised', () => {
  const joined = joinNodes(sandbox, 10);
  expect(joined.map(({ name }) => name)).toEqual(Array.from({ length: 10 }, (_, one) => `worker-${one + 1}`));
  for (const { name, server, node } of joined) {
    expect(node.spec).toEqual({
      taints: [
        { key: 'node.cloudprovider.kubernetes.io/uninitialized', value: 'true', effect: 'NoSchedule' },
        { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' },
      ],
    });
    expect(node.status?.['addresses']).toBeUndefined();
    expect(node.status?.['nodeInfo']).toMatchObject({ systemUUID: server.id });
    expect(node.metadata.labels).toEqual({ 'kubernetes.io/hostname': name, 'kubernetes.io/os': 'linux' });
    expect(sandbox.cloud.ports.filter((port) => port.device_id === server.id)).toHaveLength(1);
  }
});

test('a machine with a network of its own, and its kubelet’s --node-ip', () => {
  sandbox.cloud.addNetwork('storage', '10.9.0.0/24');
  const wish = { networks: ['private', 'storage'], zone: 'az2' };
  const { server, node } = joinNode(sandbox, 'two', wish, { nodeIP: '10.9.0.5', ready: false });
  const ports = sandbox.cloud.ports.filter((port) => port.device_id === server.id);
  expect(ports.map((port) => port.device_owner)).toEqual(['compute:az2', 'compute:az2']);
  expect(node.metadata.annotations).toEqual({ 'alpha.kubernetes.io/provided-node-ip': '10.9.0.5' });
  expect(node.status?.['conditions']).toMatchObject([{ type: 'Ready', status: 'Unknown' }]);
  sandbox.kube.setReady('two', true);
  const ready = sandbox.kube.get('Node', undefined, 'two')?.status?.['conditions'];
  expect(ready).toMatchObject([{ type: 'Ready', status: 'True' }]);
});

test('the Nodes at the start are whole: server, providerID and no taint', () => {
  const server = sandbox.cloud.servers.find(({ name }) => name === 'node-1');
  expect(spec('node-1')).toEqual({ providerID: `openstack:///${server?.id ?? ''}` });
});

test('what Nova says of a server can be set; a server that goes takes its ports along', () => {
  const { server } = joinNode(sandbox, 'stopping');
  sandbox.cloud.setServerStatus(server.id, 'SHUTOFF');
  expect(server.status).toBe('SHUTOFF');
  expect(() => {
    sandbox.cloud.setServerStatus(server.id, 'NONSENSE');
  }).toThrow();
  sandbox.cloud.removeNovaServer(server.id);
  expect(sandbox.cloud.servers.includes(server)).toBe(false);
  expect(sandbox.cloud.ports.filter((port) => port.device_id === server.id)).toEqual([]);
});

const session = (): Promise<CloudSession> => {
  const credentials = { username: 'demo', password: 'demo', project: 'demo' };
  const { authUrl } = sandbox;
  const hurry = (): void => undefined;
  return CloudSession.open({ name: '', real: false, authUrl, credentials, stranger: credentials, hurry });
};

test('on a network of somebody else a port gets no address pairs (tried by hand on the lab)', async () => {
  const cloud = await session();
  const { server } = joinNode(sandbox, 'guest', { networks: ['public'] });
  const port = sandbox.cloud.ports.find((one) => one.device_id === server.id);
  const rule = 'rule:update_port:allowed_address_pairs';
  for (const [allowed_address_pairs, text] of [
    [[{ ip_address: '10.244.0.0/24' }], `(${rule} and (${rule}:ip_address))`],
    [[], rule],
  ] as const) {
    const reply = await cloud.neutron('PUT', `ports/${port?.id ?? ''}`, { port: { allowed_address_pairs } });
    expectNeutron(reply, 403, 'PolicyNotAuthorized');
    const message = `(rule:update_port and ${text}) is disallowed by policy`;
    expect(at(reply.body, 'NeutronError.message')).toBe(message);
  }
});

test('the router of the networks at the start takes routes to their nodes; an older Neutron has no atomic ones', async () => {
  const cloud = await session();
  const { routerId, extensions, ports } = sandbox.cloud;
  const nexthop = ports.find((one) => one.device_owner.startsWith('compute:'))?.fixed_ips[0]?.ip_address;
  const router = { routes: [{ destination: '10.244.0.0/24', nexthop }] };
  const add = async (): Promise<number> =>
    (await cloud.neutron('PUT', `routers/${routerId}/add_extraroutes`, { router })).status;
  expect(await add()).toBe(200);
  expect(sandbox.cloud.routers[0]?.routes).toEqual(router.routes);
  extensions.splice(extensions.indexOf('extraroute-atomic'), 1);
  expect(await add()).toBe(404);
  expect((await cloud.neutron('PUT', `routers/${routerId}`, { router: { routes: [] } })).status).toBe(200);
});
