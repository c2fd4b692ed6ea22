/** What Services leave, whether levelset saw them go or not. */
import { describe, expect, test } from 'vitest';
import { sweep } from '../../../shared/sweep.ts';
import { failing } from '../../support/failing.ts';
import { inEachTest, run, startSandboxWorld, type SandboxWorld, pause } from '../../support/sandbox-world.ts';
import { cloudWrites, forceDelete, leftovers, serviceOf } from '../../support/told.ts';

const it = inEachTest(() => startSandboxWorld());

const NO_SERVICES = { kind: 'ServiceList', apiVersion: 'v1', metadata: { resourceVersion: '1' }, items: [] };

/** The UIDs of Services of which a settled record is kept. */
function statesOf({ sandbox }: SandboxWorld): readonly string[] {
  const maps = sandbox.kube.list('ConfigMap', 'levelset');
  const kept = maps.filter(({ metadata: { name } }) => name.startsWith('levelset-state-'));
  return kept.flatMap(({ data }) => Object.keys(data ?? {})).filter((uid) => /^[0-9a-f-]{36}$/.test(uid));
}

test('who only wants to know takes nothing away, not even the state of a Service that is no more', async () => {
  await it.create('web', 'other');
  forceDelete(it);
  it.cloud.loadbalancers.splice(0);

  await sweep(it.world, { readOnly: true });
  expect(statesOf(it)).toHaveLength(2);
  await sweep(it.world);
  expect(statesOf(it)).toHaveLength(1);
});

test('a list that lacks a Service deletes nothing, since the apiserver is asked for that very Service', async () => {
  await it.create('web');
  const before = cloudWrites(it);
  failing(it, 'GET', /^\/api\/v1\/services/, 200, { body: NO_SERVICES, times: 1 });

  const found = await sweep(it.world);
  for (const request of found.requests) await run(request, it.world);

  expect(found.requests.map(({ key }) => key)).toEqual(['service/default/web']);
  expect(cloudWrites(it)).toEqual(before);
});

const orphan = ['service/default/web'];
test.each<[string, RegExp, readonly string[]]>([
  ['Services', /^\/api\/v1\/services/, []],
  ['Nodes', /^\/api\/v1\/nodes/, orphan],
  ['load balancers', /lbaas\/loadbalancers/, []],
  ['floating IPs', /floatingips/, orphan],
  ['security groups', /security-groups/, orphan],
  ['certificates', /v1\/secrets/, orphan],
  ['settled records', /configmaps\?/, orphan],
])('a list that fails %s: what others show to be left is found, nothing is pruned', async (_, path, keys) => {
  await it.create('web');
  forceDelete(it);
  failing(it, 'GET', path);

  const found = await sweep(it.world);

  expect(found.incomplete).toBe(true);
  expect([found.failed, ...found.warnings].join()).toContain('unable to handle the request');
  expect(found.requests.map(({ key }) => key)).toEqual(keys);
  expect(statesOf(it)).toHaveLength(1);
});

describe('a Service that leaves', () => {
  test('keeps its load balancer alive where somebody else makes a listener on it while the run waits for Neutron', async () => {
    await it.make();
    const { listeners } = it.cloud;
    const [ours] = listeners;
    if (!ours) throw new Error('no listener');
    const foreign = { ...ours, id: it.cloud.newId(), name: 'foreign', tags: [], protocol_port: 9999 };
    const before = () => void listeners.push({ ...foreign, default_pool_id: null });
    it.fault({ match: { method: 'GET', path: /floatingips/ }, kind: 'call', before });

    await it.remove('web');

    expect(it.cloud.listeners.map(({ name }) => name)).toEqual(['foreign']);
    expect(it.cloud.pools).toEqual([]);
    expect(it.cloud.floatingips).toEqual([]);
    expect(it.cloud.loadbalancers[0]?.tags.filter((tag) => tag.startsWith('levelset-'))).toEqual([]);
    expect(serviceOf(it)).toBeUndefined();
  });

  test('has only lists read that serve others, where nothing has changed on the load balancer since all of it was read', async () => {
    // Octavia's times have whole seconds
    it.advanceClock(-5_000);
    await it.make();
    await it.sweepUntilSettled();
    const before = readByItself(it).length;

    await it.remove('web');

    expect(readByItself(it).slice(before)).toEqual([]);
    expect(leftovers(it)).toEqual({});
  });

  const addPool = (): void => {
    const [ours] = it.cloud.pools;
    if (ours)
      it.cloud.pools.push({ ...ours, id: it.cloud.newId(), name: 'own', tags: [], listener_id: null });
  };
  const tags = ['levelset-service=other', 'kube_service_kubernetes_default_other'];
  test.each<readonly [string, () => unknown]>([
    ['a pool that no listener uses', addPool],
    ['a listener given to another Service', () => Object.assign(it.cloud.listeners[0] ?? {}, { tags })],
  ])('keeps its load balancer alive while there is %s', async (_, change) => {
    await it.make();
    change();

    await it.remove('web');

    expect(readByItself(it)).not.toEqual([]);
    expect(it.cloud.loadbalancers).toHaveLength(1);
  });

  test.each<readonly [string, object]>([
    ['', {}],
    [' and had lost its tags', { tags: [] }],
  ])('keeps its finalizer until a load balancer is gone that fell into ERROR%s', async (_, change) => {
    await it.make();
    Object.assign(it.cloud.loadbalancers[0] ?? {}, change);
    it.kube.delete('Service', 'default', 'web');
    it.fault({ match: { method: 'DELETE', path: /loadbalancers/ }, kind: 'fail-before', status: 204 });
    await it.once();
    it.cloud.setStatus(it.cloud.loadbalancers[0]?.id ?? '', 'ERROR');

    await it.once();

    expect(serviceOf(it)?.metadata.finalizers).toHaveLength(1);
    await it.settle('web');
    expect(leftovers(it)).toEqual({});
  });

  test('asks for its load balancer by its id where another process deleted it', async () => {
    await it.make();
    it.kube.delete('Service', 'default', 'web');
    await it.once();
    await pause(30);

    await it.settle('web', {}, await it.another());

    expect(readByItself(it)).not.toEqual([]);
    expect(leftovers(it)).toEqual({});
  });
});

/** Reads of what is on one load balancer, and of one load balancer by its id. */
function readByItself({ requests }: SandboxWorld): readonly string[] {
  return requests
    .filter(({ method }) => method === 'GET')
    .map(({ path }) => path)
    .filter((path) => /loadbalancer_id=|loadbalancers\/[0-9a-f-]{36}$/.test(path));
}
