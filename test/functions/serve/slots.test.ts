/** `serve` makes as many load balancers at once as `--concurrent-load-balancers` says, and what Nodes need waits for nothing. */
import { expect, onTestFinished, test } from 'vitest';
import { Work } from '../../../functions/serve/work.ts';
import type { Report } from '../../../shared/model/outcome.ts';
import type { Key } from '../../../shared/model/request.ts';
import { pause, startSandboxWorld, type SandboxWorld } from '../../support/sandbox-world.ts';
import { aService } from '../../support/service.ts';

async function worked(pendingMs: number): Promise<{ it: SandboxWorld; work: Work; reports: Report[] }> {
  const it = await startSandboxWorld({ pendingMs });
  const world = { ...it.world, config: { ...it.world.config, concurrentLoadBalancers: 2 } };
  const reports: Report[] = [];
  const work = new Work({
    connected: {
      world,
      cluster: async () => ({ id: await world.kube.clusterId(), name: world.config.clusterName }),
    },
    reported: (report) => reports.push(report),
    swept: () => undefined,
  });
  onTestFinished(async () => {
    await work.stop();
    await it.close();
  });
  return { it, work, reports };
}

async function until(holds: () => boolean): Promise<void> {
  for (let waited = 0; !holds() && waited < 8_000; waited += 5) await pause(5);
  expect(holds()).toBe(true);
}

const keyOf = (name: string): Key => `service/default/${name}`;

test('a third Service has its load balancer when one of the first two is done', async () => {
  const { it, work, reports } = await worked(100);
  const { sandbox } = it;
  const names = ['a', 'b', 'c'];
  for (const name of names) sandbox.kube.apply(aService({ name }));
  work.enqueue(names.map((name) => ({ key: keyOf(name), trigger: 'audit' })));

  await until(() => sandbox.cloud.loadbalancers.length === 3);
  const states = sandbox.cloud.loadbalancers.map((one) => one.provisioning_status);
  expect(states.filter((state) => state === 'PENDING_CREATE').length).toBeLessThanOrEqual(2);
  expect(reports.map(({ outcome }) => outcome)).toContainEqual(expect.objectContaining({ needsSlot: true }));
});

test('while two creates hang a third Service waits, and a Node that leaves is taken out of one that is there', async () => {
  const { it, work } = await worked(2);
  const { sandbox } = it;
  sandbox.kube.apply(aService({ name: 'web' }));
  await it.settle('web');
  Object.assign(sandbox.cloud, { pendingMs: 3_600_000 });
  const names = ['hangs', 'hangs-too', 'waits'];
  for (const name of names) sandbox.kube.apply(aService({ name }));
  work.enqueue(names.map((name) => ({ key: keyOf(name), trigger: 'audit' })));
  await until(() => sandbox.cloud.loadbalancers.length === 3);
  await expect.poll(() => work.queued(), { timeout: 8_000 }).toMatchObject({ depth: 3 });

  sandbox.kube.delete('Node', undefined, 'node-1');
  work.enqueue([{ key: 'nodeset', trigger: 'watch' }]);
  const [web] = sandbox.cloud.loadbalancers;
  await until(() => web?.provisioning_status === 'PENDING_UPDATE');
  expect(sandbox.cloud.loadbalancers).toHaveLength(3);
  const waits = sandbox.kube.list('Service').find(({ metadata }) => metadata.name === 'waits');
  expect(waits?.metadata.finalizers ?? []).toEqual([]);
}, 15_000);
