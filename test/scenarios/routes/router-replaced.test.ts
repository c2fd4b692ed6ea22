/** `[Route] router-id` names another router than before. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { renderPlan } from '../../../shared/plan/render-plan.ts';
import type { World } from '../../../shared/ports.ts';
import { sweep } from '../../../shared/sweep.ts';
import { nodeName, startRouteWorld } from '../../support/route-world.ts';
import type { RouteWorld } from '../../support/route-world.ts';

let it: RouteWorld;
/** Names the second router; the first has routes to two Nodes, one of a Node that is gone, and a foreign one. */
let second: World;
beforeEach(async () => {
  it = await startRouteWorld();
  for (const at of [1, 2, 3]) it.addNode(at);
  await it.routed();
  router(0).routes.push({ destination: '10.244.9.0/24', nexthop: '10.0.0.77' });
  it.sandbox.kube.delete('Node', undefined, nodeName(3));
  second = it.naming(it.addRouter());
  it.calls();
});
afterEach(() => it.close());

const router = (at: number) => {
  const found = it.sandbox.cloud.routers[at];
  if (!found) throw new Error('no such router');
  return found;
};
const routesOf = (at: number): readonly string[] =>
  router(at)
    .routes.map(({ destination, nexthop }) => `${destination} ${nexthop}`)
    .sort();
const recorded = async (): Promise<Readonly<Record<string, number>>> =>
  Object.fromEntries(
    [...(await it.world.kube.routes.load())].map(([id, routes]) => [
      id === router(0).id ? 'first' : 'second',
      routes.length,
    ]),
  );
const puts = (): readonly string[] => it.calls().filter((call) => call.startsWith('PUT'));
const FOREIGN = '10.244.9.0/24 10.0.0.77';
const both = (): readonly string[] => [1, 2].map((at) => `10.244.${at}.0/24 ${it.hop(at)}`);
const PUT = 'PUT /network/v2.0/routers/ID';
const ADD = `${PUT}/add_extraroutes`;
const REMOVE = `${PUT}/remove_extraroutes`;

describe('where another router is named', () => {
  test('it has the routes first, then they leave the former one, and only ours; that is in the plan', async () => {
    const { plan } = await it.reconcile({ dryRun: true }, second);
    const text = plan ? renderPlan(plan) : '';
    expect(
      text
        .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'ID')
        .split('\n')
        .slice(1),
    ).toEqual([
      '  ~ router/ID',
      expect.stringMatching(/^ {6}routes: \+ 10.244.1.0\/24 \S+ \+ 10.244.2.0\/24 \S+$/),
      '  ~ port/ID  (no route to 10.244.3.0/24 leads to this port)',
      expect.stringMatching(/^ {6}allowed_address_pairs: - /),
      "  ~ router/ID  (levelset's routes are on router ID now)",
      expect.stringMatching(/^ {6}routes: - 10.244.1.0\/24 \S+ - 10.244.2.0\/24 \S+ - 10.244.3.0\/24 \S+$/),
    ]);
    it.calls();

    expect((await it.routed(second)).outcome).toEqual({ status: 'settled' });

    expect([routesOf(0), routesOf(1)]).toEqual([[FOREIGN], both()]);
    expect([it.pairs(1), it.pairs(3)]).toEqual([['10.244.1.0/24'], []]);
    expect(puts()).toEqual([ADD, 'PUT /network/v2.0/ports/ID', REMOVE]);
    expect(await recorded()).toEqual({ second: 2 });
    const again = await it.reconcile({}, second);
    expect([again.plan?.steps, again.plan?.problems, again.calls]).toEqual([[], [], 2]);
    expect((await sweep(second)).requests).toEqual([]);
  });

  test('and then the old one again, all is as it was', async () => {
    await it.routed(second);
    await it.routed(it.naming(router(0).id));

    expect([routesOf(0), routesOf(1)]).toEqual([[...both(), FOREIGN], []]);
    expect([await recorded(), it.pairs(1), it.unavailable(1)?.status]).toEqual([
      { first: 2 },
      ['10.244.1.0/24'],
      'False',
    ]);
  });

  test('routes stay where they are while the new one has no room, or cannot be written', async () => {
    it.sandbox.cloud.maxRoutes = 4;
    const others = [1, 2, 3].map((at) => ({ destination: `192.168.${at}.0/24`, nexthop: '10.0.0.78' }));
    router(1).routes.push(...others);
    const { plan } = await it.routed(second);
    const [one = '', two = ''] = both();
    expect([routesOf(0), routesOf(1)]).toEqual([
      [two, FOREIGN],
      [one, ...others.map(({ destination }) => `${destination} 10.0.0.78`)],
    ]);
    expect(it.pairs(2)).toEqual(['10.244.2.0/24']);
    expect(plan?.problems.map(({ message }) => message)).toContain(
      `was configured before and keeps 1 of levelset's routes until router ${router(1).id} has them`,
    );

    it.sandbox.cloud.maxRoutes = 30;
    const match = { side: 'openstack', method: 'PUT', path: /add_extraroutes/ } as const;
    it.sandbox.fault({ match, kind: 'fail-before', status: 500 });
    await it.reconcile({ trigger: 'command' }, second);
    expect(routesOf(0)).toEqual([two, FOREIGN]);

    await it.routed(second);
    expect(routesOf(0)).toEqual([FOREIGN]);
    expect([routesOf(1).slice(0, 2), await recorded()]).toEqual([both(), { second: 2 }]);
  });

  test('a route that somebody changed on the former one is not ours any more', async () => {
    router(0).routes = [{ destination: '10.244.1.0/24', nexthop: it.hop(2) }];
    await it.routed(second);
    expect([routesOf(0), await recorded()]).toEqual([[`10.244.1.0/24 ${it.hop(2)}`], { second: 2 }]);
  });

  test('what we may not take away is a Problem, until somebody else takes it away', async () => {
    const body = {
      NeutronError: { type: 'PolicyNotAuthorized', message: 'disallowed by policy', detail: '' },
    };
    const match = { side: 'openstack', method: 'PUT', path: /remove_extraroutes/ } as const;
    it.sandbox.fault({ match, kind: 'fail-before', status: 403, body, times: 99 });

    const { outcome, plan } = await it.routed(second);

    expect([outcome.status, routesOf(1), it.unavailable(1)?.status]).toEqual(['blocked', both(), 'False']);
    expect(plan?.problems).toEqual([
      expect.objectContaining({ field: 'routes', value: `router/${router(0).id}` }),
    ]);
    expect(await recorded()).toEqual({ first: 3, second: 2 });

    router(0).routes = [];
    expect((await sweep(second)).requests.map(({ key }) => key)).toEqual(['routes']);
    await it.routed(second);
    expect([await recorded(), (await sweep(second)).requests]).toEqual([{ second: 2 }, []]);
  });

  test('and the former one is gone, its record goes', async () => {
    it.sandbox.cloud.routers.splice(0, 1);
    expect((await it.routed(second)).outcome).toEqual({ status: 'settled' });
    expect(await it.world.kube.routes.load()).toEqual(new Map([[router(0).id, expect.anything()]]));
    expect([routesOf(0), it.pairs(3)]).toEqual([both(), []]);
  });

  test('nothing leaves the former one where there is suddenly no Node', async () => {
    for (const at of [1, 2]) it.sandbox.kube.delete('Node', undefined, nodeName(at));
    expect((await it.routed(second)).outcome).toMatchObject({ status: 'blocked' });
    expect(routesOf(0)).toHaveLength(4);
  });

  test('single routes cannot be changed: lists are written under the revision that was read', async () => {
    const { extensions } = it.sandbox.cloud;
    extensions.splice(extensions.indexOf('extraroute-atomic'), 1);
    await it.routed(await it.another(second.config));
    expect([routesOf(0), routesOf(1), await recorded()]).toEqual([[FOREIGN], both(), { second: 2 }]);
    expect(puts()).toEqual([PUT, 'PUT /network/v2.0/ports/ID', PUT]);
  });
});
