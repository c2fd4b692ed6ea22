import { afterEach, beforeEach, expect, test } from 'vitest';
import { sweep } from '../../../shared/sweep.ts';
import type { World } from '../../../shared/ports.ts';
import { runAll } from '../../support/sandbox-world.ts';
import { startRouteWorld, type RouteWorld } from '../../support/route-world.ts';

let it: RouteWorld;
let alone: World;
beforeEach(async () => {
  it = await startRouteWorld();
  // nothing else to look after
  alone = { ...it.world, config: { ...it.world.config, controllers: ['node-route-controller'] } };
});
afterEach(() => it.close());

const keysOf = async (by: World = alone): Promise<readonly string[]> =>
  (await sweep(by)).requests.map(({ key }) => key);

test('a sweep finds routes that are missing, and then nothing, with two calls', async () => {
  it.addNode(1);
  expect(await keysOf()).toEqual(['routes']);
  await runAll(await sweep(alone), alone);
  expect(it.routes()).toEqual([`10.244.1.0/24 ${it.hop(1)}`]);

  it.calls();
  expect([await keysOf(), it.calls()]).toEqual([
    [],
    ['GET /network/v2.0/ports', 'GET /network/v2.0/routers/ID'],
  ]);
});

test('what was changed by hand is found, and a Node that cannot be reached has an Event at every sweep', async () => {
  it.addNode(1);
  await it.routed();
  const [router] = it.sandbox.cloud.routers;
  if (router) router.routes = [];
  expect(await keysOf()).toEqual(['routes']);
  await it.routed();

  it.sandbox.kube.apply({
    kind: 'Node',
    metadata: { name: 'stranger' },
    spec: { podCIDR: '10.244.9.0/24', podCIDRs: ['10.244.9.0/24'] },
  });
  await it.routed();
  expect(await keysOf()).toEqual(['routes']);
});

test('of two Nodes with one podCIDR the one that had the route gets it back, also if that fails at first', async () => {
  const ONE = '10.244.1.0/24';
  it.addNode(2, [ONE]);
  await it.routed(alone);
  it.addNode(1, [ONE]);
  await it.routed(alone);
  const [router] = it.sandbox.cloud.routers;
  if (router) router.routes = [];
  const match = { side: 'openstack', method: 'PUT', path: /add_extraroutes/ } as const;
  const end = it.sandbox.fault({ match, times: 9, kind: 'fail-before' });
  await runAll(await sweep(alone), alone);
  end();
  await it.routed(alone);
  expect(it.routes()).toEqual([`${ONE} ${it.hop(2)}`]);
});

test.each([
  ['nobody looks after them', ['cloud-node-lifecycle-controller'] as const],
  ['all but they are looked after', ['service-lb-controller', 'cloud-node-controller'] as const],
])('a sweep asks for no router where %s', async (_, controllers) => {
  it.addNode(1);
  it.calls();
  expect(await keysOf({ ...it.world, config: { ...it.world.config, controllers } })).not.toContain('routes');
  expect(it.calls().filter((call) => call.includes('/routers'))).toEqual([]);
});

test('a namespace is no matter of routes, and a router that does not answer stops nothing else', async () => {
  it.addNode(1);
  expect((await sweep(it.world, { namespace: 'default' })).requests).toEqual([]);
  it.sandbox.fault({ match: { side: 'openstack', path: /routers/ }, times: 99, kind: 'fail-before' });

  const found = await sweep(it.world);

  expect(found.requests.map(({ key }) => key)).toEqual(['node/node-1']);
  expect(found.failed).toBeUndefined();
  expect(found.warnings).toEqual([expect.stringMatching(/^the sweep could not compare the routes: /)]);
});

test('a Node that gets no route has an Event when that is new, and by sweeps; not at each event about some Node', async () => {
  it.addNode(1);
  it.addNode(2, ['192.168.9.0/24']);
  const told = (): number =>
    it.sandbox.requests.filter(({ method, path }) => method === 'POST' && path.endsWith('/events')).length;
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
  const [router] = it.sandbox.cloud.routers;
  if (!router) throw new Error('no router');
  const left = { destination: '10.244.9.0/24', nexthop: '10.0.0.99' };
  const other = await it.another(it.world.config);
  it.sandbox.fault({
    match: { side: 'openstack', method: 'GET', path: /routers/ },
    kind: 'call',
    before: async () => {
      const records = await other.kube.routes.load();
      const [port = ''] = it.sandbox.cloud.ports.map(({ id }) => id);
      const more = [...(records.get(router.id) ?? []), { ...left, port }];
      await other.kube.routes.save(new Map([[router.id, more]]), records);
      router.routes.push(left);
      await it.world.kube.routes.load();
    },
  });
  expect((await it.reconcile()).outcome).toMatchObject({ status: 'progressing' });
  await it.routed();
  expect(it.routes()).toEqual([`10.244.1.0/24 ${it.hop(1)}`, `10.244.2.0/24 ${it.hop(2)}`]);
});
