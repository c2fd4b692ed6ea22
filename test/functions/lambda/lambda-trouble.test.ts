/** What a worker does with messages that it cannot work on: they come again in seconds, or are dead letters at once. */
import type { Context } from 'aws-lambda';
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { againInSeconds } from '../../../functions/lambda/give-back.ts';
import { invocationTime } from '../../../functions/budget.ts';
import { CLOSING_MS } from '../../../shared/deadline.ts';
import { runWork } from '../../../functions/lambda/run-work.ts';
import type { FunctionWorld } from '../../../functions/lambda/connected.ts';
import { addressOf, aService, until } from '../sandbox-world.ts';
import { contextOf, deliver, deployed, request, taken } from './deployed.ts';
import { sqsRecord } from './sqs-record.ts';

const record = (id: string, name: string, receives = 1, fifo = true) => {
  const sent = sqsRecord(id, { request: request(name), attempt: 0 }, fifo);
  return { ...sent, attributes: { ...sent.attributes, ApproximateReceiveCount: String(receives) } };
};

test('messages come again in seconds, each time later, and a cause of twelve minutes makes none a dead letter', () => {
  fc.assert(
    fc.property(
      fc.array(fc.double({ min: 0, max: 0.999_999, noNaN: true }), { minLength: 16, maxLength: 16 }),
      (jitter) => {
        const delays = jitter.map((random, index) => againInSeconds(index + 1, () => random));

        expect(delays[0]).toBeLessThanOrEqual(3);
        expect(Math.max(...delays)).toBeLessThanOrEqual(75);
        expect(delays.reduce((sum, delay) => sum + delay, 0)).toBeGreaterThanOrEqual(12 * 60);
      },
    ),
  );
});

test.each([
  ['fails', 500],
  ['hangs', 'hangs'],
] as const)(
  'while Parameter Store %s, a cold worker gives its messages back, and works once it is there',
  async (_how, how) => {
    const world = await deployed();
    world.sandbox.kube.apply(aService('web'));
    world.aws.down.set('SSM', how);
    const messages = [record('0', 'web'), record('1', 'api', 4, false)];

    expect(await deliver(messages, contextOf(10_200))).toEqual(['0', '1']);

    expect([...world.aws.shown.keys()]).toEqual(['receipt-0', 'receipt-1']);
    expect(world.aws.shown.get('receipt-0')).toBeLessThanOrEqual(3);
    expect(world.aws.shown.get('receipt-1')).toBeGreaterThanOrEqual(16);
    world.aws.down.clear();
    expect(await deliver(messages, contextOf(30_000))).toEqual([]);
    await until('the Service has a load balancer', () => world.sandbox.cloud.loadbalancers.length === 1);
  },
);

test('a kubeconfig that cannot be read gives the messages back, and a better one is taken within seconds', async () => {
  const world = await deployed();
  const name = '/levelset/test/KUBECONFIG_TEXT';
  const good = world.aws.parameters.get(name) ?? '';
  world.aws.parameters.set(name, 'current-context: nowhere');

  expect(await deliver([record('0', 'web')])).toEqual(['0']);

  expect(world.aws.shown.size).toBe(1);
  world.aws.parameters.set(name, good);
  const now = Date.now.bind(Date);
  vi.spyOn(Date, 'now').mockImplementation(() => now() + 6_000);
  expect(await deliver([record('0', 'web')])).toEqual([]);
});

test('a worker that SQS does not let give messages back still reports them', async () => {
  const world = await deployed();
  world.aws.down.set('SSM', 500).set('SQS', 500);

  expect(await deliver([record('0', 'web')])).toEqual(['0']);
});

test('poison goes to the dead letter queue of its queue at once, with its reason, and takes no neighbour along', async () => {
  const world = await deployed();
  world.sandbox.kube.apply(aService('web'));
  const newer = JSON.stringify({ version: 7, request: request('web'), attempt: 0 });

  const failed = await deliver([
    { ...record('0', 'web'), body: newer },
    record('1', 'web'),
    { ...record('2', 'api', 1, false), body: 'what?' },
  ]);

  expect(failed).toEqual([]);
  const dead = world.aws.sent.filter(({ attributes }) => attributes);
  expect(dead.toSorted((a, b) => a.queue.localeCompare(b.queue))).toEqual([
    {
      queue: 'background-dead',
      body: 'what?',
      groupId: undefined,
      delaySeconds: undefined,
      attributes: { reason: 'it names no object that this program knows', originalMessageId: '2' },
    },
    {
      queue: 'triggers-dead.fifo',
      body: newer,
      groupId: 'service/default/web',
      delaySeconds: undefined,
      attributes: { reason: 'it is of version 7, this program reads up to 2', originalMessageId: '0' },
    },
  ]);
  expect(taken(world.aws).map((item) => [item.request.key, item.queue])).toContainEqual([
    'service/default/web',
    'background',
  ]);
});

test('poison that cannot be sent comes again, alone', async () => {
  const world = await deployed();
  world.aws.refuse.set('what?', 1);

  expect(await deliver([{ ...record('0', 'web'), body: 'what?' }, record('1', 'web')])).toEqual(['0']);

  expect([...world.aws.shown.keys()]).toEqual(['receipt-0']);
});

test.each(['kube', 'openstack'] as const)(
  'while %s hangs, a cold worker ends in its time, and the key is queued again',
  async (side) => {
    const world = await deployed();
    world.sandbox.kube.apply(aService('web'));
    world.sandbox.fault({ match: { side }, times: 999, kind: 'hang' });
    const started = performance.now();

    expect(await deliver([record('0', 'web')], contextOf(10_500))).toEqual([]);

    expect(performance.now() - started).toBeLessThan(10_500 - 3_000);
    expect(taken(world.aws)).toMatchObject([
      { queue: 'background', attempt: 1, request: { key: 'service/default/web' } },
    ]);
  },
);

test('while SQS takes no message, a worker gives its own back in time', async () => {
  const world = await deployed();
  const { kube, cloud } = world.sandbox;
  kube.apply(aService('web'));
  world.aws.down.set('SendMessageBatch', 'hangs');
  // as if the first write had taken nearly all of the time
  const left = (): number => (cloud.loadbalancers.length === 0 ? 20_000 : 3_300);
  const started = performance.now();

  expect(await deliver([record('0', 'web')], { getRemainingTimeInMillis: left } as Context)).toEqual(['0']);

  expect(performance.now() - started).toBeLessThan(2_500);
  expect([...world.aws.shown.keys()]).toEqual(['receipt-0']);
});

test('each stage of an invocation leaves time for those after it', () => {
  const { runs, sending, givingBack } = invocationTime({ getRemainingTimeInMillis: () => 10_000 });

  expect(runs.remainingMs() + CLOSING_MS).toBeLessThan(sending.remainingMs());
  expect(sending.remainingMs()).toBeLessThan(givingBack.remainingMs());
  expect(givingBack.remainingMs()).toBeLessThan(10_000);
  const over = invocationTime({ getRemainingTimeInMillis: () => 500 });
  expect([over.runs.remainingMs(), over.givingBack.remainingMs()]).toEqual([0, 0]);
});

test('a run that never ends is given up when its time is over, and its key is queued again', async () => {
  const world = await deployed();
  const { functionWorld } = await import('../../../functions/lambda/connected.ts');
  const whole = await functionWorld();
  const stuck = () => new Promise<never>(() => undefined);
  const kube = new Proxy(whole.world.kube, { get: () => stuck });
  const to: FunctionWorld = { ...whole, world: { ...whole.world, kube } };
  const budget = (ms: number) => ({ remainingMs: () => ms });
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  const run = runWork({ request: request('web'), attempt: 0 }, to, {
    runs: budget(1_000),
    sending: budget(3_000),
    givingBack: budget(1_000),
  });
  await vi.advanceTimersByTimeAsync(4_001);
  vi.useRealTimers();

  expect((await run).outcome).toMatchObject({ status: 'failed', code: 'BUDGET_SPENT' });
  expect(taken(world.aws)).toMatchObject([{ queue: 'background', attempt: 1 }]);
  expect(addressOf(world.sandbox.kube.get('Service', 'default', 'web'))).toBeUndefined();
});
