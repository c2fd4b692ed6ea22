/** Which Nodes are members, with which weight, and what a person set on members. */
import { expect, test } from 'vitest';
import { inEachTest, startSandboxWorld, type SandboxWorld } from '../../support/sandbox-world.ts';
import { aService } from '../../support/service.ts';
import { addressOf, readyOf } from '../../support/told.ts';

const SELECTOR = 'loadbalancer.openstack.org/node-selector';

const it = inEachTest(() => startSandboxWorld({}, { manageSecurityGroups: true }));

const members = (): readonly string[] => it.cloud.members.map(({ name }) => name).sort();
const label = (name: string, zone: string): unknown =>
  it.kube.apply({ kind: 'Node', metadata: { name, labels: { zone } } });

const select = (text: string, by?: SandboxWorld['world']) =>
  it.make({ annotations: { [SELECTOR]: text } }, {}, by);

function inTheGroup() {
  const { id = '' } = it.cloud.securityGroups.find(({ name }) => name.startsWith('lb-sg')) ?? {};
  const ports = it.cloud.ports.filter((port) => port.security_groups.includes(id));
  return ports.map((port) => port.fixed_ips[0]?.ip_address);
}

test('where no Node is there a Service says so, and has its load balancer when the first one comes', async () => {
  for (const name of ['node-1', 'node-2', 'node-3']) it.kube.removeNode(name);
  const report = await it.make();
  expect(report.outcome.status).toBe('blocked');
  expect(it.told()).toContain('subnet-id');
  expect(it.cloud.loadbalancers).toEqual([]);

  it.kube.addNode('node-4');
  await it.sweepUntilSettled();

  expect(members()).toEqual(['node-4']);
  expect(addressOf(it)).toBeDefined();
});

test('a Node without an address is no member, is named, and is a member once it has one', async () => {
  it.kube.apply(aService());
  const { id } = it.cloud.addNovaServer('late');
  const port = it.cloud.ports.find(({ device_id }) => device_id === id);
  it.kube.apply({ kind: 'Node', metadata: { name: 'late' } });

  expect((await it.settle('web')).nodesWithoutAddress).toEqual(['late']);
  expect(members()).toEqual(['node-1', 'node-2', 'node-3']);

  const addresses = [{ type: 'InternalIP', address: port?.fixed_ips[0]?.ip_address }];
  it.kube.apply({ kind: 'Node', metadata: { name: 'late' }, status: { addresses } });
  expect((await it.settle('web')).nodesWithoutAddress).toBeUndefined();
  expect(members()).toEqual(['late', 'node-1', 'node-2', 'node-3']);
});

test('a Node that is not ready stays a member, as with OCCM: the health checks of Octavia decide', async () => {
  await it.create('web');
  const before = it.requests.length;
  it.kube.setReady('node-2', false);
  await it.sweepUntilSettled();
  expect(members()).toEqual(['node-1', 'node-2', 'node-3']);
  expect(it.requests.slice(before).filter(({ side, write }) => side === 'openstack' && write)).toEqual([]);
});

test('Nodes are members by the labels that the Service asks for, also when these come and go', async () => {
  label('node-1', 'east');
  await select('zone=east');
  label('node-2', 'east');
  await it.sweepUntilSettled();
  expect(members()).toEqual(['node-1', 'node-2']);

  label('node-1', 'west');
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
  expect(readyOf(it)).toMatchObject({ status: 'True' });
  expect(it.told()).toContain('goes on with zone=east, the last that it could read');

  it.kube.addNode('node-8');
  it.kube.addNode('node-9');
  label('node-9', 'east');
  await select('zone ∈ east', await it.another());
  await it.sweepUntilSettled(await it.another());
  expect(members()).toEqual(['node-2', 'node-9']);

  await select('');
  expect(members()).toHaveLength(5);
});

test('where no node-selector was ever read no Node joins, those that are gone leave, and the last one stays', async () => {
  await it.make();
  const opened = inTheGroup();

  await select('zone:east');
  it.kube.addNode('node-7');
  await it.settle('web');
  expect(members()).toEqual(['node-1', 'node-2', 'node-3']);
  expect(inTheGroup()).toEqual(opened);
  expect(readyOf(it)).toMatchObject({ status: 'False' });

  for (const name of ['node-1', 'node-2']) it.kube.removeNode(name);
  await it.settle('web');
  expect(members()).toEqual(['node-3']);

  it.kube.removeNode('node-3');
  await it.settle('web');
  expect(members()).toEqual(['node-3']);
});

const OWN = 'levelset.openstack.org/';

const ask = (annotations: Readonly<Record<string, string>>) =>
  it.make({ annotations, spec: { ports: [{ name: 'web', port: 80, nodePort: 30_080 }] } });
/** `node-1 10`, `node-2 1 backup` */
const shares = (): readonly string[] =>
  it.cloud.members
    .map(({ name, weight, backup }) => `${name} ${String(weight)}${backup === true ? ' backup' : ''}`)
    .sort();
const byHand = (node: string, attributes: object): unknown =>
  Object.assign(it.cloud.members.find(({ name }) => name === node) ?? {}, attributes);

test('shares that a person set stay, also when nodes come and go in one call', async () => {
  await ask({});
  byHand('node-2', { weight: 7, monitor_address: '10.0.0.99', tags: ['by hand'] });

  it.kube.addNode('node-4');
  it.kube.addNode('node-5');
  it.kube.removeNode('node-1');
  it.kube.removeNode('node-3');
  await it.settle('web', { trigger: 'resync' });

  expect(shares()).toEqual(['node-2 7', 'node-4 1', 'node-5 1']);
  const kept = it.cloud.members.find(({ name }) => name === 'node-2');
  expect(kept).toMatchObject({ monitor_address: '10.0.0.99', tags: ['by hand'] });
});

test('shares that a person set for a machine end with it: another Node at its address has what is asked for, and its name', async () => {
  await ask({ [`${OWN}member-weights`]: 'fresh-2=3' });
  byHand('node-1', { weight: 0, tags: ['by hand'] });
  byHand('node-2', { weight: 0 });
  byHand('node-3', { weight: 7 });

  it.kube.removeNode('node-1');
  it.kube.removeNode('node-2');
  it.kube.addNode('fresh-1', { address: '10.0.0.10' });
  it.kube.addNode('fresh-2', { address: '10.0.0.11' });
  await it.settle('web');

  expect(shares()).toEqual(['fresh-1 1', 'fresh-2 3', 'node-3 7']);
  expect(it.cloud.members.find(({ name }) => name === 'fresh-1')?.tags).toEqual(['by hand']);
});
