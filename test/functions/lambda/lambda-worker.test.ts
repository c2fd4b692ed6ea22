import { readFile } from 'node:fs/promises';
import { expect, test, vi } from 'vitest';
import { groupId, type QueuedWork } from '../../../shared/queue/queued-work.ts';
import { joinNode } from '../../support/nodes.ts';
import { addressOf, aService, whatIsThere } from '../sandbox-world.ts';
import {
  CONTEXT,
  contextOf,
  contextUntil,
  deliver,
  deployed,
  logged,
  request,
  taken,
  work,
} from './deployed.ts';
import { sqsRecord } from './sqs-record.ts';

const runs = (): number => logged().split('"message":"reconciled"').length - 1;

test('a Service goes from its message to its address in one invocation, and away again in another', async () => {
  const world = await deployed();
  const { kube } = world.sandbox;
  kube.apply(aService('web'));

  expect(await work({ request: request('web') })).toEqual([]);
  expect(addressOf(kube.get('Service', 'default', 'web'))).toBeDefined();
  expect([...world.aws.hidden]).toEqual([['receipt-0', 75]]);

  kube.delete('Service', 'default', 'web');
  expect(await work({ request: request('web') })).toEqual([]);
  expect(whatIsThere(world.sandbox)).toEqual({ loadBalancers: 0, floatingIps: 0 });
  expect(world.aws.sent).toEqual([]);
});

test('what Octavia still has when the time ends is sent again in its group, once for each message, for ten minutes', async () => {
  const world = await deployed(60_000);
  world.sandbox.kube.apply(aService('web'));
  const context = contextUntil(() => world.sandbox.cloud.loadbalancers.length > 0);
  const began = Date.now();
  const record = sqsRecord('first', { request: request('web') });

  expect(await deliver([record], context)).toEqual([]);
  const [again, ...others] = taken(world.aws);
  expect(others).toEqual([]);
  expect(again).toMatchObject({ queue: 'keys.fifo', request: { ...request('web'), trigger: 'requeue' } });
  expect(again?.busySinceMs).toBeGreaterThanOrEqual(began);

  // as after a worker that died when it had sent it
  expect(await deliver([record], context)).toEqual([]);
  expect(taken(world.aws)).toEqual([]);

  const next: QueuedWork = { request: request('web', 'requeue'), busySinceMs: began - 500_000 };
  await deliver([sqsRecord('second', next)], context);
  expect(taken(world.aws)).toMatchObject([{ busySinceMs: began - 500_000 }]);
  await deliver([sqsRecord('third', { ...next, busySinceMs: began - 600_000 })], context);
  expect(taken(world.aws)).toEqual([]);
  expect(logged()).toContain('the next sweep goes on with a key');
}, 90_000);

test('a Service that is to share a load balancer goes on in the group of all that share, and writes nothing before', async () => {
  const world = await deployed();
  const { kube, cloud } = world.sandbox;
  kube.apply(aService('web', { 'levelset.openstack.org/load-balancer-name': 'edge' }));

  await work({ request: request('web') });
  expect(cloud.loadbalancers).toEqual([]);
  const [next, ...others] = taken(world.aws);
  expect([next && groupId(next), others]).toEqual(['sharing', []]);

  await deliver([sqsRecord('next', { request: { ...request('web', 'requeue'), inGroup: true } })]);
  expect(addressOf(kube.get('Service', 'default', 'web'))).toBeDefined();
  expect(taken(world.aws)).toEqual([]);
});

test('a worker whose message somebody else has received since does nothing', async () => {
  const world = await deployed();
  world.sandbox.kube.apply(aService('web'));
  world.aws.stale.add('receipt-0');

  expect(await work({ request: request('web') })).toEqual(['0']);

  expect(world.sandbox.requests).toEqual([]);
});

test('a run that fails is tried after 1 and 2 s, and then the condition says so, and the sweep goes on', async () => {
  const world = await deployed();
  const { kube } = world.sandbox;
  world.sandbox.fault({
    match: { method: 'POST', path: /\/loadbalancers$/ },
    times: 999,
    kind: 'fail-before',
  });
  kube.apply(aService('web'));
  const began = performance.now();

  expect(await work({ request: request('web') })).toEqual([]);

  expect(runs()).toBe(3);
  expect(performance.now() - began).toBeGreaterThan(1_400);
  expect(world.aws.sent).toEqual([]);
  expect(JSON.stringify(kube.get('Service', 'default', 'web'))).toContain('SyncLoadBalancerFailed');
  const { handler } = await import('../../../functions/lambda/sweep.ts');
  await handler({}, CONTEXT);
  expect(taken(world.aws)).toMatchObject([{ request: { key: 'service/default/web', trigger: 'sweep' } }]);
});

test('a message about a cluster that is not served is done without a request, and holds up no other', async () => {
  const world = await deployed();
  for (const name of ['a', 'b']) world.sandbox.kube.apply(aService(name));
  const elsewhere: QueuedWork = { request: { ...request('a'), cluster: 'prod-a' } };

  expect(await work(elsewhere)).toEqual([]);
  expect(await work({ request: { key: 'all', cluster: 'prod-a', trigger: 'sweep' } })).toEqual([]);
  expect(world.sandbox.requests).toEqual([]);

  expect(await work(elsewhere, { request: request('b') })).toEqual([]);
  expect(world.sandbox.cloud.loadbalancers).toHaveLength(1);
  expect(world.aws.sent).toEqual([]);
  expect(logged()).toContain('"cluster":"prod-a"');
});

test('a sweep holds the cluster by the name of the stack, LEVELSET_STACK', async () => {
  const world = await deployed();
  const { handler } = await import('../../../functions/lambda/sweep.ts');
  await handler({}, CONTEXT);
  const lease = world.sandbox.kube.get('Lease', 'levelset', 'levelset-deployment');
  expect(lease).toMatchObject({
    spec: { holderIdentity: expect.stringMatching(/:stack\/levelset-test\//) as string },
  });
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

test('a sweep of the worker sends ten a second, and when its time ends it goes on in a next message', async () => {
  const world = await deployed();
  const names = Array.from({ length: 25 }, (_, index) => `s${index}`);
  for (const name of names) world.sandbox.kube.apply(aService(name));
  const sweepIn = async (ms: number): Promise<readonly string[]> => {
    await deliver([sqsRecord('0', { request: { key: 'nodeset', trigger: 'audit' } })], contextOf(ms));
    return taken(world.aws).map(({ request: { key } }) => key);
  };
  const all = names.map((name) => `service/default/${name}`);
  const began = performance.now();

  expect((await sweepIn(30_000)).toSorted()).toEqual(all.toSorted());
  expect(performance.now() - began).toBeGreaterThan(1_900);

  const cut = await sweepIn(16_000);
  expect(cut.length).toBeLessThan(25);
  expect(cut.at(-1)).toBe('nodeset');
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
  const began = Math.ceil(Date.now() / 2_000) * 2_000;
  const clock = vi.spyOn(Date, 'now').mockReturnValue(began);
  const join = async (name: string): Promise<ReturnType<typeof taken>> => {
    joinNode(sandbox, name);
    await work({ request: { key: `node/${name}`, trigger: 'audit', cause: name } });
    return taken(world.aws);
  };
  const both = ['nodeset', 'routes'].map((key) => ({ request: { key, trigger: 'requeue' } }));
  const sent = await join('worker-1');
  expect(sent).toMatchObject(both);
  clock.mockReturnValue(began + 1_500);
  expect(await join('worker-2')).toEqual([]);
  clock.mockReturnValue(began + 2_000);
  expect(await join('worker-3')).toMatchObject(both);

  // who works on the first message sees all that dropped messages were about
  clock.mockReturnValue(began + 500);
  const [nodeset] = sent;
  const { untilBegunMs } = await import('../../../functions/lambda/key-queue.ts');
  expect(nodeset && untilBegunMs(nodeset.request, began)).toBe(1_500);
  expect(nodeset && untilBegunMs({ ...nodeset.request, cause: 'resync' }, began)).toBe(0);
});
