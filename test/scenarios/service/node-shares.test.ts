/** Weights and backup members by node, and what a person set on members. */
import { expect, test } from 'vitest';
import { aService } from '../../support/service.ts';
import { inEachTest, startSandboxWorld } from '../../support/sandbox-world.ts';
import { readyOf } from '../../support/told.ts';

const OWN = 'levelset.openstack.org/';

const it = inEachTest(() => startSandboxWorld());

const ask = async (annotations: Readonly<Record<string, string | null>>): Promise<void> => {
  const ports = [{ name: 'web', port: 80, nodePort: 30_080 }];
  it.sandbox.kube.apply(aService({ annotations: annotations as Record<string, string>, spec: { ports } }));
  await it.settle('web');
};
/** `node-1 10`, `node-2 1 backup` */
const shares = (): readonly string[] =>
  it.sandbox.cloud.members
    .map(({ name, weight, backup }) => `${name} ${String(weight)}${backup === true ? ' backup' : ''}`)
    .sort();
const byHand = (node: string, attributes: object): void => {
  const member = it.sandbox.cloud.members.find(({ name }) => name === node);
  Object.assign(member ?? {}, attributes);
};

test('that a person set stay, also when nodes come and go in one call', async () => {
  await ask({});
  byHand('node-2', { weight: 7, monitor_address: '10.0.0.99', tags: ['by hand'] });

  it.sandbox.kube.addNode('node-4');
  it.sandbox.kube.addNode('node-5');
  it.sandbox.kube.removeNode('node-1');
  it.sandbox.kube.removeNode('node-3');
  await it.settle('web', { trigger: 'resync' });

  expect(shares()).toEqual(['node-2 7', 'node-4 1', 'node-5 1']);
  const kept = it.sandbox.cloud.members.find(({ name }) => name === 'node-2');
  expect(kept).toMatchObject({ monitor_address: '10.0.0.99', tags: ['by hand'] });
});

test('that a person set for a machine end with it: another Node at its address has what is asked for, and its name', async () => {
  await ask({ [`${OWN}member-weights`]: 'fresh-2=3' });
  byHand('node-1', { weight: 0, tags: ['by hand'] });
  byHand('node-2', { weight: 0 });
  byHand('node-3', { weight: 7 });

  it.sandbox.kube.removeNode('node-1');
  it.sandbox.kube.removeNode('node-2');
  it.sandbox.kube.addNode('fresh-1', { address: '10.0.0.10' });
  it.sandbox.kube.addNode('fresh-2', { address: '10.0.0.11' });
  await it.settle('web');

  expect(shares()).toEqual(['fresh-1 1', 'fresh-2 3', 'node-3 7']);
  expect(it.sandbox.cloud.members.find(({ name }) => name === 'fresh-1')?.tags).toEqual(['by hand']);
});

test('of a node that is there again are as they were asked for; one that is not there is named', async () => {
  await ask({ [`${OWN}member-weights`]: 'node-1=10,node-9=5' });
  expect(shares()).toEqual(['node-1 10', 'node-2 1', 'node-3 1']);
  expect(readyOf(it.sandbox)?.message).toContain('"node-9" is not a node with a member on this port');

  it.sandbox.kube.addNode('node-9');
  await it.settle('web');
  expect(shares()).toContain('node-9 5');
  expect(readyOf(it.sandbox)?.message).not.toContain('node-9');
});
