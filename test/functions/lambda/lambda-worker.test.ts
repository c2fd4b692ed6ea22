import { readFile } from 'node:fs/promises';
import type { Context } from 'aws-lambda';
import { expect, test, vi } from 'vitest';
import { groupId } from '../../../shared/queue/queued-work.ts';
import { failing } from '../../support/failing.ts';
import { joinNode } from '../../support/nodes.ts';
import { RESYNC_TOKEN } from '../../http/tokens.ts';
import { aService } from '../sandbox-world.ts';
import { addressOf } from '../../support/told.ts';
import { asked, contextOf, deliver, deployed, logged, post, record, taken, tick, work } from './deployed.ts';

test('what Octavia still has when the time ends is sent again in its group, once for each message, for ten minutes', async () => {
  const { aws, sandbox } = await deployed(60_000);
  sandbox.kube.apply(aService('web'));
  const isMade = (): boolean => sandbox.cloud.loadbalancers.length > 0;
  const context = { getRemainingTimeInMillis: () => (isMade() ? 14_000 : 60_000) } as Context;
  const began = Date.now();
  const first = record(asked());

  expect(await deliver([first], context)).toEqual([]);
  const [again, ...others] = taken(aws);
  expect(others).toEqual([]);
  expect(again).toMatchObject(asked('service/default/web', { trigger: 'requeue' }));
  expect(again?.busySinceMs).toBeGreaterThanOrEqual(began);

  // as after a worker that died when it had sent it
  expect(await deliver([first], context)).toEqual([]);
  expect(taken(aws)).toEqual([]);

  const next = (messageId: string, busyMs: number) =>
    record({ ...asked(), busySinceMs: began - busyMs }, { messageId });
  await deliver([next('second', 500_000)], context);
  expect(taken(aws)).toMatchObject([{ busySinceMs: began - 500_000 }]);
  await deliver([next('third', 600_000)], context);
  expect(taken(aws)).toEqual([]);
  expect(logged()).toContain('the next sweep goes on with a key');

  aws.trouble.set('SendMessageBatch', { status: 500 });
  expect(await deliver([next('fourth', 0)], context)).toEqual(['fourth']); // SQS shows it again
}, 90_000);

test('a Service that is to share a load balancer goes on in the group of all that share, and writes nothing before', async () => {
  const { aws, sandbox } = await deployed();
  const { kube, cloud } = sandbox;
  kube.apply(aService('web', { 'levelset.openstack.org/load-balancer-name': 'edge' }));

  await work(asked());
  expect(cloud.loadbalancers).toEqual([]);
  const [next, ...others] = taken(aws);
  expect([next && groupId(next), others]).toEqual(['sharing', []]);

  await work(asked('service/default/web', { trigger: 'requeue', inGroup: true }));
  expect(addressOf({ kube })).toBeDefined();
  expect(taken(aws)).toEqual([]);
  expect(aws.calls).toContain('ChangeMessageVisibility receipt-0 75');
});

test.each([
  ['somebody else has received since', { status: 400, text: '{"__type":"MessageNotInflight"}' }],
  ['SQS knows nothing of at the moment', { status: 500 }],
])('a message that %s comes again, and no work begins', async (_what, trouble) => {
  const { aws, sandbox } = await deployed();
  aws.trouble.set('ChangeMessageVisibility', trouble);

  expect(await work(asked())).toEqual(['0']);

  expect(sandbox.requests).toEqual([]);
});

test('a message about nothing that can be done is done with a line of log, at once, and takes no neighbour along', async () => {
  const { aws, sandbox } = await deployed();
  sandbox.kube.apply(aService('web'));
  sandbox.kube.apply(aService('blocked', { 'loadbalancer.openstack.org/class': 'nobodys' }));
  const dropped = [
    record(asked(), { body: 'what?' }),
    record(asked(), { body: JSON.stringify({ version: 7, ...asked() }) }),
    record(asked('service/default/web', { cluster: 'prod-a' })),
    record(asked('all', { cluster: 'prod-a' })),
  ];
  expect(await deliver(dropped)).toEqual([]);
  expect(sandbox.requests).toEqual([]);
  expect(await deliver([...dropped, record(asked('service/default/blocked')), record(asked())])).toEqual([]);

  expect(sandbox.cloud.loadbalancers).toHaveLength(1);
  expect(aws.sent).toEqual([]);
  expect(logged()).toContain('it is of version 7, this program reads up to 3');
  expect(logged()).toContain('"cluster":"prod-a"');
  expect(logged().match(/"result":"unreadable"/g)).toHaveLength(4);
  expect(logged()).not.toContain('the next sweep goes on with a key');
});

test('a run that fails is tried after 1 and 2 s, and then the condition says so, and the sweep goes on', async () => {
  const { aws, sandbox } = await deployed();
  sandbox.fault({ match: { method: 'POST', path: /\/loadbalancers$/ }, times: 999, kind: 'fail-before' });
  sandbox.kube.apply(aService('web'));
  const began = performance.now();

  expect(await work(asked())).toEqual([]);

  expect(logged().match(/"message":"reconciled"/g)).toHaveLength(3);
  expect(logged()).toContain('"result":"failed","levelset_messages_total":1');
  expect(performance.now() - began).toBeGreaterThan(1_400);
  expect(aws.sent).toEqual([]);
  expect(JSON.stringify(sandbox.kube.get('Service', 'default', 'web'))).toContain('SyncLoadBalancerFailed');
  await tick();
  expect(taken(aws)).toMatchObject([{ request: { key: 'service/default/web', trigger: 'sweep' } }]);
  const lease = sandbox.kube.get('Lease', 'levelset', 'levelset-deployment');
  expect(JSON.stringify(lease)).toContain(':stack/levelset-test/'); // LEVELSET_STACK
});

test('a sweep that cannot read load balancers or servers is an error of the function, too', async () => {
  const { sandbox } = await deployed();
  failing(sandbox, 'GET', /lbaas\/loadbalancers|\/servers/);
  await expect(tick()).rejects.toThrow('the load balancers and servers cannot be read');
});

test('a sweep of the worker sends ten a second, and when its time ends it goes on in a next message', async () => {
  const { aws, sandbox } = await deployed();
  const names = Array.from({ length: 25 }, (_, index) => `s${index}`);
  for (const name of names) sandbox.kube.apply(aService(name));
  const sweepIn = async (ms: number): Promise<readonly string[]> => {
    await deliver([record(asked('nodeset'))], contextOf(ms));
    return taken(aws).map(({ request: { key } }) => key);
  };
  const began = performance.now();

  const all = names.map((name) => `service/default/${name}`);
  expect((await sweepIn(30_000)).toSorted()).toEqual(all.toSorted());
  expect(performance.now() - began).toBeGreaterThan(1_900);

  const cut = await sweepIn(16_000);
  expect(cut.length).toBeLessThan(25);
  expect(cut.at(-1)).toBe('nodeset');
});

test('load balancers and routes are reconciled when Nodes that come together are written, once for all of them', async () => {
  const { aws, sandbox, flags } = await deployed();
  const text = await readFile(flags.cloudConfig, 'utf8');
  const routing = `[Route]\nrouter-id = ${sandbox.cloud.routerId}\n`;
  aws.parameters.set('/levelset/test/CLOUD_CONFIG_TEXT', `${text}\n${routing}`);
  vi.stubEnv('LEVELSET_CLUSTER_CIDR', '10.244.0.0/16');
  const began = Math.ceil(Date.now() / 2_000) * 2_000;
  const clock = vi.spyOn(Date, 'now');
  const joinAfter = async (ms: number, name: string): Promise<ReturnType<typeof taken>> => {
    clock.mockReturnValue(began + ms);
    joinNode(sandbox, name);
    await work(asked(`node/${name}`, { cause: name }));
    return taken(aws);
  };
  const both = ['nodeset', 'routes'].map((key) => ({ request: { key, trigger: 'requeue' } }));
  const sent = await joinAfter(0, 'worker-1');
  expect(sent).toMatchObject(both);
  expect(await joinAfter(1_500, 'worker-2')).toEqual([]);
  expect(await joinAfter(2_000, 'worker-3')).toMatchObject(both);

  // who works on the first message sees all that dropped messages were about
  clock.mockReturnValue(began + 500);
  const { untilBegunMs } = await import('../../../functions/lambda/key-queue.ts');
  expect(sent.map(({ request }) => untilBegunMs(request, began))).toEqual([1_500, 1_500]);
  expect(untilBegunMs({ key: 'nodeset', trigger: 'resync', cause: 'resync' }, began)).toBe(0);
});

test('a resync queues its objects and says where to look; a dry run is answered with the plan alone', async () => {
  const { aws, sandbox } = await deployed();
  sandbox.kube.apply(aService('web'));
  const order = async (body: object): Promise<readonly unknown[]> => {
    const answer = await post('resync', '/resync', RESYNC_TOKEN, body);
    return [answer.statusCode, JSON.parse(answer.body ?? '') as unknown];
  };
  const objects = ['service/default/web', 'node/node-1'];

  expect(await order({ objects })).toEqual([202, { queued: objects, page: '/' }]);
  const sent = taken(aws).map(({ request }) => [request.trigger, request.key]);
  expect(sent).toEqual(objects.map((key) => ['resync', key]));
  expect(sandbox.requests).toEqual([]);

  const steps = [{ verb: 'create', kind: 'loadbalancer' }, {}];
  expect(await order({ objects: ['service/default/web'], dryRun: true })).toMatchObject([200, { steps }]);
  expect(taken(aws)).toEqual([]);
  expect(sandbox.cloud.loadbalancers).toEqual([]);
});
