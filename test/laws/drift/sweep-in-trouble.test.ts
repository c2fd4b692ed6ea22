/** What a sweep that compares in full costs, and whom it runs, when something is slow or in ERROR. */
import { expect, test, vi } from 'vitest';
import type { SandboxInside } from '../../../infra/sandbox/sandbox.ts';
import type { World } from '../../../shared/ports.ts';
import { reconcile } from '../../../shared/reconcile.ts';
import { sweep } from '../../../shared/sweep.ts';
import { aConfig } from '../../support/config.ts';
import { AUTH_URL, cloudTransport, inProcessWorld } from '../../support/in-process.ts';
import { aService } from '../../support/service.ts';
import { SILENT } from '../../support/sandbox-world.ts';
import { inVirtualTime, runsOf } from '../../support/virtual-time.ts';

interface It {
  readonly inside: SandboxInside;
  readonly world: World;
  /** What holds up a call of OpenStack. */
  readonly before: { call?: (url: string) => Promise<void> };
  /** What comes to pass when OpenStack has made its answer. */
  readonly after: { call?: (url: string) => void };
}

async function start(services: number): Promise<It> {
  const inside = inVirtualTime({ nodes: 2 });
  const before: It['before'] = {};
  const after: It['after'] = {};
  const plain = cloudTransport(inside);
  const transport: typeof plain = {
    ...plain,
    send: async (request, limitMs) => {
      await before.call?.(request.url);
      const answer = await plain.send(request, limitMs);
      after.call?.(request.url);
      return answer;
    },
  };
  const world = inProcessWorld(inside, aConfig(AUTH_URL), SILENT, transport);
  for (let n = 1; n <= services; n += 1) {
    inside.kube.apply(aService({ name: `web-${n}` }));
    await runsOf({ key: `service/default/web-${n}`, trigger: 'audit' }, world, inside);
  }
  inside.clock.advance(3_600_000);
  return { inside, world, before, after };
}

test('the patience with a Service begins when the lists of all Services are there', async ({
  onTestFinished: finished,
}) => {
  const it = await start(12);
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  finished(() => {
    vi.useRealTimers();
  });
  let slow = 0;
  it.before.call = async (url) => {
    if (!url.endsWith('/pools?limit=1000')) return;
    slow += 1;
    await vi.advanceTimersByTimeAsync(6_000);
  };
  expect(await sweep(it.world)).toMatchObject({ settled: 12, requests: [], warnings: [] });
  expect(slow).toBe(1);
});

test('one load balancer in ERROR makes no sweep list what is on the others', async () => {
  const it = await start(6);
  const [lb] = it.inside.cloud.loadbalancers;
  if (!lb) throw new Error('there is no load balancer');
  await sweep(it.world);
  lb.provisioning_status = 'ERROR';
  for (let sweeps = 0; sweeps < 3; sweeps += 1) {
    it.inside.clock.advance(300_000);
    const before = it.inside.requests.length;
    const found = await sweep(it.world);
    const calls = it.inside.requests.slice(before).map(({ path }) => path);
    expect(calls.filter((path) => /\/(listeners|pools|healthmonitors)\?/.test(path))).toEqual([]);
    expect(found).toMatchObject({ settled: 5, comparedInFull: 0 });
    const [request] = found.requests;
    if (!request) throw new Error('the sweep runs nothing');
    await reconcile(request, it.world, { remainingMs: () => 60_000 });
  }
});

test('a change that hides in the second of the one before it, while the sweep reads, is found by the next sweep', async () => {
  const it = await start(1);
  const [lb] = it.inside.cloud.loadbalancers;
  const [pool] = it.inside.cloud.pools;
  if (!lb || !pool) throw new Error('nothing was made');
  it.inside.clock.advance(1_100 - (it.inside.clock.millis() % 1_000));
  lb.updated_at = it.inside.cloud.octaviaTime();
  it.after.call = (url) => {
    if (!url.endsWith('/pools?limit=1000')) return;
    delete it.after.call;
    it.inside.clock.advance(300);
    pool['lb_algorithm'] = 'SOURCE_IP';
    expect(it.inside.cloud.octaviaTime()).toBe(lb.updated_at);
    it.inside.clock.advance(3_000);
  };
  expect((await sweep(it.world, { deep: true })).requests).toEqual([]);
  it.inside.clock.advance(60_000);
  expect(await sweep(it.world)).toMatchObject({
    comparedInFull: 1,
    requests: [{ key: 'service/default/web-1' }],
  });
});

test('a Service that was compared by a clock that was ahead is compared again, once', async () => {
  const it = await start(1);
  it.inside.clock.advance(400 * 86_400_000);
  await sweep(it.world, { deep: true });
  it.inside.clock.advance(-400 * 86_400_000);
  const inFull = async (): Promise<number | undefined> => (await sweep(it.world)).comparedInFull;
  expect([await inFull(), await inFull()]).toEqual([1, 0]);
});
