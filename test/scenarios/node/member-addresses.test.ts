/** At which addresses of Nodes levelset adds members, whatever kubelets say of themselves. */
import { beforeEach, expect, test } from 'vitest';
import { sweep } from '../../../shared/sweep.ts';
import { aConfig } from '../../support/config.ts';
import { inEachTest, runAll, startSandboxWorld } from '../../support/sandbox-world.ts';
import { aService } from '../../support/service.ts';
import { eventsOf, readyOf } from '../../support/told.ts';

const it = inEachTest(() => startSandboxWorld({}, { manageSecurityGroups: true }));
beforeEach(async () => {
  it.sandbox.kube.apply(aService());
  await it.sweepUntilSettled();
});

/** Another process, without security groups. */
const unmanaged = () => it.another(aConfig(it.sandbox.authUrl));
const members = (): readonly string[] =>
  [...new Set(it.sandbox.cloud.members.map(({ address }) => address))].sort();
const portOf = (server: string) => it.sandbox.cloud.ports.find(({ device_id: id }) => id === server);
const addressOf = (server: string): string => portOf(server)?.fixed_ips[0]?.ip_address ?? '';

function claim(address: string): void {
  const status = { addresses: [{ type: 'InternalIP', address }] };
  it.sandbox.kube.apply({ kind: 'Node', metadata: { name: 'node-3' }, status });
}

const settleNow = (by = it.world) => it.settle('web', { trigger: 'command' }, by);

test('a Node that claims the address of another machine is no member there, and its Service says so', async () => {
  const database = it.sandbox.cloud.addNovaServer('database').id;
  const before = portOf(database)?.security_groups;
  const own = members();
  const server = it.sandbox.cloud.servers.find(({ name }) => name === 'node-3')?.id ?? '';
  claim(addressOf(database));

  await it.sweepUntilSettled();

  expect(members()).toEqual(own.filter((address) => address !== addressOf(server)));
  expect(portOf(database)?.security_groups).toEqual(before);
  expect(readyOf(it.sandbox)).toMatchObject({ status: 'True' });
  expect(readyOf(it.sandbox)?.message).toContain(`status.addresses of Node node-3 "${addressOf(database)}"`);
  expect(eventsOf(it.sandbox).length).toBeGreaterThan(1);

  claim(addressOf(server));
  await it.sweepUntilSettled();
  expect(members()).toEqual(own);
  expect(readyOf(it.sandbox)?.message).not.toContain('node-3');
});

test('an address on no port joins with a warning', async () => {
  claim('10.0.0.250');

  await settleNow();

  expect(members()).toContain('10.0.0.250');
  expect(readyOf(it.sandbox)?.message).toContain('so nothing proves that it is the Node’s');
});

test('a server that has the security group keeps it, and where no Node names a server it gets it', async () => {
  for (const { metadata } of it.sandbox.kube.list('Node')) it.sandbox.kube.delete('Node', '', metadata.name);
  const { id } = it.sandbox.cloud.addNovaServer('node-7');
  const status = { addresses: [{ type: 'InternalIP', address: addressOf(id) }] };
  const spec = { providerID: 'k3s://stranger' };
  it.sandbox.kube.apply({ kind: 'Node', metadata: { name: 'stranger' }, spec, status });
  await it.sweepUntilSettled();
  const having = portOf(id)?.security_groups;
  expect(having).toHaveLength(2);

  it.sandbox.kube.addNode('node-9');
  await it.sweepUntilSettled();
  expect(portOf(id)?.security_groups).toEqual(having);
});

test('while ports cannot be listed members stay, a listener still changes, and a new Node joins when they can be', async () => {
  it.sandbox.kube.delete('Service', 'default', 'web');
  await settleNow();
  it.sandbox.kube.apply(aService());
  await it.sweepUntilSettled(await unmanaged());
  const own = members();
  const match = { side: 'openstack', method: 'GET', path: /\/v2.0\/ports/ } as const;
  const heal = it.sandbox.fault({ match, times: 1e6, kind: 'fail-before', status: 503 });
  it.sandbox.kube.addNode('node-9');
  it.sandbox.kube.apply(aService({ spec: { ports: [{ name: 'more', port: 81, nodePort: 30_081 }] } }));

  await settleNow(await unmanaged());

  expect(it.sandbox.cloud.listeners.map((one) => one.protocol_port)).toEqual([81]);
  expect(members()).toEqual(own);
  expect(readyOf(it.sandbox)?.message).toContain('waits: whose it is cannot be looked up');

  heal();
  await it.sweepUntilSettled(await unmanaged());
  expect(members()).toHaveLength(own.length + 1);
});

test('a settled sweep asks for the ports of servers once, and for no VIP port that has a floating IP, with security groups or without', async () => {
  for (const another of [() => it.another(), unmanaged]) {
    it.sandbox.advanceClock(60_000);
    await it.sweepUntilSettled(await another());
    await runAll(await sweep(it.world), it.world);
    const before = it.sandbox.requests.length;

    await sweep(await another());

    const ports = it.sandbox.requests.slice(before).filter(({ path }) => path.includes('/v2.0/ports'));
    const what = ports.map(({ path }) => (path.includes('device_owner=Octavia') ? 'VIP ports' : 'servers'));
    expect(what).toEqual(['servers']);
  }
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
