import { describe, expect, onTestFinished, test } from 'vitest';
import { sweep } from '../../../shared/sweep.ts';
import { replaced } from '../../support/in-process.ts';
import { aService } from '../../support/service.ts';
import { inEachTest, pause, run, startSandboxWorld } from '../../support/sandbox-world.ts';
import { readyOf } from '../../support/told.ts';

const it = inEachTest(() => startSandboxWorld());

const creates = (of = it): number =>
  of.sandbox.requests.filter(({ method, path }) => method === 'POST' && path.endsWith('/loadbalancers'))
    .length;

test('a create that Octavia refuses is tried again by sweeps after 10 minutes, 20, 40, up to six hours, by a person and by an edit at once, and by no event', async () => {
  const match = { method: 'POST', path: /loadbalancers$/ };
  const body = { faultcode: 'Client', faultstring: 'Could not retrieve certificate', debuginfo: null };
  const clear = it.sandbox.fault({ match, kind: 'fail-before', status: 400, times: 99, body });
  it.sandbox.kube.apply(aService());
  expect((await it.settle('web')).outcome.status).toBe('blocked');
  const startMs = Date.now();
  expect(await sweep(it.world)).toMatchObject({
    requests: [],
    warnings: [expect.stringContaining('default/web') as string],
  });
  const at = (minutes: number) => ({ ...it.world, clock: { now: () => startMs + minutes * 60_000 } });
  const key = 'service/default/web' as const;
  const sweptAt: number[] = [];
  for (let minutes = 5; minutes <= 24 * 60; minutes += 5)
    for (const request of (await sweep(at(minutes))).requests) {
      sweptAt.push(minutes);
      const { outcome } = await run(request, at(minutes));
      expect(outcome.status).toBe('blocked');
    }
  expect(sweptAt).toEqual([10, 30, 70, 150, 310, 630, 990, 1350]);
  const before = creates();

  await run({ key, trigger: 'audit' }, at(1_400));
  await run({ key, trigger: 'watch' }, at(1_401));
  expect(creates()).toBe(before);
  await run({ key, trigger: 'resync' }, at(1_402));
  expect(creates()).toBe(before + 1);

  clear();
  it.sandbox.kube.apply(aService({ spec: { ports: [{ port: 81 }] } }));
  await run({ key, trigger: 'audit' }, at(1_403));
  expect(it.sandbox.cloud.loadbalancers).toHaveLength(1);
});

const HTTP = { name: 'http', port: 80, nodePort: 30_080 };
const PROMETHEUS = { 'levelset.openstack.org/protocol': 'prometheus' };
const PROXY = { 'loadbalancer.openstack.org/proxy-protocol': 'true' };
type Wanted = Parameters<typeof aService>[0];
const refuseMembers = () =>
  it.sandbox.fault({
    match: { method: 'PUT', path: /pools\/[^/]+\/members/ },
    kind: 'fail-before',
    status: 503,
    times: 99,
  });

test.each<readonly [string, before: Wanted, after: Wanted]>([
  ['that is built beside the one in use', {}, { annotations: PROXY }],
  ['of a listener that had none', { annotations: PROMETHEUS }, {}],
  ['of a new port', {}, { spec: { ports: [HTTP, { name: 'https', port: 443, nodePort: 30_443 }] } }],
])(
  'while OpenStack refuses the members of a pool %s, no listener leads to it',
  async (_pool, before, after) => {
    const { cloud } = it.sandbox;
    const apply = (annotations: object, spec: object = {}): void => {
      it.sandbox.kube.apply(aService({ annotations: { ...annotations }, spec: { ports: [HTTP], ...spec } }));
    };
    apply({ ...before?.annotations });
    await it.sweepUntilSettled();
    const led = () => cloud.listeners.map(({ id, default_pool_id: pool }) => [id, pool]);
    const ledBefore = led();
    const clear = refuseMembers();
    const gone = Object.keys({ ...before?.annotations }).map((key) => [key, null]);
    apply({ ...(Object.fromEntries(gone) as object), ...after?.annotations }, after?.spec);
    for (let runs = 0; runs < 8; runs += 1) {
      await run({ key: 'service/default/web', trigger: 'command' }, it.world);
      await pause(20);
    }
    expect(led()).toEqual(ledBefore);

    clear();
    await it.sweepUntilSettled();
    expect(cloud.members).toHaveLength(3 * cloud.listeners.length);
    expect(readyOf(it.sandbox)?.status).toBe('True');
  },
);

test('a pool that was begun for an earlier wish makes room where the quota has none for the next', async () => {
  const { cloud, kube } = it.sandbox;
  kube.apply(aService());
  await it.sweepUntilSettled();
  const clear = refuseMembers();
  kube.apply(aService({ annotations: PROXY }));
  await it.settle('web');
  expect(cloud.pools).toHaveLength(2);
  clear();

  cloud.quotas.pool = 2;
  kube.apply(aService({ annotations: { 'loadbalancer.openstack.org/proxy-protocol': 'v2' } }));
  await it.settle('web');
  await it.sweepUntilSettled();
  expect(cloud.pools.map(({ protocol }) => protocol)).toEqual(['PROXYV2']);
});

test('an error that nobody expected fails the run whose report it was', async () => {
  it.sandbox.kube.apply(aService());
  await run({ key: 'service/default/web', trigger: 'audit' }, it.world);
  await pause(20);
  const kube = replaced(it.world.kube, () => ({
    patchService: () => Promise.reject(new TypeError('a bug')),
  }));
  const outcomes: string[] = [];
  for (let at = 0; at < 4; at += 1)
    outcomes.push(
      (await run({ key: 'service/default/web', trigger: 'command' }, { ...it.world, kube })).outcome.status,
    );
  expect(outcomes.at(-1)).toBe('failed');
});

describe('a create at which Octavia stumbles', () => {
  const stumble = (after: () => void, times = 20): void => {
    const match = { method: 'POST', path: /loadbalancers$/ };
    it.sandbox.fault({ match, kind: 'fail-after', status: 500, times, after });
  };
  const empty = (): void => {
    const { cloud } = it.sandbox;
    for (const rows of [cloud.loadbalancers, cloud.listeners, cloud.pools, cloud.members])
      for (const row of [...rows]) rows.remove(row as never);
  };

  test('is not tried again while each try leaves a VIP port behind, and says which one it left', async () => {
    stumble(empty);
    it.sandbox.kube.apply(aService());
    const report = await it.settle('web');
    const [port] = it.sandbox.cloud.ports.filter(({ device_owner: owner }) => owner === 'Octavia');

    expect(report.outcome.status).toBe('blocked');
    expect(readyOf(it.sandbox)?.message).toContain(`VIP port ${port?.id ?? ''}`);
    expect((await sweep(it.world)).requests).toEqual([]);
    expect(creates()).toBe(1);
  });

  test('is not tried again by a process either whose clock goes ten minutes before', async () => {
    stumble(empty);
    it.sandbox.kube.apply(aService());
    const early = { ...it.world, clock: { now: (): number => Date.now() + 600_000 } };

    expect((await it.settle('web', {}, early)).outcome.status).toBe('blocked');
  });

  test('is tried again where what another try has left is half a minute older', async () => {
    const { cloud } = it.sandbox;
    stumble(empty, 1);
    it.sandbox.kube.apply(aService());
    await it.settle('web');
    const [port] = cloud.ports.filter(({ device_owner: owner }) => owner === 'Octavia');
    Object.assign(port ?? {}, { created_at: new Date(Date.now() - 30_000).toISOString() });
    const match = { method: 'POST', path: /loadbalancers$/ };
    it.sandbox.fault({ match, kind: 'fail-before', status: 500, times: 1 });

    it.sandbox.kube.apply(aService({ name: 'later' }));
    expect((await it.settle('later')).outcome).toMatchObject({ code: 'CLOUD_UNAVAILABLE' });
  });

  test('is tried again where it left nothing', async () => {
    stumble(() => {
      const { ports } = it.sandbox.cloud;
      for (const port of [...ports]) if (port.device_owner === 'Octavia') ports.remove(port);
      empty();
    });
    it.sandbox.kube.apply(aService());

    expect((await it.settle('web')).outcome).toMatchObject({ status: 'failed', code: 'CLOUD_UNAVAILABLE' });
  });

  test('is tried again where all that lies about is older than the try', async () => {
    stumble(() => undefined);
    const { cloud } = it.sandbox;
    it.sandbox.kube.apply(aService());
    await it.settle('web');
    empty();
    for (const port of cloud.ports)
      if (port.device_owner === 'Octavia') port['created_at'] = '2025-01-01T00:00:00Z';
    stumble(() => undefined);

    it.sandbox.kube.apply(aService({ name: 'later' }));
    expect((await it.settle('later')).outcome).toMatchObject({ code: 'CLOUD_UNAVAILABLE' });
  });
});

test('load balancers that all end in ERROR are told once, until one is built', async () => {
  const slow = await startSandboxWorld({ pendingMs: 500 });
  onTestFinished(() => slow.close());
  const { cloud, kube } = slow.sandbox;
  kube.apply(aService());
  const warnings = (): readonly string[] =>
    kube
      .list('Event', 'default')
      .flatMap((event) => (event['type'] === 'Warning' ? String(event['message']) : []));
  while (creates(slow) <= 2) {
    await run({ key: 'service/default/web', trigger: 'audit' }, slow.world);
    for (const lb of cloud.loadbalancers)
      if (lb.provisioning_status !== 'PENDING_DELETE') lb.provisioning_status = 'ERROR';
    await pause(20);
  }

  expect(warnings()).toEqual([expect.stringContaining('ended in ERROR')]);
  expect(readyOf(slow.sandbox)).toMatchObject({ status: 'False', reason: 'SyncLoadBalancerFailed' });

  await slow.sweepUntilSettled();
  expect(readyOf(slow.sandbox)).toMatchObject({ status: 'True' });
});
