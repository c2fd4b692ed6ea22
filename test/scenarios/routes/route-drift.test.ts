/** What somebody changed about routes that were settled is told as drift; levelset's own unfinished work is not. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { renderDrift } from '../../../shared/plan/render-plan.ts';
import { sweep } from '../../../shared/sweep.ts';
import type { Report } from '../../../shared/model/outcome.ts';
import type { Step } from '../../../shared/model/plan.ts';
import type { World } from '../../../shared/ports.ts';
import { nodeName, startRouteWorld } from '../../support/route-world.ts';
import type { RouteWorld } from '../../support/route-world.ts';
import { runAll } from '../../support/sandbox-world.ts';

let it: RouteWorld;
let alone: World;
let reporting: World;
beforeEach(async () => {
  it = await startRouteWorld();
  alone = { ...it.world, config: { ...it.world.config, controllers: ['node-route-controller'] } };
  reporting = { ...alone, config: { ...alone.config, drift: 'report' } };
});
afterEach(() => it.close());

const router = () => {
  const [found] = it.sandbox.cloud.routers;
  if (!found) throw new Error('no router');
  return found;
};
const portOf = (at: number) => {
  const found = it.sandbox.cloud.ports.find(({ fixed_ips: ips }) => ips[0]?.ip_address === it.hop(at));
  if (!found) throw new Error('no port');
  return found;
};
const swept = async (by: World = alone): Promise<readonly Report[]> => [
  ...(await runAll(await sweep(by), by)),
];
const driftOf = (reports: readonly Report[]): readonly Step[] =>
  reports.flatMap(({ plan }) => plan?.drift ?? []);
const written = (): number =>
  it.sandbox.requests.filter(
    ({ method, path }) => path.endsWith('/configmaps/levelset-routes') && method === 'PATCH',
  ).length;
/** Nodes whose routes a sweep has seen settled. */
const settled = async (...nodes: readonly number[]): Promise<void> => {
  for (const at of nodes) it.addNode(at);
  await it.routed(alone);
  await swept();
};
const told = (at: number): readonly string[] => it.events(at).filter((event) => event.includes('Drift'));
const ONE = '10.244.1.0/24';

/** From the first PUT to this path of OpenStack on the record of routes cannot be saved, until the returned function is called. */
function failSavesFrom(path: RegExp): () => void {
  let end = (): void => undefined;
  it.sandbox.fault({
    match: { side: 'openstack', method: 'PUT', path },
    kind: 'call',
    before: () => {
      const match = { side: 'kube', method: 'PATCH', path: /levelset-routes/ } as const;
      end = it.sandbox.fault({ match, times: 9, kind: 'fail-before' });
    },
  });
  return () => {
    end();
  };
}

test('a settled sweep costs two calls and no write; the one before notes once what it has seen', async () => {
  it.addNode(1);
  await it.routed(alone);
  const before = written();
  it.calls();
  for (let times = 0; times < 3; times += 1) expect(await swept()).toEqual([]);
  expect(written() - before).toBe(1);
  expect(it.calls()).toEqual(
    Array.from({ length: 3 }, () => ['GET /network/v2.0/ports', 'GET /network/v2.0/routers/ID']).flat(),
  );
});

test('routes that were removed, moved or doubled, and a pair that was removed, are told once and put back', async () => {
  await settled(1, 2, 3, 4);
  const [, two, three] = router().routes;
  router().routes = [
    ...router().routes.slice(2),
    { destination: '10.244.2.0/24', nexthop: it.hop(1) },
    { destination: '10.244.3.0/24', nexthop: it.hop(1) },
  ];
  portOf(4)['allowed_address_pairs'] = [];

  const shown = await it.reconcile({ trigger: 'command', dryRun: true }, alone);
  expect([told(1), shown.plan && renderDrift(shown.plan).split('\n')[0]]).toEqual([
    [],
    'routes: drift, 4 to update; levelset undoes it',
  ]);
  const reports = await swept();

  const onRouter = (at: number, nexthop: string, ...from: readonly string[]) => ({
    ...{ verb: 'update', kind: 'router', address: `router/${router().id}`, id: router().id },
    changes: [
      {
        attribute: 'routes',
        from: from.map((hop) => `10.244.${at}.0/24 via ${hop}`),
        to: [`10.244.${at}.0/24 via ${nexthop}`],
      },
    ],
  });
  const { id } = portOf(4);
  expect(driftOf(reports)).toEqual([
    onRouter(1, it.hop(1)),
    onRouter(2, two?.nexthop ?? '', it.hop(1)),
    onRouter(3, three?.nexthop ?? '', three?.nexthop ?? '', it.hop(1)),
    {
      ...{ verb: 'update', kind: 'port', address: `port/${id}`, id },
      changes: [{ attribute: 'allowed_address_pairs', from: [], to: ['10.244.4.0/24'] }],
    },
  ]);
  expect([...it.routes()].sort()).toEqual([1, 2, 3, 4].map((at) => `10.244.${at}.0/24 ${it.hop(at)}`));
  expect(it.pairs(4)).toEqual(['10.244.4.0/24']);
  expect(told(1)).toEqual([expect.stringContaining(`routes: + "${ONE} via ${it.hop(1)}"`)]);
  expect(told(3)).toEqual([expect.stringContaining(`routes: - "10.244.3.0/24 via ${it.hop(1)}"`)]);
  expect(told(4)).toEqual([expect.stringContaining('DriftRepaired: OpenStack is not as it was settled')]);
  expect(driftOf([...(await swept()), await it.routed(alone)])).toEqual([]);
});

test('with drift: report they stay as they are until it is repair again, and the Nodes say so', async () => {
  await settled(1, 2, 3);
  router().routes = [
    ...router()
      .routes.slice(1)
      .filter(({ nexthop }) => nexthop !== it.hop(2)),
    { destination: '10.244.2.0/24', nexthop: it.hop(3) },
  ];
  portOf(3)['allowed_address_pairs'] = [];
  const there = it.routes();

  for (let times = 0; times < 2; times += 1) {
    const reports = await swept(reporting);
    expect(reports.map(({ plan }) => [plan?.driftStays, plan?.drift?.length])).toEqual([[true, 3]]);
  }
  it.addNode(4);
  expect((await it.routed(reporting)).outcome.status).toBe('settled');

  expect([...it.routes()].sort()).toEqual([...there, `10.244.4.0/24 ${it.hop(4)}`].sort());
  expect(it.pairs(3)).toEqual([]);
  expect([1, 2, 3, 4].map((at) => it.unavailable(at)?.status)).toEqual(['True', 'True', 'True', 'False']);
  expect(told(1)).toEqual([expect.stringContaining('DriftReported')]);
  expect(driftOf(await swept(reporting))).toHaveLength(3);
  expect(driftOf(await swept())).toHaveLength(3);
  expect([...it.routes()].sort()).toEqual([1, 2, 3, 4].map((at) => `10.244.${at}.0/24 ${it.hop(at)}`));
  expect(it.unavailable(3)?.status).toBe('False');
});

test('of two Nodes with one podCIDR the one that had the route gets it back, also if that fails at first', async () => {
  it.addNode(2, [ONE]);
  await it.routed(alone);
  await swept();
  it.addNode(1, [ONE]);
  await it.routed(alone);
  router().routes = [];
  const end = it.sandbox.fault({
    match: { side: 'openstack', method: 'PUT', path: /add_extraroutes/ },
    times: 9,
    kind: 'fail-before',
  });
  await swept();
  end();
  await it.routed(alone);
  expect(it.routes()).toEqual([`${ONE} ${it.hop(2)}`]);
});

test.each([
  ['before the router is written', /add_extraroutes/],
  ['before the pair is written', /ports\//],
])('what a run left undone that ended %s is no drift', async (_, path) => {
  await settled(1);
  it.addNode(2);
  const end = it.sandbox.fault({
    match: { side: 'openstack', method: 'PUT', path },
    times: 9,
    kind: 'fail-before',
  });
  await it.reconcile({}, alone);
  end();
  await sweep(alone);
  const report = await it.routed(alone);
  expect([report.plan?.steps.length, driftOf([report])]).toEqual([expect.any(Number), []]);
  expect(it.pairs(2)).toEqual(['10.244.2.0/24']);
});

test('with drift: report it is one Event, whatever levelset writes to the router meanwhile', async () => {
  await settled(1);
  router().routes = [];
  await swept(reporting);
  for (const at of [2, 3]) {
    it.addNode(at);
    await it.routed(reporting);
    router().updated_at = `2031-01-01T00:00:0${at}Z`;
    expect(driftOf(await swept(reporting))).toHaveLength(1);
  }
  expect(told(1)).toHaveLength(1);
});

test('a route that levelset took away without being able to record the end is no drift when its Node is back', async () => {
  await settled(1, 2);
  const { spec, status } = it.sandbox.kube.get('Node', undefined, nodeName(2)) ?? {};
  it.sandbox.kube.delete('Node', undefined, nodeName(2));
  const end = failSavesFrom(/ports\//);
  expect((await it.reconcile({}, alone)).outcome.status).toBe('failed');
  end();
  expect(it.routes()).toEqual([`${ONE} ${it.hop(1)}`]);
  it.sandbox.kube.apply({ kind: 'Node', metadata: { name: nodeName(2) }, spec, status });

  expect(driftOf(await swept(reporting))).toEqual([]);
  expect(it.routes()).toEqual([`${ONE} ${it.hop(1)}`, `10.244.2.0/24 ${it.hop(2)}`]);
});

test('what another process takes away while this one reads is no drift', async () => {
  await settled(1, 2);
  const other = await it.another(alone.config);
  it.sandbox.fault({
    match: { side: 'openstack', method: 'GET', path: /routers/ },
    kind: 'call',
    before: async () => {
      it.sandbox.kube.delete('Node', undefined, nodeName(2));
      await it.routed(other);
      expect(it.routes()).toHaveLength(1);
    },
  });
  const report = await it.reconcile({ trigger: 'command' }, reporting);
  expect([driftOf([report]), told(2)]).toEqual([[], []]);
});

test('where somebody used up the room for a route that was removed, it is told all the same', async () => {
  it.sandbox.cloud.maxRoutes = 2;
  await settled(1, 2);
  router().routes = [...router().routes.slice(1), { destination: '192.168.7.0/24', nexthop: '10.0.0.99' }];
  const [report] = await swept();
  expect(report?.outcome.status).toBe('blocked');
  expect([driftOf(report ? [report] : []).length, told(1).length]).toEqual([1, 1]);
  expect(it.unavailable(1)?.status).toBe('True');
});

test('drift that was put back is told also if the record of it cannot be saved', async () => {
  await settled(1, 2);
  router().routes = [...router().routes.slice(1), { destination: ONE, nexthop: it.hop(2) }];
  const end = failSavesFrom(/add_extraroutes/);
  expect((await it.reconcile({}, alone)).outcome.status).toBe('failed');
  end();
  expect([...it.routes()].sort()).toEqual([`${ONE} ${it.hop(1)}`, `10.244.2.0/24 ${it.hop(2)}`]);
  await it.routed(alone);
  expect(told(1)).toHaveLength(1);
});

test('what cannot be put back is told once: from then on it is levelset that has something to do', async () => {
  await settled(1);
  portOf(1)['allowed_address_pairs'] = [];
  it.sandbox.fault({
    match: { side: 'openstack', method: 'PUT', path: /ports\// },
    times: 9,
    kind: 'fail-before',
    status: 403,
  });
  const [first, second] = [await swept(), await swept()];
  expect([driftOf(first).length, driftOf(second).length, told(1).length]).toEqual([1, 0, 1]);
});

test('a port that levelset may not write hides no drift of the other Nodes', async () => {
  it.addNode(1);
  it.addNode(2);
  const path = new RegExp(`ports/${portOf(2).id}`);
  it.sandbox.fault({
    match: { side: 'openstack', method: 'PUT', path },
    times: 99,
    kind: 'fail-before',
    status: 403,
  });
  for (let times = 0; times < 3; times += 1) await swept(reporting);
  const before = written();
  await swept(reporting);
  expect([it.unavailable(1)?.status, written() - before]).toEqual(['False', 0]);

  router().routes = router().routes.filter(({ nexthop }) => nexthop !== it.hop(1));
  expect(driftOf(await swept(reporting))).toHaveLength(1);
  expect(it.routes()).toEqual([`10.244.2.0/24 ${it.hop(2)}`]);
  expect(driftOf(await swept())).toHaveLength(1);
  expect(it.routes()).toHaveLength(2);
});
