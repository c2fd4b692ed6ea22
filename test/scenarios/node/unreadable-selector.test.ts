/** A node-selector that cannot be read any more: no Node becomes a member, or gets the security group, that nobody asked for. */
import { beforeEach, expect, test } from 'vitest';
import { inEachTest, startSandboxWorld, type SandboxWorld } from '../../support/sandbox-world.ts';
import { aService } from '../../support/service.ts';
import { readyOf } from '../../support/told.ts';

const SELECTOR = 'loadbalancer.openstack.org/node-selector';

const it = inEachTest(() => startSandboxWorld({}, { manageSecurityGroups: true }));
beforeEach(() => {
  label('node-2');
});

function label(name: string): void {
  it.sandbox.kube.apply({ kind: 'Node', metadata: { name, labels: { zone: 'east' } } });
}

async function select(text: string, by?: SandboxWorld['world']): Promise<void> {
  it.sandbox.kube.apply(aService({ annotations: { [SELECTOR]: text } }));
  await it.settle('web', {}, by);
}

const members = (): readonly unknown[] => it.sandbox.cloud.members.map(({ name }) => name).sort();

function inTheGroup(): readonly unknown[] {
  const { id = '' } = it.sandbox.cloud.securityGroups.find(({ name }) => name.startsWith('lb-sg')) ?? {};
  return it.sandbox.cloud.ports
    .filter((port) => port.security_groups.includes(id))
    .map((port) => port.fixed_ips[0]?.ip_address);
}

test('the last one that could be read goes on to count, also for another process and after other changes', async () => {
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
  label('node-9');
  await it.sweepUntilSettled();
  expect(members()).toEqual(['node-2', 'node-9']);

  await select('zone ∈ east', await it.another());
  it.sandbox.kube.addNode('node-10');
  await it.sweepUntilSettled(await it.another());
  expect(members()).toEqual(['node-2', 'node-9']);

  await select('');
  expect(members()).toHaveLength(6);
});

test('where none was ever read no Node joins, those that are gone leave, and the last one stays', async () => {
  it.sandbox.kube.apply(aService());
  await it.settle('web');
  const opened = inTheGroup();

  await select('zone:east');
  it.sandbox.kube.addNode('node-7');
  await it.settle('web');
  expect(members()).toEqual(['node-1', 'node-2', 'node-3']);
  expect(inTheGroup()).toEqual(opened);
  expect(readyOf(it.sandbox)).toMatchObject({ status: 'False' });

  it.sandbox.kube.removeNode('node-1');
  it.sandbox.kube.removeNode('node-2');
  await it.settle('web');
  expect(members()).toEqual(['node-3']);

  it.sandbox.kube.removeNode('node-3');
  await it.settle('web');
  expect(members()).toEqual(['node-3']);
});

test('a new Service gets no load balancer', async () => {
  await select('zone!=west');

  expect(it.sandbox.cloud.loadbalancers).toEqual([]);
  expect(readyOf(it.sandbox)?.message).toContain('"zone!=west" must be labels such as');
});
