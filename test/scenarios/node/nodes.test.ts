import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { aService } from '../../support/service.ts';
import { startSandboxWorld, type SandboxWorld } from '../../support/sandbox-world.ts';
import { addressOf, readyOf } from '../../support/told.ts';

let it: SandboxWorld;
beforeEach(async () => {
  it = await startSandboxWorld();
});
afterEach(() => it.close());

const members = () => it.sandbox.cloud.members.map(({ name }) => name).sort();
const subnet = () => it.sandbox.cloud.subnets.find(({ cidr }) => cidr.startsWith('10.'))?.id ?? '';

describe('nodes', () => {
  test('that are missing are said to be, and the load balancer is made when the first one comes', async () => {
    await it.close();
    it = await startSandboxWorld({ nodes: 0 });
    it.sandbox.kube.apply(aService());
    const report = await it.settle('web');
    expect(report.outcome.status).toBe('blocked');
    expect(readyOf(it.sandbox)?.message).toContain('subnet-id');
    expect(it.sandbox.cloud.loadbalancers).toEqual([]);

    it.sandbox.kube.addNode('node-1');
    await it.sweepUntilSettled();

    expect(members()).toEqual(['node-1']);
    expect(addressOf(it.sandbox)).toBeDefined();
  });

  test('may be none at first where the subnet is configured: pools are empty, and filled later', async () => {
    const annotations = { 'loadbalancer.openstack.org/subnet-id': subnet() };
    for (const name of ['node-1', 'node-2', 'node-3']) it.sandbox.kube.removeNode(name);
    it.sandbox.kube.apply(aService({ annotations }));
    await it.settle('web');
    expect(members()).toEqual([]);
    expect(readyOf(it.sandbox)?.message).toContain('no available nodes');

    it.sandbox.kube.addNode('node-4');
    await it.settle('web');

    expect(members()).toEqual(['node-4']);
    expect(readyOf(it.sandbox)?.message).not.toContain('no available nodes');
  });

  test('without an address are no members, are named, and are members once they have one', async () => {
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

  test('are members by the labels that the Service asks for, also when these come and go', async () => {
    const annotations = { 'loadbalancer.openstack.org/node-selector': 'pool=edge' };
    it.sandbox.kube.apply(aService({ annotations }));
    await it.settle('web');
    expect(members()).toEqual([]);
    expect(readyOf(it.sandbox)?.message).toContain('matches none of 3 nodes');

    const label = (name: string, pool: string) =>
      it.sandbox.kube.apply({ kind: 'Node', metadata: { name, labels: { pool } } });
    label('node-1', 'edge');
    label('node-2', 'edge');
    await it.sweepUntilSettled();
    expect(members()).toEqual(['node-1', 'node-2']);

    label('node-1', 'core');
    await it.sweepUntilSettled();
    expect(members()).toEqual(['node-2']);

    label('node-2', 'core');
    await it.sweepUntilSettled();
    expect(members()).toEqual(['node-2']);
  });
});
