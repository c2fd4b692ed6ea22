/** What must not happen to a router and to ports, whatever is there. */
import { expect, test } from 'vitest';
import { startRouteWorld } from '../../support/route-world.ts';
import { inEachTest } from '../../support/sandbox-world.ts';

const it = inEachTest(() => startRouteWorld());

const router = () => {
  const [found] = it.sandbox.cloud.routers;
  if (!found) throw new Error('no router');
  return found;
};
const puts = (what: string): number =>
  it.calls().filter((call) => call.startsWith(`PUT /network/v2.0/${what}`)).length;

test('a router that is not there is a Problem, and no Node is written', async () => {
  it.addNode(1);
  await it.routed();
  const before = it.unavailable(1);
  it.sandbox.cloud.routers.splice(0, 1);

  const { outcome } = await it.reconcile();

  expect(outcome).toMatchObject({ status: 'blocked', reason: /there is no router/ as never });
  expect(it.unavailable(1)).toEqual(before);
});

test('where address pairs may not be set that is asked for few ports, not for each', async () => {
  for (let at = 1; at <= 20; at += 1) it.addNode(at);
  const body = { NeutronError: { type: 'PolicyNotAuthorized', message: 'rule is disallowed', detail: '' } };
  const match = { side: 'openstack', method: 'PUT', path: /ports/ } as const;
  it.sandbox.fault({ match, times: 99, kind: 'fail-before', status: 403, body });

  expect((await it.routed()).outcome).toMatchObject({ status: 'blocked' });

  expect(puts('ports')).toBe(8);
});

test('a port without port security gets no pair, and its Node a route', async () => {
  it.addNode(1);
  const port = it.sandbox.cloud.ports.find(({ fixed_ips: ips }) => ips[0]?.ip_address === it.hop(1));
  Object.assign(port ?? {}, { port_security_enabled: false });

  await it.routed();

  expect([it.routes().length, it.pairs(1), puts('ports')]).toEqual([1, [], 0]);
  expect(it.unavailable(1)?.status).toBe('False');
});

test("somebody else's routes stay as they are spelled, also where two are the same", async () => {
  const theirs = ['10.244.9.0/24', '10.244.9.7/24'].map((destination) => ({
    destination,
    nexthop: '10.0.0.77',
  }));
  router().routes = [...theirs];
  it.addNode(1);

  await it.routed();

  expect(router().routes).toHaveLength(3);
  expect(router().routes).toEqual(expect.arrayContaining(theirs));
});
