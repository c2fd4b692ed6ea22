import { expect, onTestFinished, test } from 'vitest';
import { serve, type ServeOptions, type Serving } from '../../../functions/serve.ts';
import type { Node } from '../../../shared/model/kubernetes.ts';
import { hasTaint, SHUTDOWN_TAINT, UNINITIALIZED_TAINT } from '../../../shared/model/node/node.ts';
import { joinNode } from '../../support/nodes.ts';
import {
  addressOf,
  aService,
  sandboxWorld,
  until,
  whatIsThere,
  type SandboxWorld,
} from '../sandbox-world.ts';
import { AUDIT_TOKEN, RESYNC_TOKEN } from '../../http/tokens.ts';

interface Running extends Serving {
  readonly lines: string[];
}

const RESYNC = { Authorization: `Bearer ${RESYNC_TOKEN}`, 'Content-Type': 'application/json' };

/** `levelset serve` against the sandbox; with `audit` its events come in. */
async function running(
  world: SandboxWorld,
  options: Partial<Pick<ServeOptions, 'flags'>> & { audit?: boolean } = {},
): Promise<Running> {
  const lines: string[] = [];
  const note = (message: string, fields?: unknown): void =>
    void lines.push(JSON.stringify([message, fields]));
  const serving = await serve({
    flags: { ...world.flags, sweepInterval: '1h', listen: '127.0.0.1:0', ...options.flags },
    env: {
      LEVELSET_AUDIT_TOKENS: AUDIT_TOKEN,
      LEVELSET_RESYNC_TOKENS: `the-old-token-of-the-tests,${RESYNC_TOKEN}`,
    },
    log: { debug: note, info: note, warn: note, error: note },
  });
  onTestFinished(() => serving.stop());
  if (options.audit !== false) world.sandbox.setAuditSink(`${serving.url}/audit/kubernetes`, AUDIT_TOKEN);
  await until('the first sweep', () => lines.some((line) => line.startsWith('["swept"')));
  return { ...serving, lines };
}

test('a Service that is applied gets its address, and nothing is left when it is deleted', async () => {
  const world = await sandboxWorld();
  const { idle, lines } = await running(world);
  const { kube } = world.sandbox;

  kube.apply(aService('web'));
  await until('an address', () => addressOf(kube.get('Service', 'default', 'web')) !== undefined);
  expect(whatIsThere(world.sandbox)).toMatchObject({ loadBalancers: 1, floatingIps: 1 });

  kube.delete('Service', 'default', 'web');
  await until('the Service is gone', () => kube.get('Service', 'default', 'web') === undefined);
  await until('it is idle', idle);
  expect(whatIsThere(world.sandbox)).toEqual({ loadBalancers: 0, floatingIps: 0 });
  const line = lines.find((text) => text.startsWith('["reconciled"')) ?? '';
  expect(JSON.parse(line)).toMatchObject(['reconciled', { object: 'service/default/web', trigger: 'audit' }]);
});

test('with --watch nothing has to be sent: a Service gets its address, and a Node that joins is a member', async () => {
  const world = await sandboxWorld();
  const { idle, lines, url } = await running(world, { audit: false, flags: { watch: true } });
  const { kube, cloud } = world.sandbox;
  await until('ready', async () =>
    (await (await fetch(`${url}/metrics`)).text()).includes('levelset_watch_up{collection="Services"} 1'),
  );

  kube.apply(aService('web'));
  await until('an address', () => addressOf(kube.get('Service', 'default', 'web')) !== undefined);
  const before = cloud.members.length;
  kube.addNode('node-9');
  await until('another member', () => cloud.members.length === before + 1);
  kube.delete('Service', 'default', 'web');
  await until('the Service is gone', () => kube.get('Service', 'default', 'web') === undefined);

  await until('it is idle', idle);
  const runs = lines
    .filter((line) => line.startsWith('["reconciled"'))
    .map((line) => JSON.parse(line) as [string, { trigger: string }]);
  expect(new Set(runs.map(([, { trigger }]) => trigger))).toContain('watch');
  expect(runs.map(([, { trigger }]) => trigger)).not.toContain('audit');
});

test('the page, the metrics and the readiness tell how it stands', async () => {
  const world = await sandboxWorld();
  const { url, idle } = await running(world);
  const { kube } = world.sandbox;
  kube.apply(aService('web'));
  await until('an address', () => addressOf(kube.get('Service', 'default', 'web')) !== undefined);
  await until('it is idle', idle);

  const page = (await (await fetch(`${url}/?format=json`)).json()) as object;
  const metrics = await (await fetch(`${url}/metrics`)).text();

  expect(page).toMatchObject({
    cluster: 'kubernetes',
    rows: [
      {
        object: 'service/default/web',
        state: 'settled',
        address: addressOf(kube.get('Service', 'default', 'web')),
        loadBalancerId: world.sandbox.cloud.loadbalancers[0]?.id,
      },
    ],
    queue: { depth: 0 },
    lastSweep: { services: 0, nodes: 3 },
  });
  expect(metrics).toMatch(/levelset_reconcile_total\{object="service",outcome="settled"\} [1-9]/);
  expect(metrics).toMatch(
    /levelset_openstack_requests_total\{service="load-balancer",method="POST",status="201"\} 1/,
  );
  expect(await (await fetch(`${url}/readyz`)).text()).toBe('ok\n');
});

test('a resync is queued, and a dry run is answered with the plan', async () => {
  const world = await sandboxWorld({ pendingMs: 2_000 });
  const { url, idle } = await running(world, { audit: false });
  const { kube } = world.sandbox;
  kube.apply(aService('web'));
  const resync = (body: object): Promise<Response> =>
    fetch(`${url}/resync`, { method: 'POST', headers: RESYNC, body: JSON.stringify(body) });
  const objects = ['service/default/web'];

  const plan = await resync({ objects, dryRun: true });
  expect([plan.status, await plan.json()]).toMatchObject([
    200,
    { steps: [{ verb: 'create', address: 'lb' }, {}] },
  ]);
  expect(whatIsThere(world.sandbox)).toEqual({ loadBalancers: 0, floatingIps: 0 });

  const report = await resync({ objects });
  expect([report.status, await report.json()]).toEqual([202, { queued: objects, page: '/' }]);
  await until('it is idle', idle);
  expect(addressOf(kube.get('Service', 'default', 'web'))).toBeDefined();

  const ofNode = await resync({ objects: ['node/node-1'], dryRun: true });
  expect([ofNode.status, await ofNode.json()]).toMatchObject([200, { object: 'node/node-1', steps: [] }]);

  kube.apply(aService('api'));
  expect((await resync({ all: true })).status).toBe(202);
  await until('another address', () => addressOf(kube.get('Service', 'default', 'api')) !== undefined);
});

test('a Node that joins is initialised, and one whose server stops is tainted, within an event', async () => {
  const world = await sandboxWorld();
  const { idle } = await running(world);
  const { kube, cloud } = world.sandbox;
  const { server } = joinNode(world.sandbox, 'worker-1');
  const node = (): Node => kube.get('Node', undefined, 'worker-1') as unknown as Node;

  await until('its beginning', () => node().spec?.providerID === `openstack:///${server.id}`);
  expect(hasTaint(node(), UNINITIALIZED_TAINT)).toBe(false);
  await until('it is idle', idle);

  cloud.setServerStatus(server.id, 'SHUTOFF');
  kube.setReady('worker-1', false);
  await until('the taint', () => hasTaint(node(), SHUTDOWN_TAINT));
});

test('a stop lets the write in hand finish and gives its lease back', async () => {
  const world = await sandboxWorld({ pendingMs: 60_000 });
  const serving = await running(world);
  const { sandbox } = world;
  let stopped: Promise<void> | undefined;
  sandbox.fault({
    match: { side: 'openstack', method: 'POST', path: /loadbalancers/ },
    kind: 'call',
    before: async () => {
      stopped = serving.stop();
      await new Promise((resolve) => setTimeout(resolve, 100));
    },
  });

  sandbox.kube.apply(aService('web'));
  await until('the stop began', () => stopped !== undefined);
  await stopped;

  expect(sandbox.cloud.loadbalancers).toHaveLength(1);
  expect(sandbox.kube.get('Lease', 'levelset', 'levelset')?.spec?.['holderIdentity']).toBe('');
});

test('without tokens nobody is let in, and the log says so once', async () => {
  const { flags } = await sandboxWorld();
  const lines: string[] = [];
  const note = (message: string): void => void lines.push(message);
  const serving = await serve({
    flags: { ...flags, listen: '127.0.0.1:0' },
    env: {},
    log: { debug: note, info: note, warn: note, error: note },
  });
  onTestFinished(() => serving.stop());

  const answer = await fetch(`${serving.url}/audit/kubernetes`, { method: 'POST' });

  expect(answer.status).toBe(401);
  expect(lines.filter((line) => line.includes('refuse'))).toEqual([
    'LEVELSET_AUDIT_TOKENS is empty: /audit and /events refuse everybody',
    'LEVELSET_RESYNC_TOKENS is empty: /resync refuses everybody',
    expect.stringMatching(/^refused: /),
  ]);
});

test('dry runs are bounded, and refused with words when too many wait', async () => {
  const world = await sandboxWorld();
  const { url } = await running(world);
  const before = world.sandbox.requests.length;
  const ask = async (at: number): Promise<Response> => {
    const objects = Array.from({ length: 100 }, (_, n) => `service/default/z${at}-${n}`);
    const body = JSON.stringify({ objects, dryRun: true });
    return fetch(`${url}/resync`, { method: 'POST', headers: RESYNC, body });
  };

  const answers = await Promise.all([0, 1, 2, 3, 4, 5].map(ask));

  const refused = answers.filter(({ status }) => status === 429);
  expect(refused.length).toBeGreaterThanOrEqual(3);
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(6 - refused.length);
  expect(refused[0]?.headers.get('retry-after')).toBe('5');
  expect(await refused[0]?.json()).toMatchObject({
    error: expect.stringMatching(/^\d+ dry runs are waited for, and at most 200 may be/) as string,
  });
  expect(world.sandbox.requests.length - before).toBeLessThan(1_500);
});
