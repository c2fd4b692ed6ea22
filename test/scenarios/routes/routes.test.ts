/** Routes of Nodes on a router, and the address pairs of their ports, without which no packet passes. */
import { describe, expect, onTestFinished, test } from 'vitest';
import type { ControllerName } from '../../../shared/config/config.ts';
import type { World } from '../../../shared/ports.ts';
import { sweep } from '../../../shared/sweep.ts';
import { failing } from '../../support/failing.ts';
import { nodeName, startRouteWorld } from '../../support/route-world.ts';
import { inEachTest, runAll } from '../../support/sandbox-world.ts';

const it = inEachTest(() => startRouteWorld());

const TO_ROUTER = 'PUT /network/v2.0/routers/ID';
const LOOK = ['GET /network/v2.0/ports', 'GET /network/v2.0/routers/ID'];
const CREATED = { status: 'False', reason: 'RouteCreated' };
const MISSING = { status: 'True', reason: 'NoRouteCreated' };
const router = () => {
  const [found] = it.cloud.routers;
  if (!found) throw new Error('no router');
  return found;
};
const setRoutes = (...routes: readonly (readonly [destination: string, nexthop: string])[]): void => {
  router().routes = routes.map(([destination, nexthop]) => ({ destination, nexthop }));
};

describe('routes', () => {
  test('of ten Nodes are one PUT, with one for each port; then two calls find them settled', async () => {
    for (let at = 1; at <= 10; at += 1) it.addNode(at);

    expect((await it.routed()).outcome).toEqual({ status: 'settled' });

    expect(it.routes()).toHaveLength(10);
    expect(it.routes()).toContain(`10.244.3.0/24 ${it.hop(3)}`);
    expect([it.pairs(3), it.unavailable(3)]).toEqual([['10.244.3.0/24'], CREATED]);
    const puts = it.calls().filter((call) => call.startsWith('PUT'));
    expect(puts.filter((call) => call.includes('/ports/'))).toHaveLength(10);
    expect(puts.filter((call) => call.includes('/routers/'))).toEqual([`${TO_ROUTER}/add_extraroutes`]);
    const again = await it.reconcile();
    expect([again.plan?.steps, again.calls, it.calls()]).toEqual([[], 2, LOOK]);
  });

  test('are written under the revision that was read where Neutron cannot change single ones', async () => {
    const { extensions } = it.cloud;
    extensions.splice(extensions.indexOf('extraroute-atomic'), 1);
    it.addNode(1);
    setRoutes(['192.168.7.0/24', '10.0.0.99']);
    const other = { destination: '192.168.8.0/24', nexthop: '10.0.0.98' };
    const before = () => {
      router().routes.push(other);
      router().revision_number += 1;
    };
    it.fault({ match: { method: 'PUT', path: /routers/ }, kind: 'call', before });

    expect((await it.reconcile()).outcome).toMatchObject({ status: 'progressing' });
    expect(it.unavailable(1)).toBeUndefined();
    await it.routed();

    const puts = it.calls().filter((call) => call.startsWith('PUT') && call.includes('routers'));
    expect(puts).toEqual([TO_ROUTER, TO_ROUTER]);
    const others = ['192.168.7.0/24 10.0.0.99', '192.168.8.0/24 10.0.0.98'];
    expect([...it.routes()].sort()).toEqual([`10.244.1.0/24 ${it.hop(1)}`, ...others]);
  });

  test('that a router has no room for leave their Nodes unavailable, and hold up no other', async () => {
    it.cloud.maxRoutes = 3;
    for (const at of [1, 2, 3, 4]) it.addNode(at);

    expect((await it.routed()).outcome).toMatchObject({ status: 'blocked' });
    expect(it.routes()).toHaveLength(3);
    expect([1, 2, 3, 4].map((at) => it.unavailable(at)?.status)).toEqual(['False', 'False', 'False', 'True']);
    expect(it.pairs(4)).toEqual([]);
    expect(it.calls().filter((call) => call.startsWith('PUT') && call.includes('/ports/'))).toHaveLength(3);
    expect(it.events(4)).toEqual([
      'route_controller FailedToCreateRoute: Could not create route 10.244.4.0/24 for node node-4: the router has the 3 routes that Neutron allows (max_routes)',
    ]);
  });

  test('are not tried again where there is no room, within the hour, or before somebody asks', async () => {
    const toRouter = () => it.calls().filter((call) => call.startsWith('PUT')).length;
    it.cloud.maxRoutes = 1;
    for (const at of [1, 2, 3]) it.addNode(at);
    await it.routed();
    it.calls();
    const again = await it.routed();
    expect([again.outcome.status, toRouter(), it.events(3).length]).toEqual(['blocked', 0, 1]);
    it.kube.delete('Node', undefined, nodeName(1));
    await it.routed();
    expect([it.routes(), it.unavailable(2)]).toEqual([[`10.244.2.0/24 ${it.hop(2)}`], CREATED]);

    it.cloud.maxRoutes = 2;
    await it.routed();
    expect([it.routes().length, it.unavailable(3)]).toEqual([1, MISSING]);
    await it.reconcile({ trigger: 'command' });
    expect([it.routes().length, it.unavailable(3)]).toEqual([2, CREATED]);

    it.addNode(4);
    await it.routed();
    it.cloud.maxRoutes = 30;
    await it.reconcile({}, { ...it.world, clock: { now: () => Date.now() + 3_601_000 } });
    expect(it.routes()).toHaveLength(3);
  });

  test("of a Node that waits for its initialisation are nobody's fault", async () => {
    const taints = [{ key: 'node.cloudprovider.kubernetes.io/uninitialized', effect: 'NoSchedule' }];
    const spec = { podCIDRs: ['10.244.2.0/24'], taints };
    it.kube.apply({ kind: 'Node', metadata: { name: nodeName(2) }, spec });

    expect((await it.routed()).outcome).toEqual({ status: 'settled' });

    expect([it.unavailable(2), it.events(2)]).toEqual([MISSING, []]);
  });

  test('stay where there is suddenly no Node, until somebody asks for it', async () => {
    for (const at of [1, 2]) it.addNode(at);
    await it.routed();
    for (const at of [1, 2]) it.kube.delete('Node', undefined, nodeName(at));

    expect((await it.routed()).outcome).toMatchObject({ status: 'blocked' });
    expect(it.routes()).toHaveLength(2);

    expect((await it.reconcile({ trigger: 'command' })).outcome).toEqual({ status: 'settled' });
    expect(it.routes()).toEqual([]);
  });
});

test('a Node to whose podCIDR somebody else has a route is told which, and keeps its own', async () => {
  it.addNode(1);
  it.addNode(2);
  setRoutes(['10.244.1.0/24', '10.0.0.199']);

  const { plan } = await it.routed();

  const both = [`10.244.1.0/24 ${it.hop(1)}`, '10.244.1.0/24 10.0.0.199'];
  expect(it.routes()).toEqual(expect.arrayContaining(both));
  expect(it.events(1)).toEqual([expect.stringContaining('has another, to 10.0.0.199')]);
  const why = 'nothing proves that levelset wrote it, so it stays';
  expect(plan?.problems.map(({ message }) => message)).toEqual([expect.stringContaining(why)]);
  expect(it.events(2)).toEqual([]);
  expect(it.unavailable(1)).toEqual(CREATED);
});

test('a router that is not there is a Problem, and no Node is written', async () => {
  it.addNode(1);
  await it.routed();
  const before = it.unavailable(1);
  it.cloud.routers.splice(0, 1);

  const { outcome } = await it.reconcile();

  expect(outcome).toMatchObject({ status: 'blocked', reason: /there is no router/ as never });
  expect(it.unavailable(1)).toEqual(before);
});

test('a Neutron that names no number gets the routes that fit, and is left alone then', async () => {
  const old = await startRouteWorld({ release: '2026.2' });
  onTestFinished(() => old.close());
  old.cloud.maxRoutes = 5;
  for (let at = 1; at <= 12; at += 1) old.addNode(at);

  expect((await old.routed()).outcome).toMatchObject({ status: 'blocked' });

  expect(old.routes()).toHaveLength(5);
  expect(old.events(9)[0]).toContain('the router has the 5 routes that Neutron allows');
  old.calls();
  await old.routed();
  expect(old.calls().filter((call) => call.startsWith('PUT'))).toEqual([]);
});

/** A process that looks after these alone. */
const only = (...controllers: readonly ControllerName[]): World => ({
  ...it.world,
  config: { ...it.world.config, controllers },
});
const alone = () => only('node-route-controller');
const keysOf = async (by = alone()) => (await sweep(by)).requests.map(({ key }) => key);

test('of two Nodes with one podCIDR the one that had the route gets it back, also if that fails at first', async () => {
  const ONE = '10.244.1.0/24';
  it.addNode(2, [ONE]);
  await it.routed(alone());
  it.addNode(1, [ONE]);
  await it.routed(alone());
  setRoutes();
  const end = failing(it, 'PUT', /add_extraroutes/);
  await runAll(await sweep(alone()), alone());
  end();
  await it.routed(alone());
  expect(it.routes()).toEqual([`${ONE} ${it.hop(2)}`]);
});

test.each([
  ['nobody looks after them', ['cloud-node-lifecycle-controller'] as const],
  ['all but they are looked after', ['service-lb-controller', 'cloud-node-controller'] as const],
])('a sweep asks for no router where %s', async (_, controllers) => {
  it.addNode(1);
  it.calls();
  expect(await keysOf(only(...controllers))).not.toContain('routes');
  expect(it.calls().filter((call) => call.includes('/routers'))).toEqual([]);
});

test('a namespace is no matter of routes, and a router that does not answer stops nothing else', async () => {
  it.addNode(1);
  expect((await sweep(it.world, { namespace: 'default' })).requests).toEqual([]);
  failing(it, 'GET', /routers/);

  const found = await sweep(it.world);

  expect(found.requests.map(({ key }) => key)).toEqual(['node/node-1']);
  expect(found.failed).toBeUndefined();
  expect(found.warnings).toEqual([expect.stringMatching(/^the sweep could not compare the routes: /)]);
});

test('a Node that gets no route has an Event when that is new, and by sweeps; not at each event about some Node', async () => {
  it.addNode(1);
  it.addNode(2, ['192.168.9.0/24']);
  const told = (): number =>
    it.requests.filter(({ method, path }) => method === 'POST' && path.endsWith('/events')).length;
  await it.routed();
  expect([told(), it.unavailable(2)?.status]).toEqual([1, 'True']);
  await it.reconcile();
  await it.reconcile({ trigger: 'requeue' });
  expect(told()).toBe(1);
  await it.reconcile({ trigger: 'sweep' });
  expect(told()).toBe(2);
});

test('what another process records while a sweep of this one reads the record is not forgotten', async () => {
  it.addNode(1);
  await it.routed();
  it.addNode(2);
  const left = { destination: '10.244.9.0/24', nexthop: '10.0.0.99' };
  const other = await it.another();
  const before = async (): Promise<void> => {
    const records = await other.kube.routes.load();
    const [port = ''] = it.cloud.ports.map(({ id }) => id);
    const more = [...(records.get(router().id) ?? []), { ...left, port }];
    await other.kube.routes.save(new Map([[router().id, more]]), records);
    router().routes.push(left);
    await it.world.kube.routes.load();
  };
  it.fault({ match: { method: 'GET', path: /routers/ }, kind: 'call', before });
  expect((await it.reconcile()).outcome).toMatchObject({ status: 'progressing' });
  await it.routed();
  expect(it.routes()).toEqual([`10.244.1.0/24 ${it.hop(1)}`, `10.244.2.0/24 ${it.hop(2)}`]);
});

test('routes to ports whose pairs we may not set are a Problem, asked for a few times and no more', async () => {
  for (let at = 1; at <= 12; at += 1) it.addNode(at);
  const network = it.cloud.networks.find(({ name }) => name === 'private');
  Object.assign(network ?? {}, { project_id: it.cloud.otherProjectId });

  const report = await it.routed();

  expect(report.outcome).toMatchObject({ status: 'blocked' });
  expect(report.plan?.problems.filter(({ field }) => field === 'allowed_address_pairs')).toHaveLength(12);
  expect([it.unavailable(1), it.unavailable(12)]).toEqual([MISSING, MISSING]);
  expect(it.events(12).join()).toMatch(/FailedToCreateRoute.*disallowed by policy/);
  expect(it.calls().filter((call) => call.startsWith('PUT') && call.includes('/ports/'))).toHaveLength(8);
});
