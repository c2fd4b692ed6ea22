/** What a worker does when something around it is in trouble: it ends in its time, and leaves to the sweep what has failed. */
import { expect, test, vi } from 'vitest';
import { invocationTime } from '../../../functions/budget.ts';
import type { Report } from '../../../shared/model/outcome.ts';
import type { Budget } from '../../../shared/ports.ts';
import { CLOSING_MS } from '../../../shared/deadline.ts';
import { replaced } from '../../support/in-process.ts';
import { addressOf, aService, until } from '../sandbox-world.ts';
import { contextOf, contextUntil, deliver, deployed, logged, request, taken, work } from './deployed.ts';
import { sqsRecord } from './sqs-record.ts';

const record = (id: string, name: string) => sqsRecord(id, { request: request(name) });

test('while Parameter Store is down a cold worker leaves its key to the sweep after three tries, and works once it is there', async () => {
  const world = await deployed();
  world.sandbox.kube.apply(aService('web'));
  world.aws.down.set('SSM', 500);

  expect(await deliver([record('0', 'web')], contextOf(20_000))).toEqual([]);

  expect(logged()).toContain('the function has no connections, so it leaves this message undone');
  expect(logged()).toContain('the next sweep goes on with a key');
  world.aws.down.clear();
  expect(await deliver([record('0', 'web')])).toEqual([]);
  expect(world.sandbox.cloud.loadbalancers).toHaveLength(1);
});

test('a message that cannot be read is dropped with a line of log, and takes no neighbour along', async () => {
  const world = await deployed();
  world.sandbox.kube.apply(aService('web'));
  const newer = JSON.stringify({ version: 7, request: request('web') });

  const failed = await deliver([
    { ...record('0', 'web'), body: newer },
    record('1', 'web'),
    { ...record('2', 'api'), body: 'what?' },
  ]);

  expect(failed).toEqual([]);
  expect(world.aws.sent).toEqual([]);
  expect(logged()).toContain('this program does not know its object');
  expect(logged()).toContain('it is of version 7, this program reads up to 3');
  expect(world.sandbox.cloud.loadbalancers).toHaveLength(1);
});

test('while OpenStack hangs, a cold worker ends in its time, and its key is left to the sweep', async () => {
  const world = await deployed();
  world.sandbox.kube.apply(aService('web'));
  world.sandbox.fault({ match: { side: 'openstack' }, times: 999, kind: 'hang' });
  const started = performance.now();

  expect(await deliver([record('0', 'web')], contextOf(10_500))).toEqual([]);

  expect(performance.now() - started).toBeLessThan(10_500);
  expect(taken(world.aws)).toEqual([]);
  expect(logged()).toContain('the next sweep goes on with a key');
});

test('a message comes again when what Octavia has cannot be sent again', async () => {
  const world = await deployed(60_000);
  world.sandbox.kube.apply(aService('web'));
  world.aws.down.set('SendMessageBatch', 500);

  const isMade = (): boolean => world.sandbox.cloud.loadbalancers.length > 0;
  expect(await deliver([record('0', 'web')], contextUntil(isMade))).toEqual(['0']);
});

test('while SQS does not answer, no work begins', async () => {
  const world = await deployed();
  world.aws.down.set('SQS', 500);

  expect(await work({ request: request('web') })).toEqual(['0']);

  expect(world.sandbox.requests).toEqual([]);
});

test('each stage of an invocation leaves time for those after it, and a clock that stands adds none', () => {
  let leftMs = 10_000;
  const time = invocationTime({ getRemainingTimeInMillis: () => leftMs });
  const { runs, sending } = time;
  expect(runs.remainingMs() + CLOSING_MS).toBeLessThan(sending.remainingMs());
  expect(sending.remainingMs()).toBeLessThan(10_000);
  leftMs = 500; // by the time of day
  expect([runs.remainingMs(), sending.remainingMs()]).toEqual([0, 0]);

  leftMs = 10_000;
  vi.useFakeTimers({ toFake: ['performance'] });
  const frozen = invocationTime({ getRemainingTimeInMillis: () => leftMs });
  vi.advanceTimersByTime(9_500);
  expect([frozen.runs.remainingMs(), frozen.sending.remainingMs()]).toEqual([0, 0]);
  vi.useRealTimers();

  expect(runs.remainingMs()).toBeGreaterThan(0);
  time.close();
  expect(runs.remainingMs()).toBe(0);
  expect(sending.remainingMs()).toBeGreaterThan(0);
});

/** A World whose runs stand still, when they have read the Service, until `thaw`. */
async function frozenWorld(): Promise<{
  readonly run: (time: Budget) => Promise<Report>;
  readonly isFrozen: Promise<undefined>;
  readonly thaw: () => void;
}> {
  const { connectedFunction } = await import('../../../functions/lambda/connected.ts');
  const { runInTime } = await import('../../../functions/lambda/run-key.ts');
  const whole = await connectedFunction();
  const frozen = Promise.withResolvers<undefined>();
  const thawed = Promise.withResolvers<undefined>();
  const { kube } = whole.world;
  const standing = replaced(kube, (its) => ({
    getService: async (namespace, name) => {
      const service = await its.getService(namespace, name);
      frozen.resolve(undefined);
      await thawed.promise;
      return service;
    },
  }));
  return {
    run: (time) => runInTime(request('web'), { ...whole, world: { ...whole.world, kube: standing } }, time),
    isFrozen: frozen.promise,
    thaw: () => {
      thawed.resolve(undefined);
    },
  };
}

test('a run that never ends is given up when its time is over', async () => {
  await deployed();
  const { run: runIn } = await frozenWorld();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  const run = runIn({ remainingMs: () => 1_000 });
  await vi.advanceTimersByTimeAsync(4_001);
  vi.useRealTimers();

  expect((await run).outcome).toMatchObject({ status: 'failed', code: 'BUDGET_SPENT' });
});

test('a run that thaws after its guard was closed writes nothing', async () => {
  const { sandbox } = await deployed();
  sandbox.kube.apply(aService('web'));
  const { run: runIn, isFrozen, thaw } = await frozenWorld();
  const time = invocationTime(contextOf(60_000));
  const run = runIn(time.runs);
  await isFrozen;

  time.close();
  thaw();

  const { outcome } = await run;
  expect(outcome).toMatchObject({ status: 'failed', code: 'BUDGET_SPENT' });
  expect(sandbox.requests.filter(({ side, write }) => side === 'openstack' && write)).toEqual([]);
  expect(sandbox.cloud.loadbalancers).toEqual([]);
});

test('without a place for one load balancer more a Service waits 5 s, and the number is that of the project', async () => {
  const world = await deployed(3_000);
  vi.stubEnv('LEVELSET_CONCURRENT_LOAD_BALANCERS', '1');
  const { kube, cloud } = world.sandbox;
  for (const name of ['a', 'b']) kube.apply(aService(name));
  await import('../../../functions/lambda/reconcile.ts');
  const first = work({ request: request('a') });
  await until('the first is made', () => cloud.loadbalancers.length === 1);
  const began = performance.now();

  const second = work({ request: request('b') });
  await until('the second is made', () => cloud.loadbalancers.length === 2);

  expect(performance.now() - began).toBeGreaterThan(4_900);
  expect([...(await first), ...(await second)]).toEqual([]);
  for (const name of ['a', 'b']) expect(addressOf(kube.get('Service', 'default', name))).toBeDefined();
}, 30_000);
