/** How many calls of OpenStack eight Services cost that come, get a node more, and go together, without the polls. */
import { expect, test } from 'vitest';
import { aWorld } from '../../support/for-one-test.ts';
import { workOf } from '../../support/work-of.ts';
import { pause, type SandboxWorld } from '../../support/sandbox-world.ts';
import { aService } from '../../support/service.ts';
import { sweep } from '../../../shared/sweep.ts';

const COUNT = 8;
const names = Array.from({ length: COUNT }, (_, at) => `web-${at}`);

async function callsOf({ sandbox }: SandboxWorld, work: () => Promise<unknown>) {
  const before = sandbox.requests.length;
  await work();
  const made = sandbox.requests
    .slice(before)
    .filter(({ service, path }) => service !== 'kube' && !path.includes('fields=provisioning_status'));
  return {
    perService: made.length / COUNT,
    barbican: made.filter(({ service }) => service === 'barbican').length,
  };
}

/** One sweep, and its keys in the queue of a process, which polls Octavia, until nothing is left to do. */
async function workOn({ world }: SandboxWorld): Promise<void> {
  const work = workOf(world);
  work.enqueue((await sweep(world)).requests);
  while (!work.idle) await pause(20);
  await work.stop();
}

test('of eight together each costs some five calls to create, three for a node more, and some four to delete, and Barbican is not asked', async () => {
  const it = await aWorld({ pendingMs: 0 });
  const { kube, cloud } = it;
  // lists take their time, as on a real cloud, so that the runs ask for them together
  const match = { method: 'GET', path: /(loadbalancers|listeners|floatingips)\?/ };
  it.fault({ match, times: Infinity, kind: 'call', before: () => pause(50) });
  // Octavia's times have whole seconds, and a settled record must be two seconds old
  it.advanceClock(-5_000);
  kube.apply(aService({ name: 'first' }));
  await it.settle('first');

  const created = await callsOf(it, async () => {
    for (const name of names) kube.apply(aService({ name }));
    await Promise.all(names.map((name) => it.settle(name)));
  });
  expect(created.perService).toBeLessThanOrEqual(5);
  expect(cloud.floatingips.filter(({ tags }) => tags.length > 0)).toHaveLength(COUNT + 1);

  // the settled records of the first sweep are for the second one
  await it.sweepUntilSettled();
  kube.addNode('node-more');
  expect((await callsOf(it, () => workOn(it))).perService).toBeLessThanOrEqual(3);
  const sizes = cloud.pools.map(({ id }) => cloud.members.filter((one) => one.pool_id === id).length);
  expect(new Set(sizes)).toEqual(new Set([4]));
  // what Octavia could not do, the next sweep finds: it compares them in full
  const [member] = cloud.members.slice(-1);
  Object.assign(member ?? {}, { provisioning_status: 'ERROR' });
  expect((await sweep(it.world)).requests).toHaveLength(1);
  Object.assign(member ?? {}, { provisioning_status: 'ACTIVE' });

  const deleted = await callsOf(it, async () => {
    for (const name of names) kube.delete('Service', 'default', name);
    await Promise.all(names.map((name) => it.settle(name)));
  });
  expect(deleted.perService).toBeLessThanOrEqual(4.5);
  expect([created, deleted].map(({ barbican }) => barbican)).toEqual([0, 0]);
  expect(cloud.loadbalancers).toHaveLength(1);
  await it.once({ key: 'service/default/first' });
  expect(cloud.floatingips).toHaveLength(1);
});
