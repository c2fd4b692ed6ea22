/** After its own writes a process asks for the status tree; levelset finds settings all the same, which the tree does not show. */
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { Work } from '../../../functions/serve/work.ts';
import { sweep } from '../../../shared/sweep.ts';
import { aService } from '../../support/service.ts';
import { pause, run, startSandboxWorld } from '../../support/sandbox-world.ts';
import type { SandboxWorld } from '../../support/sandbox-world.ts';

let it: SandboxWorld;
beforeEach(async () => {
  it = await startSandboxWorld();
});
afterEach(() => it.close());

const request = { key: 'service/default/web', trigger: 'audit' } as const;
const asked = (path: RegExp): number =>
  it.sandbox.requests.filter((call) => call.method === 'GET' && path.test(call.path)).length;

describe('the requeued run after our own write', () => {
  test('reads one status tree and nothing else', async () => {
    it.sandbox.kube.apply(aService());
    await it.settle('web');

    expect(asked(/\/(listeners|pools|members|healthmonitors)/)).toBe(0);
    expect(asked(/\/loadbalancers\?/)).toBe(1);
    expect(asked(/\/floatingips\?/)).toBe(1);
  });

  test('reads everything when the tree shows something else', async () => {
    it.sandbox.kube.apply(aService());
    await run(request, it.world);
    await pause(20);
    const [member] = it.sandbox.cloud.members;
    if (member) it.sandbox.cloud.members.splice(0, 1);

    await it.settle('web');

    expect(asked(/\/listeners/)).toBeGreaterThan(0);
    expect(it.sandbox.cloud.members).toHaveLength(3);
  });

  test('reads everything when it is late: another process may have changed settings', async () => {
    it.sandbox.kube.apply(aService());
    await run(request, it.world);
    await pause(20);
    const [pool] = it.sandbox.cloud.pools;
    if (pool) Object.assign(pool, { lb_algorithm: 'SOURCE_IP' });

    const late = { ...it.world, clock: { now: () => Date.now() + 61_000 } };
    for (let runs = 0; runs < 5; runs += 1) {
      await run(request, late);
      await pause(20);
    }

    expect(it.sandbox.cloud.pools[0]).toMatchObject({ lb_algorithm: 'ROUND_ROBIN' });
  });
});

test('a setting that somebody changed while we waited is put right by the next sweep', async () => {
  it.sandbox.kube.apply(aService());
  await run(request, it.world);
  await pause(20);
  const [pool] = it.sandbox.cloud.pools;
  if (pool) Object.assign(pool, { lb_algorithm: 'SOURCE_IP' });
  await it.settle('web');
  expect(it.sandbox.cloud.pools[0]).toMatchObject({ lb_algorithm: 'SOURCE_IP' });

  await it.sweepUntilSettled();

  expect(it.sandbox.cloud.pools[0]).toMatchObject({ lb_algorithm: 'ROUND_ROBIN' });
});

test('a member in ERROR that a sweep finds while its Service waits for Octavia is written again', async () => {
  await it.close();
  it = await startSandboxWorld({ pendingMs: 20 });
  const { world, sandbox } = it;
  const { kube, cloud } = sandbox;
  // Octavia's times have whole seconds, and a watermark must be two seconds old
  sandbox.advanceClock(-5_000);
  kube.apply(aService());
  await it.settle('web');
  await it.sweepUntilSettled();
  kube.addNode('node-more');
  const cluster = async () => ({ id: await world.kube.clusterId(), name: world.config.clusterName });
  const work = new Work({
    connected: { world, cluster },
    reported: () => undefined,
    swept: () => undefined,
  });
  onTestFinished(() => work.stop());
  work.enqueue((await sweep(world)).requests);
  while (cloud.members.length < 4) await pause(5);
  // Octavia has ended, and the poller has not looked yet
  await pause(100);
  const member = cloud.members.at(-1);
  Object.assign(member ?? {}, { provisioning_status: 'ERROR' });

  const { requests } = await sweep(world);
  expect(requests.map(({ key }) => key)).toEqual([request.key]);
  work.enqueue(requests);
  while (!work.idle) await pause(20);

  expect(member?.provisioning_status).toBe('ACTIVE');
});
