/** A Service of which something is wrong: its members follow the Nodes all the same, and what is told of it. */
import { expect, onTestFinished, test } from 'vitest';
import { aService } from '../../support/service.ts';
import { startSandboxWorld, type SandboxWorld } from '../../support/sandbox-world.ts';
import { eventsOf, readyOf } from '../../support/told.ts';

const HTTP = { ports: [{ name: 'http', port: 80, nodePort: 31_380 }] };
const TYPO = { 'service.beta.kubernetes.io/load-balancer-source-ranges': '10.0.0.0-24' };

async function aBlockedService(): Promise<SandboxWorld> {
  const it = await startSandboxWorld();
  onTestFinished(() => it.close());
  it.sandbox.kube.apply(aService({ spec: HTTP }));
  await it.settle('web');
  it.sandbox.kube.apply(aService({ spec: HTTP, annotations: TYPO }));
  await it.settle('web');
  return it;
}

test('members that follow are told in an Event, and the condition says that they do and why the rest does not', async () => {
  const it = await aBlockedService();
  const { kube, cloud } = it.sandbox;
  const told = readyOf(it.sandbox);

  for (const { metadata } of kube.list('Node')) kube.removeNode(metadata.name);
  for (const name of ['blue-1', 'blue-2']) kube.addNode(name);
  await it.settle('web');

  expect(cloud.members.map(({ name }) => name).sort()).toEqual(['blue-1', 'blue-2']);
  expect(told).toMatchObject({ reason: 'LoadBalancerBlocked' });
  expect(readyOf(it.sandbox)).toEqual(told);
  expect(told?.message).toMatch(/none of these ranges[\s\S]*the members follow the nodes all the same/);
  expect(eventsOf(it.sandbox).filter((one) => one.startsWith('UpdatedLoadBalancer'))).toHaveLength(1);
});
