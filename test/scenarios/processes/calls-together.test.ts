/** How many calls of OpenStack eight Services cost that come, get a node more, and go together. Nobody polls here. */
import { expect, onTestFinished, test } from 'vitest';
import { pause, run, runAll, startSandboxWorld, type SandboxWorld } from '../../support/sandbox-world.ts';
import { aService } from '../../support/service.ts';
import { sweep } from '../../../shared/sweep.ts';

const COUNT = 8;
const names = Array.from({ length: COUNT }, (_, at) => `web-${at}`);

async function callsOf({ sandbox }: SandboxWorld, work: () => Promise<unknown>) {
  const before = sandbox.requests.length;
  await work();
  const made = sandbox.requests.slice(before).filter(({ service }) => service !== 'kube');
  return {
    perService: made.length / COUNT,
    barbican: made.filter(({ service }) => service === 'barbican').length,
  };
}

test('of eight together each costs some five calls to create, three for a node more, and four to delete, and Barbican is not asked', async () => {
  const it = await startSandboxWorld({ pendingMs: 0 });
  onTestFinished(() => it.close());
  const { kube, cloud } = it.sandbox;
  // lists take their time, as on a real cloud, so that the runs ask for them together
  it.sandbox.fault({
    match: { side: 'openstack', method: 'GET', path: /(loadbalancers|listeners|floatingips)\?/ },
    times: Infinity,
    kind: 'call',
    before: () => pause(50),
  });
  // Octavia's times have whole seconds, and a watermark must be two seconds old
  it.sandbox.advanceClock(-5_000);
  kube.apply(aService({ name: 'first' }));
  await it.settle('first');

  const created = await callsOf(it, async () => {
    for (const name of names) kube.apply(aService({ name }));
    await Promise.all(names.map((name) => it.settle(name)));
  });
  expect(created.perService).toBeLessThanOrEqual(5);
  expect(cloud.floatingips.filter(({ tags }) => tags.length > 0)).toHaveLength(COUNT + 1);

  // the watermarks of the first sweep are for the second one
  await it.sweepUntilSettled();
  kube.addNode('node-more');
  const joined = await callsOf(it, async () => {
    await runAll(await sweep(it.world), it.world);
    await Promise.all(
      names.map((name) => run({ key: `service/default/${name}`, trigger: 'requeue' }, it.world)),
    );
  });
  // the sweep's own lists are one of them
  expect(joined.perService).toBeLessThanOrEqual(4);
  expect(
    new Set(cloud.pools.map(({ id }) => cloud.members.filter((one) => one.pool_id === id).length)),
  ).toEqual(new Set([4]));

  const deleted = await callsOf(it, async () => {
    for (const name of names) kube.delete('Service', 'default', name);
    await Promise.all(names.map((name) => it.settle(name)));
  });
  expect(deleted.perService).toBeLessThanOrEqual(4);
  expect([created, deleted].map(({ barbican }) => barbican)).toEqual([0, 0]);
  expect(cloud.loadbalancers).toHaveLength(1);
  await run({ key: 'service/default/first', trigger: 'audit' }, it.world);
  expect(cloud.floatingips).toHaveLength(1);
});
