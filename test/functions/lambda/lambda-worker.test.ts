import { readFile } from 'node:fs/promises';
import { expect, test, vi } from 'vitest';
import type { QueuedWork } from '../../../shared/queue/queued-work.ts';
import { joinNode } from '../../support/nodes.ts';
import { CONTEXT, deployed, logged, request, taken, work } from './deployed.ts';
import { addressOf, aService, until, whatIsThere } from '../sandbox-world.ts';

test('a Service goes from its message to its address by requeues, and away again', async () => {
  const world = await deployed();
  const { kube } = world.sandbox;
  const drain = async (): Promise<void> => {
    for (let next = taken(world.aws); next.length > 0; next = taken(world.aws)) {
      await new Promise((resolve) => setTimeout(resolve, 150));
      expect(await work(...next)).toEqual([]);
    }
  };
  kube.apply(aService('web'));

  expect(await work({ request: request('web'), attempt: 0 })).toEqual([]);
  expect(world.aws.sent).toMatchObject([{ queue: 'background', delaySeconds: 1 }]);
  await drain();
  expect(addressOf(kube.get('Service', 'default', 'web'))).toBeDefined();

  kube.delete('Service', 'default', 'web');
  await work({ request: request('web'), attempt: 0 });
  await drain();
  expect(whatIsThere(world.sandbox)).toEqual({ loadBalancers: 0, floatingIps: 0, leases: 0 });
});

test('a Service whose member drains is run when the member is to go, at the latest every 15 minutes', async () => {
  const world = await deployed();
  vi.stubEnv('LEVELSET_CONNECTION_DRAINING_TIMEOUT', '20m');
  const { cloud, kube } = world.sandbox;
  /** Works on what comes back at once; what is left to come. */
  const later = async (): Promise<ReturnType<typeof taken>> => {
    for (;;) {
      const next = taken(world.aws);
      if (next.length === 0 || next.some(({ delaySeconds = 0 }) => delaySeconds > 30)) return next;
      await new Promise((resolve) => setTimeout(resolve, 150));
      await work(...next);
    }
  };
  kube.apply(aService('web'));
  await work({ request: request('web'), attempt: 0 });
  expect(await later()).toEqual([]);
  const labels = { 'node.kubernetes.io/exclude-from-external-load-balancers': '' };
  kube.apply({ kind: 'Node', metadata: { name: 'node-2', labels } });

  await work({ request: request('web'), attempt: 0 });
  const first = await later();
  expect(first).toMatchObject([{ queue: 'background', delaySeconds: 900, attempt: 0 }]);
  // who looks meanwhile sends no second message, which would come back as often as the first
  await work({ request: { ...request('web'), trigger: 'sweep' }, attempt: 0 });
  expect(taken(world.aws)).toEqual([]);
  const now = Date.now.bind(Date);
  const after = (minutes: number) => vi.spyOn(Date, 'now').mockImplementation(() => now() + minutes * 60_000);
  after(15);
  await work(...first);
  const [second] = await later();
  expect(second?.delaySeconds).toBeGreaterThan(290);
  expect(second?.delaySeconds).toBeLessThanOrEqual(300);

  after(20);
  await work(...(second ? [second] : []));
  expect(await later()).toEqual([]);
  expect(cloud.members.map(({ name }) => name)).toEqual(['node-1', 'node-3']);
});

test('requeued keys whose load balancer is still busy are sent back after one list call', async () => {
  const world = await deployed(60_000);
  for (const name of ['a', 'b', 'c']) world.sandbox.kube.apply(aService(name));
  await work(...['a', 'b', 'c'].map((name) => ({ request: request(name), attempt: 0 })));
  const waiting = taken(world.aws);
  const before = world.sandbox.requests.length;

  expect(await work(...waiting)).toEqual([]);

  const calls = world.sandbox.requests
    .slice(before)
    .map(({ method, path }) => `${method} ${path.replace(/\?.*/, '')}`);
  expect(calls.filter((line) => line.includes('loadbalancers'))).toHaveLength(1);
  const looked = taken(world.aws);
  expect(looked).toEqual(waiting);
  expect(looked).toMatchObject(waiting.map(() => ({ operation: 'create', delaySeconds: 1 })));
});

test('progress starts the attempts anew, and a step that is done again and again is none', async () => {
  const world = await deployed();
  const { kube, cloud } = world.sandbox;
  kube.apply(aService('web'));
  await work({ request: request('web'), attempt: 5, written: ['11111111'] });
  const [first] = taken(world.aws);
  expect(first?.attempt).toBe(0);
  expect(first?.written?.length).toBeGreaterThan(1);

  // the same step once more, by the same chain and by a new one
  const again = async (item: Omit<QueuedWork, 'request'>): Promise<unknown> => {
    cloud.loadbalancers.splice(0);
    await work({ request: { ...request('web'), trigger: 'requeue' }, ...item });
    return taken(world.aws)[0];
  };
  expect(await again({ attempt: 3, written: first?.written ?? [] })).toMatchObject({ attempt: 4 });
  expect(await again({ attempt: 3 })).toMatchObject({ attempt: 0 });
});

test('a message comes again only when its key cannot be requeued', async () => {
  const world = await deployed();
  for (const name of ['a', 'b']) world.sandbox.kube.apply(aService(name));
  world.aws.refuse.set('service/default/a"', 2);

  const failed = await work(
    { request: request('a'), attempt: 0 },
    { request: request('b'), attempt: 0 },
    { request: { ...request('a'), cause: 'audit-2' }, attempt: 0 },
  );

  expect(failed).toEqual(['0', '2']);
  expect([...world.aws.shown.keys()]).toEqual(['receipt-0', 'receipt-2']);
  expect(taken(world.aws).map((item) => item.request.key)).toEqual(['service/default/b']);
});

test('a message about a cluster that is not served is done without a request, and holds up no other', async () => {
  const world = await deployed();
  for (const name of ['a', 'b']) world.sandbox.kube.apply(aService(name));
  const elsewhere = (name: string, more: Partial<QueuedWork> = {}): QueuedWork => ({
    request: { ...request(name), cluster: 'prod-a' },
    attempt: 0,
    ...more,
  });

  expect(await work(elsewhere('a'), elsewhere('b', { waitingFor: 'lb-1' }))).toEqual([]);
  const sweepThere: QueuedWork = { request: { key: 'all', cluster: 'prod-a', trigger: 'sweep' }, attempt: 0 };
  expect(await work(sweepThere)).toEqual([]);
  expect(world.sandbox.requests).toEqual([]);
  expect(world.aws.sent).toEqual([]);

  expect(await work(elsewhere('a'), { request: request('b'), attempt: 0 })).toEqual([]);
  expect(taken(world.aws).map((item) => item.request)).toMatchObject([{ key: 'service/default/b' }]);
  expect(logged()).toContain('"cluster":"prod-a"');
});

test('the sweep queues what needs work behind what people changed', async () => {
  const world = await deployed();
  world.sandbox.kube.apply(aService('web'));
  const { handler } = await import('../../../functions/lambda/sweep.ts');

  await handler({}, CONTEXT);

  expect(taken(world.aws)).toMatchObject([
    { queue: 'background', delaySeconds: 0, request: { key: 'service/default/web', trigger: 'sweep' } },
  ]);
});

test('a sweep that cannot find out anything is an error of the function', async () => {
  const world = await deployed();
  world.sandbox.fault({
    match: { side: 'kube', method: 'GET' },
    times: 99,
    kind: 'fail-before',
    status: 403,
  });
  const { handler } = await import('../../../functions/lambda/sweep.ts');

  await expect(handler({}, CONTEXT)).rejects.toThrow('the sweep failed');
});

test.each([
  ['load balancers', /lbaas\/loadbalancers/],
  ['servers', /\/servers/],
])('a sweep that cannot read the %s is an error of the function, too', async (what, path) => {
  const world = await deployed();
  world.sandbox.fault({ match: { side: 'openstack', path }, times: 99, kind: 'fail-before' });
  const { handler } = await import('../../../functions/lambda/sweep.ts');

  await expect(handler({}, CONTEXT)).rejects.toThrow(`the ${what} cannot be read`);
});

test('a key that does not settle has one chain of messages, however many events and sweeps ask for it', async () => {
  const world = await deployed();
  world.sandbox.fault({ match: { side: 'openstack', method: 'POST' }, times: 99, kind: 'fail-before' });
  world.sandbox.kube.apply(aService('web'));

  for (let i = 0; i < 3; i += 1) await work({ request: request('web', 'sweep'), attempt: 0 });

  expect(taken(world.aws)).toHaveLength(1);
});

test('load balancers and routes are reconciled when Nodes that come together are written, once for all of them', async () => {
  const world = await deployed();
  const { sandbox, flags } = world;
  const text = await readFile(flags.cloudConfig, 'utf8');
  world.aws.parameters.set(
    '/levelset/test/CLOUD_CONFIG_TEXT',
    `${text}\n[Route]\nrouter-id = ${sandbox.cloud.routerId}\n`,
  );
  vi.stubEnv('LEVELSET_CLUSTER_CIDR', '10.244.0.0/16');
  const join = async (name: string): Promise<ReturnType<typeof taken>> => {
    joinNode(sandbox, name);
    await work({ request: { key: `node/${name}`, trigger: 'audit', cause: name }, attempt: 0 });
    return taken(world.aws);
  };
  const both = ['nodeset', 'routes'].map((key) => ({
    queue: 'background',
    delaySeconds: 2,
    request: { key },
  }));
  expect(await join('worker-1')).toMatchObject(both);
  expect(await join('worker-2')).toEqual([]);
  const now = Date.now.bind(Date);
  vi.spyOn(Date, 'now').mockImplementation(() => now() + 2_000);
  expect(await join('worker-3')).toMatchObject(both);
});

test('a Node without an address is looked for again', async () => {
  const world = await deployed();
  world.sandbox.kube.apply(aService('web'));
  world.sandbox.kube.apply({
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: 'late' },
    status: { addresses: [] },
  });

  await work({ request: request('web'), attempt: 0 });
  await until('the node set is queued', () => world.aws.sent.some(({ body }) => body.includes('"nodeset"')));
  const [nodeset] = taken(world.aws).filter(({ request: { key } }) => key === 'nodeset');
  expect(nodeset).toMatchObject({ queue: 'triggers.fifo', attempt: 0 });

  await work({ request: { key: 'nodeset', trigger: 'requeue' }, attempt: 3 });
  expect(taken(world.aws).filter(({ request: { key } }) => key === 'nodeset')).toMatchObject([
    { queue: 'background', attempt: 4 },
  ]);
});
