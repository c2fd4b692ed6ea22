import { expect, test } from 'vitest';
import { inEachTest, startSandboxWorld, type SandboxWorld } from '../../support/sandbox-world.ts';
import { aService } from '../../support/service.ts';
import { addressOf, readyOf } from '../../support/told.ts';

const SELECTOR = 'loadbalancer.openstack.org/node-selector';

const it = inEachTest(() => startSandboxWorld({}, { manageSecurityGroups: true }));

const members = (): readonly string[] => it.sandbox.cloud.members.map(({ name }) => name).sort();
const label = (name: string, zone: string): unknown =>
  it.sandbox.kube.apply({ kind: 'Node', metadata: { name, labels: { zone } } });

async function select(text: string, by?: SandboxWorld['world']): Promise<void> {
  it.sandbox.kube.apply(aService({ annotations: { [SELECTOR]: text } }));
  await it.settle('web', {}, by);
}

function inTheGroup(): readonly unknown[] {
  const { id = '' } = it.sandbox.cloud.securityGroups.find(({ name }) => name.startsWith('lb-sg')) ?? {};
  return it.sandbox.cloud.ports
    .filter((port) => port.security_groups.includes(id))
    .map((port) => port.fixed_ips[0]?.ip_address);
}

test('where no Node is there a Service says so, and has its load balancer when the first one comes', async () => {
  for (const name of ['node-1', 'node-2', 'node-3']) it.sandbox.kube.removeNode(name);
  it.sandbox.kube.apply(aService());
  const report = await it.settle('web');
  expect(report.outcome.status).toBe('blocked');
  expect(readyOf(it.sandbox)?.message).toContain('subnet-id');
  expect(it.sandbox.cloud.loadbalancers).toEqual([]);

  it.sandbox.kube.addNode('node-4');
  await it.sweepUntilSettled();

  expect(members()).toEqual(['node-4']);
  expect(addressOf(it.sandbox)).toBeDefined();
});

test('a Node without an address is no member, is named, and is a member once it has one', async () => {
  it.sandbox.kube.apply(aService());
  const { id } = it.sandbox.cloud.addNovaServer('late');
  const port = it.sandbox.cloud.ports.find(({ device_id }) => device_id === id);
  it.sandbox.kube.apply({ kind: 'Node', metadata: { name: 'late' } });

  const first = await it.settle('web');
  expect(first.nodesWithoutAddress).toEqual(['late']);
  expect(members()).toEqual(['node-1', 'node-2', 'node-3']);

  const addresses = [{ type: 'InternalIP', address: port?.fixed_ips[0]?.ip_address }];
  it.sandbox.kube.apply({ kind: 'Node', metadata: { name: 'late' }, status: { addresses } });
  const second = await it.settle('web');

  expect(second.nodesWithoutAddress).toBeUndefined();
  expect(members()).toEqual(['late', 'node-1', 'node-2', 'node-3']);
});

test('Nodes are members by the labels that the Service asks for, also when these come and go', async () => {
  await select('zone=east');
  expect(members()).toEqual([]);
  expect(readyOf(it.sandbox)?.message).toContain('matches none of 3 nodes');

  label('node-1', 'east');
  label('node-2', 'east');
  await it.sweepUntilSettled();
  expect(members()).toEqual(['node-1', 'node-2']);

  label('node-1', 'west');
  await it.sweepUntilSettled();
  expect(members()).toEqual(['node-2']);

  label('node-2', 'west');
  await it.sweepUntilSettled();
  expect(members()).toEqual(['node-2']);
});

test('the last node-selector that could be read goes on to count, also for another process and after other changes', async () => {
  label('node-2', 'east');
  await select('zone=east');
  const opened = inTheGroup();
  expect(members()).toEqual(['node-2']);

  await select('zone in (east)', await it.another());
  expect(members()).toEqual(['node-2']);
  expect(inTheGroup()).toEqual(opened);
  expect(readyOf(it.sandbox)).toMatchObject({ status: 'True' });
  expect(readyOf(it.sandbox)?.message).toContain('goes on with zone=east, the last that it could read');

  it.sandbox.kube.addNode('node-8');
  it.sandbox.kube.addNode('node-9');
  label('node-9', 'east');
  await select('zone ∈ east', await it.another());
  await it.sweepUntilSettled(await it.another());
  expect(members()).toEqual(['node-2', 'node-9']);

  await select('');
  expect(members()).toHaveLength(5);
});

test('where no node-selector was ever read no Node joins, those that are gone leave, and the last one stays', async () => {
  it.sandbox.kube.apply(aService());
  await it.settle('web');
  const opened = inTheGroup();

  await select('zone:east');
  it.sandbox.kube.addNode('node-7');
  await it.settle('web');
  expect(members()).toEqual(['node-1', 'node-2', 'node-3']);
  expect(inTheGroup()).toEqual(opened);
  expect(readyOf(it.sandbox)).toMatchObject({ status: 'False' });

  for (const name of ['node-1', 'node-2']) it.sandbox.kube.removeNode(name);
  await it.settle('web');
  expect(members()).toEqual(['node-3']);

  it.sandbox.kube.removeNode('node-3');
  await it.settle('web');
  expect(members()).toEqual(['node-3']);
});
