/** What OpenStack refuses, and how often levelset asks for it again. */
import { describe, expect, test } from 'vitest';
import { sweep } from '../../../shared/sweep.ts';
import { failing } from '../../support/failing.ts';
import { aWorld } from '../../support/for-one-test.ts';
import { replaced } from '../../support/in-process.ts';
import { aService } from '../../support/service.ts';
import { inEachTest, pause, run, startSandboxWorld, type SandboxWorld } from '../../support/sandbox-world.ts';
import { addressOf, cloudWrites, readyOf, warningsOf } from '../../support/told.ts';

const it = inEachTest(() => startSandboxWorld());

const CREATES = /\/loadbalancers$/;
const creates = (of: SandboxWorld = it): number =>
  of.requests.filter(({ method, path }) => method === 'POST' && path.endsWith('/loadbalancers')).length;
const vipPorts = () => it.cloud.ports.filter(({ device_owner: owner }) => owner === 'Octavia');

test('a create that Octavia refuses is tried again by sweeps after 10 minutes, 20, 40, up to six hours, by a person and by an edit at once, and by no event', async () => {
  const body = { faultcode: 'Client', faultstring: 'Could not retrieve certificate', debuginfo: null };
  const clear = failing(it, 'POST', CREATES, 400, { body });
  expect((await it.make()).outcome.status).toBe('blocked');
  const startMs = Date.now();
  const warnings = [expect.stringContaining('default/web') as string];
  expect(await sweep(it.world)).toMatchObject({ requests: [], warnings });
  const at = (minutes: number) => ({ ...it.world, clock: { now: () => startMs + minutes * 60_000 } });
  for (const minutes of [10, 30, 70, 150, 310, 630, 990, 1350]) {
    expect((await sweep(at(minutes - 1))).requests).toEqual([]);
    const [request] = (await sweep(at(minutes))).requests;
    expect(request && (await run(request, at(minutes))).outcome.status).toBe('blocked');
  }
  const before = creates();

  await it.once({ trigger: 'audit' }, at(1_400));
  await it.once({ trigger: 'watch' }, at(1_401));
  expect(creates()).toBe(before);
  await it.once({ trigger: 'resync' }, at(1_402));
  expect(creates()).toBe(before + 1);

  clear();
  it.kube.apply(aService({ spec: { ports: [{ port: 81 }] } }));
  await it.once({ trigger: 'audit' }, at(1_403));
  expect(it.cloud.loadbalancers).toHaveLength(1);
});

const HTTP = { name: 'http', port: 80, nodePort: 30_080 };
const PROMETHEUS = { 'levelset.openstack.org/protocol': 'prometheus' };
const PROXY = { 'loadbalancer.openstack.org/proxy-protocol': 'true' };
const HTTPS = { name: 'https', port: 443, nodePort: 30_443 };
const refuseMembers = () => failing(it, 'PUT', /pools\/[^/]+\/members/);

test.each<readonly [string, before: object, after: object, more: readonly object[]]>([
  ['that is built beside the one in use', {}, PROXY, []],
  ['of a listener that had none', PROMETHEUS, {}, []],
  ['of a new port', {}, {}, [HTTPS]],
])('no listener leads to a pool %s whose members are refused', async (_, before, after, more) => {
  const { cloud } = it;
  const apply = (annotations: object, ...ports: readonly unknown[]) =>
    it.kube.apply(aService({ annotations: { ...annotations }, spec: { ports } }));
  apply(before, HTTP);
  await it.sweepUntilSettled();
  const led = () => cloud.listeners.map(({ id, default_pool_id: pool }) => [id, pool]);
  const ledBefore = led();
  const clear = refuseMembers();
  const gone = Object.keys(before).map((key) => [key, null]);
  apply({ ...(Object.fromEntries(gone) as object), ...after }, HTTP, ...more);
  for (let runs = 0; runs < 8; runs += 1) {
    await it.once({ trigger: 'command' });
    await pause(20);
  }
  expect(led()).toEqual(ledBefore);

  clear();
  await it.sweepUntilSettled();
  expect(cloud.members).toHaveLength(3 * cloud.listeners.length);
  expect(readyOf(it)?.status).toBe('True');
});

test('a pool that was begun for an earlier wish makes room where the quota has none for the next', async () => {
  const { cloud } = it;
  await it.create('web');
  const clear = refuseMembers();
  await it.make({ annotations: PROXY });
  expect(cloud.pools).toHaveLength(2);
  clear();

  cloud.quotas.pool = 2;
  await it.make({ annotations: { 'loadbalancer.openstack.org/proxy-protocol': 'v2' } });
  await it.sweepUntilSettled();
  expect(cloud.pools.map(({ protocol }) => protocol)).toEqual(['PROXYV2']);
});

test('an error that nobody expected fails the run whose report it was', async () => {
  it.kube.apply(aService());
  await it.once();
  await pause(20);
  const patchService = () => Promise.reject(new TypeError('a bug'));
  const kube = replaced(it.world.kube, () => ({ patchService }));
  const outcomes: string[] = [];
  for (let at = 0; at < 4; at += 1)
    outcomes.push((await it.once({ trigger: 'command' }, { ...it.world, kube })).outcome.status);
  expect(outcomes.at(-1)).toBe('failed');
});

describe('a create at which Octavia stumbles', () => {
  const stumble = (after: () => void, times = 20) =>
    failing(it, 'POST', CREATES, 500, { kind: 'fail-after', times, after });
  const empty = (): void => {
    const { loadbalancers, listeners, pools, members } = it.cloud;
    for (const rows of [loadbalancers, listeners, pools, members])
      for (const row of [...rows]) rows.remove(row as never);
  };

  test('is not tried again while each try leaves a VIP port behind, and says which one it left', async () => {
    stumble(empty);
    const report = await it.make();
    expect(report.outcome.status).toBe('blocked');
    expect(it.told()).toContain(`VIP port ${vipPorts()[0]?.id ?? ''}`);
    expect((await sweep(it.world)).requests).toEqual([]);
    expect(creates()).toBe(1);
  });

  test('is not tried again by a process either whose clock goes ten minutes before', async () => {
    stumble(empty);
    expect((await it.make({}, {}, it.later(600_000))).outcome.status).toBe('blocked');
  });

  test('is tried again where what another try has left is half a minute older', async () => {
    stumble(empty, 1);
    await it.make();
    Object.assign(vipPorts()[0] ?? {}, { created_at: new Date(Date.now() - 30_000).toISOString() });
    failing(it, 'POST', CREATES, 500, { times: 1 });
    expect((await it.make({ name: 'later' })).outcome).toMatchObject({ code: 'CLOUD_UNAVAILABLE' });
  });

  test('is tried again where it left nothing', async () => {
    stumble(() => {
      for (const port of vipPorts()) it.cloud.ports.remove(port);
      empty();
    });
    expect((await it.make()).outcome).toMatchObject({ status: 'failed', code: 'CLOUD_UNAVAILABLE' });
  });
});

test('#2541: load balancers that all end in ERROR are told once, until one is built', async () => {
  const slow = await aWorld({ pendingMs: 500 });
  slow.kube.apply(aService());
  while (creates(slow) <= 2) {
    await slow.once();
    for (const lb of slow.cloud.loadbalancers)
      if (lb.provisioning_status !== 'PENDING_DELETE') lb.provisioning_status = 'ERROR';
    await pause(20);
  }

  expect(warningsOf(slow)).toEqual([expect.stringContaining('ended in ERROR')]);
  expect(readyOf(slow)).toMatchObject({ status: 'False', reason: 'SyncLoadBalancerFailed' });

  await slow.sweepUntilSettled();
  expect(readyOf(slow)).toMatchObject({ status: 'True' });
});

test.each([
  ['load balancers', 'load_balancer'],
  ['listeners', 'listener'],
  ['members', 'member'],
] as const)('an exhausted quota of %s is said first, and it goes on when it is raised', async (_, quota) => {
  it.cloud.quotas[quota] = 0;
  expect((await it.make()).outcome).toMatchObject({ status: 'failed', code: 'QUOTA_EXCEEDED' });
  expect(readyOf(it)).toMatchObject({ status: 'False', reason: 'SyncLoadBalancerFailed' });
  expect(it.told()).toContain('quota');
  expect(cloudWrites(it)).toEqual([]);
  expect(vipPorts()).toEqual([]);

  it.cloud.quotas[quota] = 10;
  const later = it.later(61_000); // limits are asked for once a minute
  await it.once({ trigger: 'requeue' }, later);
  await it.sweepUntilSettled(later);

  expect(it.cloud.loadbalancers).toHaveLength(1);
  expect(addressOf(it)).toBeDefined();
  expect(vipPorts()).toHaveLength(1);
});

test.each(['listener', 'pool'] as const)('a redirect waits for its port: quota of a %s', async (quota) => {
  const OWN = 'levelset.openstack.org/';
  const redirect = { [`${OWN}redirect-http`]: 'true', [`${OWN}redirect-host`]: 'app.example.org' };
  const edit = async (more: Record<string, string>, ...ports: readonly object[]): Promise<void> => {
    const annotations = { [`${OWN}protocol.80`]: 'http', ...more };
    const spec = { ports: [{ name: 'http', port: 80, nodePort: 30_080 }, ...ports] };
    await it.make({ annotations, spec });
  };
  const { listeners, l7policies, quotas } = it.cloud;
  await edit({});
  quotas[quota] = 1;

  await edit(redirect, { name: 'https', port: 443, nodePort: 30_443 });
  expect((await it.settle('web')).outcome).toMatchObject({ status: 'failed', code: 'QUOTA_EXCEEDED' });
  expect([listeners.length, l7policies.length]).toEqual([1, 0]);

  quotas[quota] = 10;
  await it.settle('web');
  expect([listeners.length, l7policies.length]).toEqual([2, 1]);
});
