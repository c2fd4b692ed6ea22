import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { main } from '../../../functions/cli/main.ts';
import { sweep } from '../../../shared/sweep.ts';
import { aConfig } from '../../support/config.ts';
import { makeAsGoProvider, makeAsKinx } from '../../support/old-controllers.ts';
import { run, startSandboxWorld } from '../../support/sandbox-world.ts';
import type { SandboxWorld } from '../../support/sandbox-world.ts';
import { addressOf, cloudWrites, ingressOf, leftovers, readyOf, serviceOf } from '../../support/told.ts';

let it: SandboxWorld;
beforeEach(async () => {
  it = await startSandboxWorld();
});
afterEach(() => it.close());

/** All that serves, but our tags and what Octavia notes by itself. */
function served(): unknown {
  const { loadbalancers, listeners, pools, members, healthmonitors, floatingips } = it.sandbox.cloud;
  const all = [loadbalancers, listeners, pools, members, healthmonitors, floatingips].flat();
  return JSON.parse(
    JSON.stringify(all, (key, value: unknown) => {
      if (key.endsWith('_at') || key === 'revision_number') return undefined;
      return key === 'tags'
        ? (value as readonly string[]).filter((tag) => !tag.startsWith('levelset-'))
        : value;
    }),
  );
}

/** `METHOD PATH` of the writes since then. */
function writesSince(count: number): readonly string[] {
  return cloudWrites(it.sandbox).slice(count);
}

test('under another cluster name one of the Go provider is not taken, and none is made beside it', async () => {
  await makeAsGoProvider(it);
  const world = await it.another({ ...aConfig(it.sandbox.authUrl), clusterName: 'another' });
  const look = async (): Promise<readonly string[]> => {
    const { plan } = await run({ key: 'service/default/web', trigger: 'command', dryRun: true }, world);
    return [...(plan?.steps ?? []), ...(plan?.problems ?? []).map(({ field }) => field)].map(String);
  };
  expect(await look()).toEqual(['--cluster-name']);

  const annotations = { 'loadbalancer.openstack.org/load-balancer-id': null };
  it.sandbox.kube.apply({ kind: 'Service', metadata: { name: 'web', namespace: 'default', annotations } });
  expect(await look()).toEqual(['--cluster-name']);
});

const MAKERS = [
  { name: 'the Go provider', make: makeAsGoProvider },
  { name: 'kinx', make: makeAsKinx },
];

describe.each(MAKERS)('a load balancer of $name', ({ make }) => {
  beforeEach(() => make(it));

  test('is taken over by tags alone, and serves as it did at the same address', async () => {
    const [before, ingress, writes] = [served(), ingressOf(it.sandbox), cloudWrites(it.sandbox).length];

    const { outcome, loadBalancerId } = await it.settle('web');

    expect(outcome.status).toBe('settled');
    expect(loadBalancerId).toBe(it.sandbox.cloud.loadbalancers[0]?.id);
    expect(served()).toEqual(before);
    expect(ingressOf(it.sandbox)).toEqual(ingress);
    expect(new Set(writesSince(writes).map((write) => write.replace(/ID.*/, 'ID')))).toEqual(
      new Set(
        it.sandbox.cloud.floatingips.length > 0
          ? ['PUT loadbalancers/ID', 'PUT listeners/ID', 'PUT floatingips/ID']
          : ['PUT loadbalancers/ID', 'PUT listeners/ID'],
      ),
    );
    expect(it.sandbox.cloud.listeners[0]?.tags).toContainEqual(expect.stringMatching(/^levelset-cluster=/));
  });

  test('rests afterwards, and goes as a whole with its Service', async () => {
    await it.settle('web');
    const writes = cloudWrites(it.sandbox).length;

    await it.sweepUntilSettled();
    expect(writesSince(writes)).toEqual([]);

    await it.remove('web');
    expect(leftovers(it.sandbox)).toEqual({});
  });

  test('is changed as the Service and the nodes change', async () => {
    await it.settle('web');
    it.sandbox.kube.addNode('node-9');
    await it.settle('web');
    expect(it.sandbox.cloud.members).toHaveLength(4);

    it.sandbox.kube.removeNode('node-1');
    await it.settle('web');
    expect(it.sandbox.cloud.members).toHaveLength(3);

    const ports = [{ name: 'http', port: 8080, targetPort: 8080 }];
    it.sandbox.kube.apply({
      kind: 'Service',
      metadata: { name: 'web', namespace: 'default' },
      spec: { ports },
    });
    await it.settle('web');
    expect(it.sandbox.cloud.listeners.map(({ protocol_port }) => protocol_port)).toEqual([8080]);
    expect(it.sandbox.cloud.loadbalancers).toHaveLength(1);
  });
});

describe('a change that kinx never made', () => {
  beforeEach(async () => {
    await makeAsKinx(it);
    it.sandbox.kube.apply({
      kind: 'Service',
      metadata: { name: 'web', namespace: 'default' },
      spec: { sessionAffinity: 'ClientIP' },
    });
  });

  test('waits, is named with the way to approve it, and is counted by sweeps that find nothing to do', async () => {
    const { outcome, plan } = await it.settle('web');

    expect(outcome.status).toBe('settled');
    expect(it.sandbox.cloud.pools[0]?.['session_persistence']).toBeNull();
    const approval = plan?.awaitingApproval[0]?.approval ?? 'none';
    expect(readyOf(it.sandbox)).toMatchObject({ status: 'True' });
    expect(readyOf(it.sandbox)?.message).toContain(`levelset.openstack.org/approve: ${approval}`);

    const later = { ...it.world, clock: { now: () => Date.now() + 5_000 } };
    await run({ key: 'service/default/web', trigger: 'resync' }, later);
    expect(await sweep(later)).toMatchObject({ requests: [], settled: 1, awaitingApproval: 1 });
  });

  test('makes no sweep fail: it ends with 0 and says how many wait', async () => {
    const out: string[] = [];
    const spy = vi.spyOn(console, 'log').mockImplementation((line: string) => void out.push(line));
    await it.settle('web');

    const code = await main(['sweep', '--kubeconfig', it.kubeconfig, '--cloud-config', it.cloudConfig]);

    spy.mockRestore();
    expect(code).toBe(0);
    expect(out.at(-1)).toMatch(/; 1 changes? waits? for approval$/);
  });

  test('is made when the Service approves it, by the next sweep at the latest', async () => {
    const later = { ...it.world, clock: { now: () => Date.now() + 5_000 } };
    await it.settle('web');
    const { plan } = await it.settle('web', { dryRun: true });
    await run({ key: 'service/default/web', trigger: 'resync' }, later);

    const annotations = { 'levelset.openstack.org/approve': plan?.awaitingApproval[0]?.approval ?? 'none' };
    it.sandbox.kube.apply({ kind: 'Service', metadata: { name: 'web', namespace: 'default', annotations } });
    await it.sweepUntilSettled(later);

    expect(it.sandbox.cloud.pools[0]?.['session_persistence']).toMatchObject({ type: 'SOURCE_IP' });
    expect(readyOf(it.sandbox)?.message).not.toContain('approve');
    expect(addressOf(it.sandbox)).toBe(it.sandbox.cloud.loadbalancers[0]?.vip_address);
  });
});

test('handed back, the Go provider finds all that it looks for', async () => {
  await makeAsGoProvider(it);
  await it.settle('web');
  const { loadbalancers, listeners, pools, healthmonitors, floatingips } = it.sandbox.cloud;
  const name = 'kube_service_kubernetes_default_web';

  expect(loadbalancers.map((lb) => [lb.name, lb.tags.includes(name)])).toEqual([[name, true]]);
  expect(listeners.map((one) => [one.name, one.tags.includes(name)])).toEqual([[`listener_0_${name}`, true]]);
  expect([...pools, ...healthmonitors].map((one) => one.name)).toEqual([
    `pool_0_${name}`,
    `monitor_0_${name}`,
  ]);
  expect(floatingips[0]?.description).toMatch(/^Floating IP for Kubernetes external service default\/web /);
  expect(serviceOf(it.sandbox)?.metadata.annotations).toMatchObject({
    'loadbalancer.openstack.org/load-balancer-id': loadbalancers[0]?.id,
  });
});
