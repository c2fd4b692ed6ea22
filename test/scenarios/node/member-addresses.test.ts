/** At which addresses of Nodes levelset adds members, whatever kubelets say of themselves. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Config } from '../../../shared/config/config.ts';
import type { World } from '../../../shared/ports.ts';
import { sweep } from '../../../shared/sweep.ts';
import { aConfig } from '../../support/config.ts';
import { runAll, startSandboxWorld, type SandboxWorld } from '../../support/sandbox-world.ts';
import { aService } from '../../support/service.ts';
import { eventsOf, readyOf } from '../../support/told.ts';

let it: SandboxWorld;
let world: World;
beforeEach(async () => {
  it = await startSandboxWorld();
  world = await worldWith({});
  it.sandbox.kube.apply(aService());
  await it.sweepUntilSettled(world);
});
afterEach(() => it.close());

const worldWith = (more: Partial<Config>): Promise<World> =>
  it.another({ ...aConfig(it.sandbox.authUrl, { manageSecurityGroups: true }), ...more });
const members = (): readonly string[] =>
  [...new Set(it.sandbox.cloud.members.map(({ address }) => address))].sort();
const portOf = (server: string) => it.sandbox.cloud.ports.find(({ device_id: id }) => id === server);
const addressOf = (server: string): string => portOf(server)?.fixed_ips[0]?.ip_address ?? '';

function claim(address: string, name = 'node-3'): void {
  const status = { addresses: [{ type: 'InternalIP', address }] };
  it.sandbox.kube.apply({ kind: 'Node', metadata: { name }, status });
}

const settleNow = (by = world) => it.settle('web', { trigger: 'command' }, by);

/** The Service without a security group. */
async function withoutGroups(): Promise<void> {
  it.sandbox.kube.delete('Service', 'default', 'web');
  await settleNow();
  it.sandbox.kube.apply(aService());
  await it.sweepUntilSettled(await worldWith({ loadBalancer: aConfig().loadBalancer }));
}

test.each(['another machine', 'the metadata service'])(
  'a Node that claims the address of %s is no member there, and its Service says so',
  async (whose) => {
    const database = it.sandbox.cloud.addNovaServer('database');
    const before = portOf(database.id)?.security_groups;
    const own = members();
    const claimed = whose === 'another machine' ? addressOf(database.id) : '169.254.169.254';
    const [leaves] = it.sandbox.kube
      .list('Node')
      .filter(({ metadata }) => metadata.name === 'node-3')
      .flatMap(({ status }) => (status as { addresses: { address: string }[] }).addresses);
    claim(claimed);

    await it.sweepUntilSettled(world);

    expect(members()).toEqual(own.filter((address) => address !== leaves?.address));
    expect(portOf(database.id)?.security_groups).toEqual(before);
    expect(readyOf(it.sandbox)).toMatchObject({ status: 'True' });
    expect(readyOf(it.sandbox)?.message).toContain(`status.addresses of Node node-3 "${claimed}"`);
    expect(eventsOf(it.sandbox).length).toBeGreaterThan(1);

    claim(leaves?.address ?? '');
    await it.sweepUntilSettled(world);
    expect(members()).toEqual(own);
    expect(readyOf(it.sandbox)?.message).not.toContain('node-3');
  },
);

test('a port of another network takes out no member whose own port the project does not see, and lets no new one in', async () => {
  const { cloud, kube } = it.sandbox;
  const own = members();
  const unseen = cloud.servers.find(({ name }) => name === 'node-2')?.id ?? '';
  const port = portOf(unseen);
  if (!port) throw new Error('no port');
  cloud.ports.remove(port);
  const database = cloud.addNovaServer('database');
  Object.assign(portOf(database.id) ?? {}, { fixed_ips: port.fixed_ips });
  const providerID = 'openstack:///6f0f2f3e-0000-4000-8000-000000000001';
  kube.apply({ kind: 'Node', metadata: { name: 'elsewhere' }, spec: { providerID } });
  claim(addressOf(cloud.addNovaServer('another').id), 'elsewhere');
  kube.setReady('elsewhere', true);

  await settleNow();

  expect(members()).toEqual(own);
  expect(readyOf(it.sandbox)?.message).toContain('of which the project sees none');

  kube.setReady('node-2', false);
  await settleNow();
  expect(members()).toEqual(own.filter((address) => address !== port.fixed_ips[0]?.ip_address));
});

test('a Node that is kept out blocks no Service whose source ranges the security group enforces', async () => {
  const ovn = await startSandboxWorld(
    { octavia: { provider: 'ovn' } },
    { lbProvider: 'ovn', manageSecurityGroups: true },
  );
  try {
    const { kube, cloud } = ovn.sandbox;
    const another = cloud.addNovaServer('another').id;
    const address = cloud.ports.find(({ device_id: id }) => id === another)?.fixed_ips[0]?.ip_address;
    kube.apply({
      kind: 'Node',
      metadata: { name: 'elsewhere' },
      spec: { providerID: 'openstack:///6f0f2f3e-0000-4000-8000-000000000001' },
      status: { addresses: [{ type: 'InternalIP', address }] },
    });
    kube.setReady('elsewhere', true);
    kube.apply(aService({ spec: { loadBalancerSourceRanges: ['192.0.2.0/24'] } }));

    const { outcome } = await ovn.settle('web');

    expect(outcome).toEqual({ status: 'settled' });
    expect(cloud.members.map((member) => member.address)).not.toContain(address);
    expect(cloud.members.length).toBeGreaterThan(0);
  } finally {
    await ovn.close();
  }
});

test('an address pair of its own port makes an address a member, with the security group', async () => {
  it.sandbox.kube.addNode('node-9');
  const server = it.sandbox.cloud.servers.find(({ name }) => name === 'node-9')?.id ?? '';
  Object.assign(portOf(server) ?? {}, { allowed_address_pairs: [{ ip_address: '10.0.0.200' }] });
  claim('10.0.0.200', 'node-9');

  await it.sweepUntilSettled(world);

  const group = it.sandbox.cloud.securityGroups.find(({ name }) => name.startsWith('lb-sg-'))?.id ?? '';
  expect(members()).toContain('10.0.0.200');
  expect(portOf(server)?.security_groups).toContain(group);
  expect(readyOf(it.sandbox)?.message).not.toContain('10.0.0.200');
});

test('an address on no port joins with a warning', async () => {
  claim('10.0.0.250');

  await settleNow();

  expect(members()).toContain('10.0.0.250');
  expect(readyOf(it.sandbox)?.message).toContain('so nothing proves that it is the Node’s');
});

const groupsOf = (server: string) => portOf(server)?.security_groups;
/** A Node whose providerID is none of OpenStack's, at this address. */
function addStranger(address: string): void {
  const status = { addresses: [{ type: 'InternalIP', address }] };
  const spec = { providerID: 'k3s://stranger' };
  it.sandbox.kube.apply({ kind: 'Node', metadata: { name: 'stranger' }, spec, status });
}

test('a Node that names no server joins, and the server at its address gets no security group', async () => {
  const { id } = it.sandbox.cloud.addNovaServer('database');
  const before = groupsOf(id);
  addStranger(addressOf(id));

  await it.sweepUntilSettled(world);

  expect(members()).toContain(addressOf(id));
  expect(groupsOf(id)).toEqual(before);
  expect(readyOf(it.sandbox)?.message).toContain('of a server that no Node names');
});

test('a server that has the security group keeps it, and where no Node names a server it gets it', async () => {
  for (const { metadata } of it.sandbox.kube.list('Node')) it.sandbox.kube.delete('Node', '', metadata.name);
  const { id } = it.sandbox.cloud.addNovaServer('node-7');
  addStranger(addressOf(id));
  await it.sweepUntilSettled(world);
  const having = groupsOf(id);
  expect(having).toHaveLength(2);

  it.sandbox.kube.addNode('node-9');
  await it.sweepUntilSettled(world);
  expect(groupsOf(id)).toEqual(having);
});

test('an address that waits leaves no ExternalIP in its place, which nobody judged', async () => {
  await withoutGroups();
  const victim = addressOf(it.sandbox.cloud.addNovaServer('database').id);
  const own = members();
  const status = {
    addresses: [
      { type: 'InternalIP', address: '10.0.0.99' },
      { type: 'ExternalIP', address: victim },
    ],
  };
  it.sandbox.kube.addNode('node-9');
  it.sandbox.kube.apply({ kind: 'Node', metadata: { name: 'node-9' }, status });
  const match = { side: 'openstack', method: 'GET', path: /\/v2.0\/ports/ } as const;
  it.sandbox.fault({ match, times: 1e6, kind: 'fail-before', status: 503 });

  await settleNow(await worldWith({ loadBalancer: aConfig().loadBalancer }));

  expect(members()).toEqual(own);
});

test('while ports cannot be listed and nobody would join, nobody waits, and the Service is watched as before', async () => {
  await withoutGroups();
  it.sandbox.kube.apply({
    kind: 'Node',
    metadata: {
      name: 'not-a-member',
      labels: { 'node.kubernetes.io/exclude-from-external-load-balancers': '' },
    },
    spec: { providerID: 'openstack:///5e5e5e5e-0000-4000-8000-000000000001' },
    status: { addresses: [{ type: 'InternalIP', address: '10.0.0.98' }] },
  });
  const match = { side: 'openstack', method: 'GET', path: /\/v2.0\/ports/ } as const;
  it.sandbox.fault({ match, times: 1e6, kind: 'fail-before', status: 503 });

  const { outcome } = await settleNow(await worldWith({ loadBalancer: aConfig().loadBalancer }));

  expect(outcome).toMatchObject({ status: 'settled' });
  expect(readyOf(it.sandbox)).toMatchObject({ status: 'True' });
  expect(readyOf(it.sandbox)?.message).not.toContain('waits');
});

test('while ports cannot be listed members stay, a listener still changes, and a new Node joins when they can be', async () => {
  await withoutGroups();
  const own = members();
  const match = { side: 'openstack', method: 'GET', path: /\/v2.0\/ports/ } as const;
  const heal = it.sandbox.fault({ match, times: 1e6, kind: 'fail-before', status: 503 });
  it.sandbox.kube.addNode('node-9');
  it.sandbox.kube.apply(aService({ spec: { ports: [{ name: 'more', port: 81, nodePort: 30_081 }] } }));

  const fresh = await worldWith({ loadBalancer: aConfig().loadBalancer });
  await settleNow(fresh);

  expect(it.sandbox.cloud.listeners.map((one) => one.protocol_port)).toEqual([81]);
  expect(members()).toEqual(own);
  expect(readyOf(it.sandbox)?.message).toContain('waits: whose it is cannot be looked up');

  heal();
  await it.sweepUntilSettled(await worldWith({ loadBalancer: aConfig().loadBalancer }));
  expect(members()).toHaveLength(own.length + 1);
});

test('a settled sweep asks for the ports of servers once, and for no VIP port that has a floating IP, with security groups or without', async () => {
  for (const manageSecurityGroups of [true, false]) {
    const { loadBalancer } = aConfig(undefined, { manageSecurityGroups });
    it.sandbox.advanceClock(60_000);
    await it.sweepUntilSettled(await worldWith({ loadBalancer }));
    await runAll(await sweep(world), world);
    const before = it.sandbox.requests.length;

    await sweep(await worldWith({ loadBalancer }));

    const ports = it.sandbox.requests.slice(before).filter(({ path }) => path.includes('/v2.0/ports'));
    const what = ports.map(({ path }) => (path.includes('device_owner=Octavia') ? 'VIP ports' : 'servers'));
    expect(what).toEqual(['servers']);
  }
});

test('sweeps of namespaces share one list of ports for a minute', async () => {
  const unmanaged = await worldWith({ loadBalancer: aConfig().loadBalancer });
  await it.sweepUntilSettled(unmanaged);
  const before = it.sandbox.requests.length;

  for (let sweeps = 0; sweeps < 3; sweeps += 1) await sweep(unmanaged, { namespace: 'default' });

  const ports = it.sandbox.requests.slice(before).filter(({ path }) => path.includes('/v2.0/ports'));
  expect(ports).toEqual([]);
});
