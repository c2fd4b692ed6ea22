import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { CONTROLLER_NAMES } from '../../../shared/config/controllers.ts';
import { aConfig } from '../../support/config.ts';
import { nodeName, startRouteWorld, type RouteWorld } from '../../support/route-world.ts';

let it: RouteWorld;
beforeEach(async () => {
  it = await startRouteWorld();
});
afterEach(() => it.close());

const TO_ROUTER = 'PUT /network/v2.0/routers/ID';
const CREATED = { status: 'False', reason: 'RouteCreated' };
const MISSING = { status: 'True', reason: 'NoRouteCreated' };
const router = () => {
  const [found] = it.sandbox.cloud.routers;
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
    expect([again.plan?.steps, again.calls, it.calls()]).toEqual([
      [],
      2,
      ['GET /network/v2.0/ports', 'GET /network/v2.0/routers/ID'],
    ]);
  });

  test('go with their Node, also when nobody but the record knows that they were ours', async () => {
    for (const at of [1, 2, 3]) it.addNode(at);
    await it.routed();
    it.sandbox.kube.delete('Node', undefined, nodeName(2));
    const [hop] = [it.hop(3)];
    it.sandbox.cloud.removeNovaServer(
      it.sandbox.cloud.servers.find(({ name }) => name === nodeName(3))?.id ?? '',
    );
    it.sandbox.kube.delete('Node', undefined, nodeName(3));

    await it.routed();

    expect(it.routes()).toEqual([`10.244.1.0/24 ${it.hop(1)}`]);
    expect(it.pairs(2)).toEqual([]);
    expect((await it.world.kube.routes.load()).get(router().id)?.map(({ nexthop }) => nexthop)).toEqual([
      it.hop(1),
    ]);
    // the address may be anybody's now
    setRoutes(['10.244.1.0/24', it.hop(1)], ['10.244.3.0/24', hop]);
    await it.routed();
    expect(it.routes()).toContain(`10.244.3.0/24 ${hop}`);
  });

  test('that were moved, doubled or deleted by hand are put right; those of others stay, and the plan names them', async () => {
    for (const at of [1, 2, 3]) it.addNode(at);
    await it.routed();
    setRoutes(
      ...([
        ['10.244.1.0/24', it.hop(2)],
        ['10.244.2.0/24', it.hop(2)],
        ['10.244.2.0/24', it.hop(1)],
      ] as const),
      ...([
        ['10.244.9.0/24', '10.0.0.77'],
        ['192.168.7.0/24', it.hop(1)],
      ] as const),
    );
    it.calls();

    const report = await it.routed();

    expect([...it.routes()].sort()).toEqual(
      [
        `10.244.1.0/24 ${it.hop(1)}`,
        `10.244.2.0/24 ${it.hop(2)}`,
        `10.244.3.0/24 ${it.hop(3)}`,
        ...['10.244.9.0/24 10.0.0.77', `192.168.7.0/24 ${it.hop(1)}`],
      ].sort(),
    );
    expect(report.plan?.foreign).toEqual(['route/10.244.9.0/24/10.0.0.77']);
    expect(it.calls().filter((call) => call.startsWith('PUT'))).toEqual([
      `${TO_ROUTER}/remove_extraroutes`,
      `${TO_ROUTER}/add_extraroutes`,
    ]);
  });

  test('of two families lead to two addresses', async () => {
    await it.close();
    it = await startRouteWorld(['10.244.0.0/16', 'fd00:244::/56']);
    it.addNode(1, ['10.244.1.0/24', 'fd00:244:0:1::/64']);
    const port = it.sandbox.cloud.ports.find(({ fixed_ips: ips }) => ips[0]?.ip_address === it.hop(1));
    const six = port?.fixed_ips.find(({ ip_address: address }) => address.includes(':'))?.ip_address ?? '';

    await it.routed();

    expect(it.routes()).toEqual([`10.244.1.0/24 ${it.hop(1)}`, `fd00:244:0:1::/64 ${six}`]);
    expect(it.pairs(1)).toEqual(['10.244.1.0/24', 'fd00:244:0:1::/64']);
    expect(it.unavailable(1)).toEqual(CREATED);
  });

  test('are written under the revision that was read where Neutron cannot change single ones', async () => {
    const { extensions } = it.sandbox.cloud;
    extensions.splice(extensions.indexOf('extraroute-atomic'), 1);
    it.addNode(1);
    setRoutes(['192.168.7.0/24', '10.0.0.99']);
    const other = { destination: '192.168.8.0/24', nexthop: '10.0.0.98' };
    it.sandbox.fault({
      match: { side: 'openstack', method: 'PUT', path: /routers/ },
      kind: 'call',
      before: () => {
        router().routes.push(other);
        router().revision_number += 1;
      },
    });

    expect((await it.reconcile()).outcome).toMatchObject({ status: 'progressing' });
    expect(it.unavailable(1)).toBeUndefined();
    await it.routed();

    expect(it.calls().filter((call) => call.startsWith('PUT') && call.includes('routers'))).toEqual([
      TO_ROUTER,
      TO_ROUTER,
    ]);
    expect([...it.routes()].sort()).toEqual([
      `10.244.1.0/24 ${it.hop(1)}`,
      '192.168.7.0/24 10.0.0.99',
      '192.168.8.0/24 10.0.0.98',
    ]);
  });

  test('that a router has no room for leave their Nodes unavailable, and hold up no other', async () => {
    it.sandbox.cloud.maxRoutes = 3;
    for (const at of [1, 2, 3, 4]) it.addNode(at);

    const report = await it.routed();

    expect(report.outcome).toMatchObject({ status: 'blocked' });
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
    it.sandbox.cloud.maxRoutes = 1;
    for (const at of [1, 2, 3]) it.addNode(at);
    await it.routed();
    it.calls();
    const again = await it.routed();
    expect([again.outcome.status, toRouter(), it.events(3).length]).toEqual(['blocked', 0, 1]);
    it.sandbox.kube.delete('Node', undefined, nodeName(1));
    await it.routed();
    expect([it.routes(), it.unavailable(2)]).toEqual([[`10.244.2.0/24 ${it.hop(2)}`], CREATED]);

    it.sandbox.cloud.maxRoutes = 2;
    await it.routed();
    expect([it.routes().length, it.unavailable(3)]).toEqual([1, MISSING]);
    await it.reconcile({ trigger: 'command' });
    expect([it.routes().length, it.unavailable(3)]).toEqual([2, CREATED]);

    it.addNode(4);
    await it.routed();
    it.sandbox.cloud.maxRoutes = 30;
    await it.reconcile({}, { ...it.world, clock: { now: () => Date.now() + 3_601_000 } });
    expect(it.routes()).toHaveLength(3);
  });

  test('to ports whose pairs we may not set are a Problem, asked for a few times and no more', async () => {
    for (let at = 1; at <= 12; at += 1) it.addNode(at);
    const network = it.sandbox.cloud.networks.find(({ name }) => name === 'private');
    Object.assign(network ?? {}, { project_id: it.sandbox.cloud.otherProjectId });

    const report = await it.routed();

    expect(report.outcome).toMatchObject({ status: 'blocked' });
    expect(report.plan?.problems.filter(({ field }) => field === 'allowed_address_pairs')).toHaveLength(12);
    expect([it.unavailable(1), it.unavailable(12)]).toEqual([MISSING, MISSING]);
    expect(it.events(12).join()).toMatch(/FailedToCreateRoute.*disallowed by policy/);
    expect(it.calls().filter((call) => call.startsWith('PUT') && call.includes('/ports/'))).toHaveLength(8);
  });

  test('are not forgotten before the pair is gone, too', async () => {
    for (const at of [1, 2]) it.addNode(at);
    await it.routed();
    it.sandbox.kube.delete('Node', undefined, nodeName(2));
    const match = { side: 'openstack', method: 'PUT', path: /ports/ } as const;
    const body = {
      NeutronError: { type: 'RevisionNumberConstraintFailed', message: 'Constrained to 1', detail: '' },
    };
    it.sandbox.fault({ match, kind: 'fail-before', status: 412, body });

    expect((await it.reconcile()).outcome).toMatchObject({ status: 'progressing' });
    expect([it.routes().length, it.pairs(2)]).toEqual([1, ['10.244.2.0/24']]);
    await it.routed();

    expect(it.pairs(2)).toEqual([]);
  });

  test("of a Node that waits for its initialisation are nobody's fault", async () => {
    const taints = [{ key: 'node.cloudprovider.kubernetes.io/uninitialized', effect: 'NoSchedule' }];
    const spec = { podCIDRs: ['10.244.2.0/24'], taints };
    it.sandbox.kube.apply({ kind: 'Node', metadata: { name: nodeName(2) }, spec });

    expect((await it.routed()).outcome).toEqual({ status: 'settled' });

    expect([it.unavailable(2), it.events(2)]).toEqual([MISSING, []]);
  });

  test('of a Node without a port on the router are missing, which its condition says', async () => {
    it.sandbox.cloud.addNetwork('extra', '10.1.0.0/24');
    it.addNode(1);
    const { id } = it.sandbox.cloud.addNovaServer('far', { networks: ['extra'] });
    it.sandbox.kube.apply({
      kind: 'Node',
      metadata: { name: nodeName(2) },
      spec: { providerID: `openstack:///${id}`, podCIDRs: ['10.244.2.0/24'] },
    });

    expect((await it.routed()).outcome).toMatchObject({ status: 'blocked' });

    expect([it.unavailable(1), it.unavailable(2)]).toEqual([CREATED, MISSING]);
    expect(it.events(2).join()).toContain('none of its ports has an IPv4 address in a subnet of router');
  });

  test('stay where there is suddenly no Node, until somebody asks for it', async () => {
    for (const at of [1, 2]) it.addNode(at);
    await it.routed();
    for (const at of [1, 2]) it.sandbox.kube.delete('Node', undefined, nodeName(at));

    expect((await it.routed()).outcome).toMatchObject({ status: 'blocked' });
    expect(it.routes()).toHaveLength(2);

    expect((await it.reconcile({ trigger: 'command' })).outcome).toEqual({ status: 'settled' });
    expect(it.routes()).toEqual([]);
  });

  test('are planned and not written in a dry run, and left alone where they are off', async () => {
    it.addNode(1);
    const dry = await it.reconcile({ dryRun: true });
    expect(dry.plan?.steps.map(({ address }) => address.split('/')[0])).toEqual([
      'router',
      'port',
      'nodestatus',
    ]);
    it.calls();

    const config = { ...aConfig(it.sandbox.authUrl), controllers: CONTROLLER_NAMES };
    const off = await it.reconcile({}, { ...it.world, config });
    const others = await it.reconcile(
      {},
      { ...it.world, config: { ...it.world.config, controllers: ['cloud-node-controller'] } },
    );

    expect([off.outcome, others.outcome, it.calls(), it.routes()]).toEqual([
      { status: 'settled' },
      { status: 'settled' },
      [],
      [],
    ]);
  });
});

test('a Node to whose podCIDR somebody else has a route is told which, and keeps its own', async () => {
  it.addNode(1);
  it.addNode(2);
  setRoutes(['10.244.1.0/24', '10.0.0.199']);

  await it.routed();

  expect(it.routes()).toEqual(
    expect.arrayContaining([`10.244.1.0/24 ${it.hop(1)}`, '10.244.1.0/24 10.0.0.199']),
  );
  expect(it.events(1)).toEqual([expect.stringContaining('has another, to 10.0.0.199')]);
  expect(it.events(2)).toEqual([]);
  expect(it.unavailable(1)).toEqual(CREATED);
});

test.each([1, 5, 11])(
  'a Neutron that names no number gets the %i routes that fit, and is left alone then',
  async (max) => {
    await it.close();
    it = await startRouteWorld(undefined, undefined, { release: '2026.2' });
    it.sandbox.cloud.maxRoutes = max;
    for (let at = 1; at <= 12; at += 1) it.addNode(at);

    expect((await it.routed()).outcome).toMatchObject({ status: 'blocked' });

    expect(it.routes()).toHaveLength(max);
    expect(it.events(9)[0]).toContain(`the router has the ${max} routes that Neutron allows`);
    it.calls();
    await it.routed();
    expect(it.calls().filter((call) => call.startsWith('PUT'))).toEqual([]);
  },
);
