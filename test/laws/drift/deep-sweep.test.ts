/** What a sweep compares in full, when, what that costs, and whom it runs, also when something is slow or in ERROR. */
import { expect, onTestFinished, test, vi } from 'vitest';
import type { SweepScope } from '../../../shared/model/request.ts';
import { reconcile } from '../../../shared/reconcile.ts';
import { sweep } from '../../../shared/sweep.ts';
import { aService } from '../../support/service.ts';
import { aProcess, inVirtualTime, runsOf } from '../../support/virtual-time.ts';

const HOUR_MS = 3_600_000;
const SERVICES = 12;

const POOLS = { side: 'openstack', method: 'GET', path: /\/pools\?limit=1000$/ } as const;
const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, one) => sum + one, 0);

/** So many Services, made so long ago by the process that `world` is of. */
async function start(services = SERVICES, agoMs = HOUR_MS) {
  const inside = inVirtualTime({ nodes: 2 });
  const first = aProcess(inside);
  const ports = [80, 443].map((port) => ({ name: `p-${port}`, port, nodePort: 30_000 + port }));
  for (let n = 1; n <= services; n += 1) {
    inside.kube.apply(aService({ name: `web-${n}`, spec: { ports } }));
    await runsOf({ key: `service/default/web-${n}`, trigger: 'audit' }, first, inside);
  }
  inside.clock.advance(agoMs);
  return {
    ...{ inside, world: first },
    /** A sweep by a process that knows nothing yet, and the runs that it asks for. `calls` are those of OpenStack, but for the login. */
    cold: async (scope?: SweepScope, budgetMs = Infinity) => {
      const before = inside.requests.length;
      const world = aProcess(inside);
      const endMs = inside.clock.millis() + budgetMs;
      const remainingMs = (): number => Math.max(0, endMs - inside.clock.millis());
      const found = await sweep(world, scope, { remainingMs });
      const calls = inside.requests
        .slice(before)
        .filter(({ side, path }) => side === 'openstack' && !path.includes('/auth/tokens'))
        .map(({ method, path }) => `${method} ${path}`);
      for (const request of found.requests) await runsOf(request, world, inside);
      return { ...found, calls };
    },
  };
}

test('a cold process compares once what was settled by writes alone, and then needs ten calls', async () => {
  const it = await start(SERVICES, 1_000);
  const found = await it.cold();
  expect(found).toMatchObject({ requests: [], settled: SERVICES, comparedInFull: SERVICES, warnings: [] });
  const next = await it.cold();
  expect(next).toMatchObject({ requests: [], settled: SERVICES, comparedInFull: 0, warnings: [] });
  expect(next.calls.length).toBeLessThanOrEqual(10);
  expect(found.calls.length - next.calls.length).toBe(3 + 2 * SERVICES);
});

test('each Service is compared in full within an hour of its last change, then once a day, by bulk lists', async () => {
  const it = await start();
  expect(await it.cold()).toMatchObject({ comparedInFull: SERVICES, settled: SERVICES, requests: [] });
  const shares: number[] = [];
  for (let hour = 1; hour <= 22; hour += 1) {
    it.inside.clock.advance(HOUR_MS);
    const { comparedInFull, requests } = await it.cold();
    expect(requests).toEqual([]);
    shares.push(comparedInFull);
  }
  expect(sumOf(shares)).toBe(SERVICES);
  expect(shares.slice(0, 11)).toEqual(shares.slice(0, 11).map(() => 0));
  expect(Math.max(...shares)).toBeLessThan(SERVICES);
});

test('what moved no time is found by a deep sweep at once, and by itself within a day', async () => {
  for (const scope of [{ deep: true } as const, undefined]) {
    const it = await start();
    await it.cold();
    const [, , member] = it.inside.cloud.members;
    if (!member) throw new Error('there is no member');
    member['admin_state_up'] = false;
    if (scope) await it.cold(scope);
    for (let hour = 0; hour < 22 && !scope; hour += 1) {
      it.inside.clock.advance(HOUR_MS);
      await it.cold();
    }
    expect(member['admin_state_up']).toBe(true);
  }
});

test('without any settled record a sweep that runs out of time keeps what it has compared, for processes that know nothing of it', async () => {
  const it = await start();
  const { clock, kube } = it.inside;
  // somebody takes the settled records away
  for (const { metadata } of kube.list('ConfigMap', 'levelset'))
    if (metadata.name.startsWith('levelset-state-')) kube.delete('ConfigMap', 'levelset', metadata.name);
  const before = (): void => {
    clock.advance(440);
  };
  it.inside.fault({ match: { ...POOLS, path: /\/members/ }, kind: 'call', times: Infinity, before });
  // ten Services at a time take 8.8 s, and two are left
  const compared: number[] = [];
  for (let isOver = false; !isOver && compared.length < SERVICES;) {
    const { comparedInFull, incomplete, requests, warnings } = await it.cold({}, 9_000);
    expect(requests).toEqual([]);
    const late = warnings.filter((warning) => warning.includes('ran out of time'));
    expect(late).toHaveLength(incomplete ? 1 : 0);
    compared.push(comparedInFull);
    isOver = !incomplete;
  }
  expect(compared.length).toBeGreaterThan(1);
  expect(Math.min(...compared)).toBeGreaterThan(0);
  expect(sumOf(compared)).toBe(SERVICES);
});

test('the patience with a Service begins when the lists of all Services are there', async () => {
  const it = await start();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  let slow = 0;
  const before = async (): Promise<void> => {
    slow += 1;
    await vi.advanceTimersByTimeAsync(6_000);
  };
  it.inside.fault({ match: POOLS, kind: 'call', times: Infinity, before });
  expect(await sweep(it.world)).toMatchObject({ settled: SERVICES, requests: [], warnings: [] });
  expect(slow).toBe(1);
});

test('one load balancer in ERROR makes no sweep list what is on the others', async () => {
  const it = await start(6);
  await sweep(it.world);
  const [lb] = it.inside.cloud.loadbalancers;
  Object.assign(lb ?? {}, { provisioning_status: 'ERROR' });
  for (let sweeps = 0; sweeps < 3; sweeps += 1) {
    it.inside.clock.advance(300_000);
    const before = it.inside.requests.length;
    const found = await sweep(it.world);
    const calls = it.inside.requests.slice(before).map(({ path }) => path);
    expect(calls.filter((path) => /\/(listeners|pools|healthmonitors)\?/.test(path))).toEqual([]);
    expect(found).toMatchObject({ settled: 5, comparedInFull: 0, requests: [{}] });
    for (const request of found.requests) await reconcile(request, it.world, { remainingMs: () => 60_000 });
  }
});

test('a change that hides in the second of the one before it, while the sweep reads, is found by the next sweep', async () => {
  const { inside, world } = await start(1, 0);
  const { clock, cloud } = inside;
  const [[lb], [pool]] = [[...cloud.loadbalancers], [...cloud.pools]];
  if (!lb || !pool) throw new Error('nothing was made');
  clock.advance(HOUR_MS + 1_100 - (clock.millis() % 1_000));
  lb.updated_at = cloud.octaviaTime();
  const after = (): void => {
    clock.advance(300);
    pool['lb_algorithm'] = 'SOURCE_IP';
    expect(cloud.octaviaTime()).toBe(lb.updated_at);
    clock.advance(3_000);
  };
  inside.fault({ match: POOLS, kind: 'call', after });
  expect((await sweep(world, { deep: true })).requests).toEqual([]);
  clock.advance(60_000);
  const requests = [{ key: 'service/default/web-1' }];
  expect(await sweep(world)).toMatchObject({ comparedInFull: 1, requests });
});

test('a Service that was compared by a clock that was ahead is compared again, once', async () => {
  const { inside, world } = await start(1);
  inside.clock.advance(400 * 24 * HOUR_MS);
  await sweep(world, { deep: true });
  inside.clock.advance(-400 * 24 * HOUR_MS);
  const inFull = async (): Promise<number | undefined> => (await sweep(world)).comparedInFull;
  expect([await inFull(), await inFull()]).toEqual([1, 0]);
});
