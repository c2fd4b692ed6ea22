/** Routes and the address pairs of ports, without which no packet passes. */
import { expect, test } from 'vitest';
import { nodeName, startRouteWorld } from '../../support/route-world.ts';
import { inEachTest } from '../../support/sandbox-world.ts';

const it = inEachTest(() => startRouteWorld());
const MISSING = { status: 'True', reason: 'NoRouteCreated' };

test('routes to ports whose pairs we may not set are a Problem, asked for a few times and no more', async () => {
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

test('a route is not forgotten before its pair is gone, too', async () => {
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

test('a port without port security gets no pair, and its Node a route', async () => {
  it.addNode(1);
  const port = it.sandbox.cloud.ports.find(({ fixed_ips: ips }) => ips[0]?.ip_address === it.hop(1));
  Object.assign(port ?? {}, { port_security_enabled: false });

  await it.routed();

  expect([it.routes().length, it.pairs(1)]).toEqual([1, []]);
  expect(it.calls().filter((call) => call.includes('PUT /network/v2.0/ports'))).toEqual([]);
  expect(it.unavailable(1)?.status).toBe('False');
});
