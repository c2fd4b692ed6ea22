/** At which addresses of Nodes levelset adds members, whatever kubelets say of themselves. */
import { beforeEach, expect, test } from 'vitest';
import { sweep } from '../../../shared/sweep.ts';
import { aConfig } from '../../support/config.ts';
import { failing } from '../../support/failing.ts';
import { aWorld } from '../../support/for-one-test.ts';
import { inEachTest, runAll, startSandboxWorld, type SandboxWorld } from '../../support/sandbox-world.ts';
import { aService } from '../../support/service.ts';
import { eventsOf, readyOf } from '../../support/told.ts';

const it = inEachTest(() => startSandboxWorld({}, { manageSecurityGroups: true }));
beforeEach(async () => {
  await it.create('web');
});

/** The providerID of a server that the project does not see. */
const UNSEEN = 'openstack:///6f0f2f3e-0000-4000-8000-000000000001';
const PORTS = /\/v2.0\/ports/;

/** A process that manages no security groups. */
const unmanaged = () => it.another(aConfig(it.sandbox.authUrl));
const members = (): readonly string[] => [...new Set(it.cloud.members.map(({ address }) => address))].sort();
const portOf = (server: string, { cloud }: Pick<SandboxWorld, 'cloud'> = it) =>
  cloud.ports.find(({ device_id: id }) => id === server);
const addressOf = (server: string, of?: SandboxWorld) => portOf(server, of)?.fixed_ips[0]?.ip_address ?? '';
const settleNow = (by?: SandboxWorld['world']) => it.settle('web', { trigger: 'command' }, by);

/** A Node says that it has this address. */
function claim(address: string, name = 'node-3', more: object = {}, of: SandboxWorld = it): void {
  const status = { addresses: [{ type: 'InternalIP', address }] };
  of.kube.apply({ kind: 'Node', metadata: { name }, status, ...more });
}

/** The Service without a security group. */
async function withoutGroups(): Promise<void> {
  it.kube.delete('Service', 'default', 'web');
  await settleNow();
  it.kube.apply(aService());
  await it.sweepUntilSettled(await unmanaged());
}

test.each(['another machine', 'the metadata service'])(
  'a Node that claims the address of %s is no member there, and its Service says so',
  async (whose) => {
    const database = it.cloud.addNovaServer('database').id;
    const before = portOf(database)?.security_groups;
    const own = members();
    const claimed = whose === 'another machine' ? addressOf(database) : '169.254.169.254';
    const { id = '' } = it.cloud.servers.find(({ name }) => name === 'node-3') ?? {};
    claim(claimed);

    await it.sweepUntilSettled();

    expect(members()).toEqual(own.filter((address) => address !== addressOf(id)));
    expect(portOf(database)?.security_groups).toEqual(before);
    expect(readyOf(it)).toMatchObject({ status: 'True' });
    expect(it.told()).toContain(`status.addresses of Node node-3 "${claimed}"`);
    expect(eventsOf(it).length).toBeGreaterThan(1);

    claim(addressOf(id));
    await it.sweepUntilSettled();
    expect(members()).toEqual(own);
    expect(it.told()).not.toContain('node-3');
  },
);

test('a port of another network takes out no member whose own port the project does not see, and lets no new one in', async () => {
  const { cloud, kube } = it;
  const own = members();
  const port = portOf(cloud.servers.find(({ name }) => name === 'node-2')?.id ?? '');
  if (!port) throw new Error('no port');
  cloud.ports.remove(port);
  Object.assign(portOf(cloud.addNovaServer('database').id) ?? {}, { fixed_ips: port.fixed_ips });
  claim(addressOf(cloud.addNovaServer('another').id), 'elsewhere', { spec: { providerID: UNSEEN } });
  kube.setReady('elsewhere', true);

  await settleNow();

  expect(members()).toEqual(own);
  expect(it.told()).toContain('the project sees no port of that server');

  kube.setReady('node-2', false);
  await settleNow();
  expect(members()).toEqual(own.filter((address) => address !== port.fixed_ips[0]?.ip_address));
});

test('a Node that is kept out blocks no Service whose source ranges the security group enforces', async () => {
  const config = { lbProvider: 'ovn', manageSecurityGroups: true } as const;
  const ovn = await aWorld({ octavia: { provider: 'ovn' } }, config);
  const address = addressOf(ovn.cloud.addNovaServer('another').id, ovn);
  claim(address, 'elsewhere', { spec: { providerID: UNSEEN } }, ovn);
  ovn.kube.setReady('elsewhere', true);

  const { outcome } = await ovn.make({ spec: { loadBalancerSourceRanges: ['192.0.2.0/24'] } });

  expect(outcome).toEqual({ status: 'settled' });
  expect(ovn.cloud.members.map((member) => member.address)).not.toContain(address);
  expect(ovn.cloud.members.length).toBeGreaterThan(0);
});

test('an address pair of its own port makes an address a member, with the security group', async () => {
  it.kube.addNode('node-9');
  const server = it.cloud.servers.find(({ name }) => name === 'node-9')?.id ?? '';
  Object.assign(portOf(server) ?? {}, { allowed_address_pairs: [{ ip_address: '10.0.0.200' }] });
  claim('10.0.0.200', 'node-9');

  await it.sweepUntilSettled();

  const group = it.cloud.securityGroups.find(({ name }) => name.startsWith('lb-sg-'))?.id ?? '';
  expect(members()).toContain('10.0.0.200');
  expect(portOf(server)?.security_groups).toContain(group);
  expect(it.told()).not.toContain('10.0.0.200');
});

test('an address on no port joins with a warning', async () => {
  claim('10.0.0.250');

  await settleNow();

  expect(members()).toContain('10.0.0.250');
  expect(it.told()).toContain('though nothing proves that it is the Node’s');
});

const groupsOf = (server: string) => portOf(server)?.security_groups;
/** A Node whose providerID is none of OpenStack's, at this address. */
const addStranger = (address: string): void => {
  claim(address, 'stranger', { spec: { providerID: 'k3s://stranger' } });
};

test('a Node that names no server joins, and the server at its address gets no security group', async () => {
  const { id } = it.cloud.addNovaServer('database');
  const before = groupsOf(id);
  addStranger(addressOf(id));

  await it.sweepUntilSettled();

  expect(members()).toContain(addressOf(id));
  expect(groupsOf(id)).toEqual(before);
  expect(it.told()).toContain('of a server that no Node names');
});

test('a server that has the security group keeps it, and where no Node names a server it gets it', async () => {
  for (const { metadata } of it.kube.list('Node')) it.kube.delete('Node', '', metadata.name);
  const { id } = it.cloud.addNovaServer('node-7');
  addStranger(addressOf(id));
  await it.sweepUntilSettled();
  const having = groupsOf(id);
  expect(having).toHaveLength(2);

  it.kube.addNode('node-9');
  await it.sweepUntilSettled();
  expect(groupsOf(id)).toEqual(having);
});

test('an address that waits leaves no ExternalIP in its place, which nobody judged', async () => {
  await withoutGroups();
  const victim = addressOf(it.cloud.addNovaServer('database').id);
  const own = members();
  const all = { InternalIP: '10.0.0.99', ExternalIP: victim };
  const addresses = Object.entries(all).map(([type, address]) => ({ type, address }));
  it.kube.addNode('node-9');
  it.kube.apply({ kind: 'Node', metadata: { name: 'node-9' }, status: { addresses } });
  failing(it, 'GET', PORTS);

  await settleNow(await unmanaged());

  expect(members()).toEqual(own);
});

test('while ports cannot be listed and nobody would join, nobody waits, and the Service is watched as before', async () => {
  await withoutGroups();
  const labels = { 'node.kubernetes.io/exclude-from-external-load-balancers': '' };
  const metadata = { name: 'not-a-member', labels };
  const spec = { providerID: 'openstack:///5e5e5e5e-0000-4000-8000-000000000001' };
  claim('10.0.0.98', 'not-a-member', { metadata, spec });
  failing(it, 'GET', PORTS);

  expect((await settleNow(await unmanaged())).outcome).toMatchObject({ status: 'settled' });
  expect(readyOf(it)).toMatchObject({ status: 'True' });
  expect(it.told()).not.toContain('waits');
});

test('while ports cannot be listed members stay, a listener still changes, and a new Node joins when they can be', async () => {
  await withoutGroups();
  const own = members();
  const heal = failing(it, 'GET', PORTS);
  it.kube.addNode('node-9');
  it.kube.apply(aService({ spec: { ports: [{ name: 'more', port: 81, nodePort: 30_081 }] } }));

  await settleNow(await unmanaged());

  expect(it.cloud.listeners.map((one) => one.protocol_port)).toEqual([81]);
  expect(members()).toEqual(own);
  expect(it.told()).toContain('waits: whose it is cannot be looked up');

  heal();
  await it.sweepUntilSettled(await unmanaged());
  expect(members()).toHaveLength(own.length + 1);
});

/** What sweeps ask of ports. */
async function portsAskedBy(sweeps: () => Promise<unknown>): Promise<readonly string[]> {
  const before = it.requests.length;
  await sweeps();
  const ports = it.requests.slice(before).filter(({ path }) => path.includes('/v2.0/ports'));
  return ports.map(({ path }) => (path.includes('device_owner=Octavia') ? 'VIP ports' : 'servers'));
}

test.each([true, false])(
  'a settled sweep asks for the ports of servers once, and for no VIP port that has a floating IP, with security groups (%s)',
  async (isManaged) => {
    const another = () => (isManaged ? it.another() : unmanaged());
    it.advanceClock(60_000);
    await it.sweepUntilSettled(await another());
    await runAll(await sweep(it.world), it.world);

    expect(await portsAskedBy(async () => sweep(await another()))).toEqual(['servers']);
  },
);

test('sweeps of namespaces share one list of ports for a minute', async () => {
  const by = await unmanaged();
  await it.sweepUntilSettled(by);

  const three = async () => {
    for (let sweeps = 0; sweeps < 3; sweeps += 1) await sweep(by, { namespace: 'default' });
  };
  expect(await portsAskedBy(three)).toEqual([]);
});
