import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { joinNode } from '../../support/nodes.ts';
import { aService, sandboxWorld, until, whatIsThere } from '../sandbox-world.ts';
import { addressOf } from '../../support/told.ts';
import { running, type Running } from '../running.ts';
import { AUDIT_TOKEN, RESYNC_TOKEN } from '../../http/tokens.ts';

const swept = ({ lines }: Running) => until('a sweep', () => lines.some((line) => line.includes('"swept"')));

test('a Service that is applied gets its address, page, metrics and readiness tell of it, a Node that joins is initialised, and nothing is left of what is deleted', async () => {
  const world = await sandboxWorld();
  const { kube, cloud } = world.sandbox;
  const serving = await running(world);
  world.sandbox.setAuditSink(`${serving.url}/audit/kubernetes`, AUDIT_TOKEN);
  await swept(serving);

  kube.apply(aService('web'));
  await until('an address', () => addressOf({ kube }) !== undefined);
  await until('it is idle', serving.idle);
  expect(whatIsThere(world.sandbox)).toMatchObject({ loadBalancers: 1, floatingIps: 1 });
  const its = { address: addressOf({ kube }), loadBalancerId: cloud.loadbalancers[0]?.id };
  expect(JSON.parse(await serving.get('/?format=json'))).toMatchObject({
    cluster: 'kubernetes',
    rows: [{ object: 'service/default/web', state: 'settled', ...its }],
    queue: { depth: 0 },
    lastSweep: { services: 0, nodes: 3 },
  });
  const metrics = await serving.get('/metrics');
  expect(metrics).toMatch(/levelset_reconcile_total\{object="service",outcome="settled"\} [1-9]/);
  expect(metrics).toContain(
    'levelset_openstack_requests_total{service="load-balancer",method="POST",status="201"} 1',
  );
  expect(await serving.get('/readyz')).toBe('ok\n');

  const { server } = joinNode(world.sandbox, 'worker-1');
  const providerID = () => kube.get('Node', undefined, 'worker-1')?.spec?.['providerID'];
  await until('a Node has its server', () => providerID() === `openstack:///${server.id}`);

  kube.delete('Service', 'default', 'web');
  await until('the Service is gone', () => kube.get('Service', 'default', 'web') === undefined);
  await until('it is idle', serving.idle);
  expect(whatIsThere(world.sandbox)).toEqual({ loadBalancers: 0, floatingIps: 0 });
  const line = serving.lines.find((text) => text.startsWith('["reconciled"')) ?? '';
  expect(JSON.parse(line)).toMatchObject(['reconciled', { object: 'service/default/web', trigger: 'audit' }]);
});

test.each(['127.0.0.1', '::1'] as const)(
  'with --watch at %s nothing has to be sent: a Service gets its address, and a Node that joins is a member',
  async (host) => {
    const world = await sandboxWorld({ host, pendingMs: 1 });
    const { kube, cloud, authUrl, kubeUrl } = world.sandbox;
    const at = host === '::1' ? '[::1]' : host;
    const { get, idle, lines, url } = await running(world, { watch: true, listen: `${at}:0` });
    expect([authUrl, kubeUrl, url].map((one) => new URL(one).hostname)).toEqual([at, at, at]);
    await until('ready', async () =>
      (await get('/metrics')).includes('levelset_watch_up{collection="Services"} 1'),
    );

    kube.apply(aService('web'));
    await until('an address', () => addressOf({ kube }) !== undefined);
    const before = cloud.members.length;
    kube.addNode('node-9');
    await until('another member', () => cloud.members.length === before + 1);
    kube.delete('Service', 'default', 'web');
    await until('the Service is gone', () => kube.get('Service', 'default', 'web') === undefined);
    await until('it is idle', idle);
    expect(whatIsThere(world.sandbox)).toEqual({ loadBalancers: 0, floatingIps: 0 });
    const runs = lines.filter((line) => line.startsWith('["reconciled"')).join('\n');
    expect(runs).toContain('"trigger":"watch"');
    expect(runs).not.toContain('"trigger":"audit"');
  },
);

test('a stop lets the write in hand finish and gives its lease back', async () => {
  const world = await sandboxWorld({ pendingMs: 60_000 });
  const { sandbox } = world;
  const serving = await running(world, { watch: true });
  let stopped: Promise<void> | undefined;
  const match = { side: 'openstack', method: 'POST', path: /loadbalancers/ } as const;
  const before = (): Promise<void> => {
    stopped = serving.stop();
    return pause(100);
  };
  sandbox.fault({ match, kind: 'call', before });

  sandbox.kube.apply(aService('web'));
  await until('the stop began', () => stopped !== undefined);
  await stopped;

  expect(sandbox.cloud.loadbalancers).toHaveLength(1);
  expect(sandbox.kube.get('Lease', 'levelset', 'levelset')?.spec?.['holderIdentity']).toBe('');
});

test('without tokens nobody is let in, and the log says so once', async () => {
  const { lines, post } = await running(await sandboxWorld(), {}, { env: {} });
  expect((await post('/audit/kubernetes', 'any')).status).toBe(401);
  expect(lines.filter((line) => line.includes('refuse'))).toEqual([
    expect.stringContaining('LEVELSET_AUDIT_TOKENS is empty: /audit and /events refuse everybody'),
    expect.stringContaining('LEVELSET_RESYNC_TOKENS is empty: /resync refuses everybody'),
    expect.stringContaining('refused: '),
  ]);
});

test('dry runs are bounded, and refused with words when too many wait', async () => {
  const world = await sandboxWorld();
  const serving = await running(world);
  await swept(serving);
  const before = world.sandbox.requests.length;
  const answers = await Promise.all(
    [0, 1, 2, 3, 4, 5].map((at) => {
      const objects = Array.from({ length: 100 }, (_, n) => `service/default/z${at}-${n}`);
      return serving.post('/resync', RESYNC_TOKEN, { objects, dryRun: true });
    }),
  );

  const refused = answers.filter(({ status }) => status === 429);
  expect(refused.length).toBeGreaterThanOrEqual(3);
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(6 - refused.length);
  expect(refused[0]?.headers.get('retry-after')).toBe('5');
  expect(await refused[0]?.json()).toMatchObject({
    error: expect.stringMatching(/^\d+ dry runs are waited for, and at most 200 may be/) as string,
  });
  expect(world.sandbox.requests.length - before).toBeLessThan(1_500);
});
