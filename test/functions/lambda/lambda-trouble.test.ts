/** What a worker does when something around it is in trouble, by a real clock: it ends in its time, and leaves to the sweep what has failed. */
import { expect, onTestFinished, test, vi } from 'vitest';
import { invocationTime } from '../../../functions/budget.ts';
import { CLOSING_MS } from '../../../shared/deadline.ts';
import { replaced } from '../../support/in-process.ts';
import { aService, until } from '../sandbox-world.ts';
import { addressOf } from '../../support/told.ts';
import { deployedClusters, queuedOf } from './clusters/deployed-clusters.ts';
import { asked, contextOf, deliver, deployed, logged, record, taken, work } from './deployed.ts';

test('while OpenStack hangs, a cold worker ends in its time, and its key is left to the sweep', async () => {
  const { aws, sandbox } = await deployed();
  sandbox.kube.apply(aService('web'));
  sandbox.fault({ match: { side: 'openstack' }, times: 999, kind: 'hang' });
  const started = performance.now();

  expect(await deliver([record(asked())], contextOf(10_500))).toEqual([]);

  expect(performance.now() - started).toBeLessThan(10_500);
  expect(taken(aws)).toEqual([]);
  expect(logged()).toContain('the next sweep goes on with a key');
});

test('each stage of an invocation leaves time for those after it, and neither a clock that stands nor a thaw adds any', () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  let leftMs = 10_000;
  const invoked = () => invocationTime({ getRemainingTimeInMillis: () => leftMs });
  const { runs, sending } = invoked();
  expect(runs.remainingMs() + CLOSING_MS).toBeLessThan(sending.remainingMs());
  expect(sending.remainingMs()).toBeLessThan(10_000);
  leftMs = 500; // by the time of day
  expect([runs.remainingMs(), sending.remainingMs()]).toEqual([0, 0]);
  leftMs = 10_000;
  vi.advanceTimersByTime(9_500);
  expect([runs.remainingMs(), sending.remainingMs()]).toEqual([0, 0]);

  const closed = invoked();
  closed.close();
  expect(closed.runs.remainingMs()).toBe(0);
  expect(closed.sending.remainingMs()).toBeGreaterThan(0);
});

test('a run that never ends is given up when its time is over', async () => {
  await deployed();
  const { connectedFunction } = await import('../../../functions/lambda/connected.ts');
  const { runInTime } = await import('../../../functions/lambda/run-key.ts');
  const whole = await connectedFunction();
  const standing = replaced(whole.world.kube, () => ({ getService: () => new Promise(() => undefined) }));
  const to = { ...whole, world: { ...whole.world, kube: standing } };
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  const run = runInTime(asked().request, to, { remainingMs: () => 1_000 });
  await vi.advanceTimersByTimeAsync(4_001);
  vi.useRealTimers();

  expect((await run).outcome).toMatchObject({ status: 'failed', code: 'BUDGET_SPENT' });
});

test('without a place for one load balancer more a Service waits 5 s, and the number is that of the project', async () => {
  const { sandbox } = await deployed(3_000);
  vi.stubEnv('LEVELSET_CONCURRENT_LOAD_BALANCERS', '1');
  const { kube, cloud } = sandbox;
  for (const name of ['a', 'b']) kube.apply(aService(name));
  const first = work(asked('service/default/a'));
  await until('the first is made', () => cloud.loadbalancers.length === 1);
  const began = performance.now();

  expect(await work(asked('service/default/b'))).toEqual([]);

  expect(performance.now() - began).toBeGreaterThan(4_900);
  expect(await first).toEqual([]);
  for (const name of ['a', 'b']) expect(addressOf({ kube }, name)).toBeDefined();
}, 30_000);

test('a cluster whose kube-apiserver hangs is asked for five seconds, then rests, and its keys are left to its sweep', async () => {
  const { aws, a } = await deployedClusters();
  await work(queuedOf('prod-a', 'node/node-1'));
  a.fault({ match: { side: 'kube' }, times: 999, kind: 'hang' });
  await deliver([record(queuedOf('prod-a'))], contextOf(8_500)); // a run that has no answer
  const began = performance.now();

  expect(await work(queuedOf('prod-a'))).toEqual([]);
  expect(performance.now() - began).toBeLessThan(7_000);
  const before = a.requests.length;
  expect(await work(queuedOf('prod-a'))).toEqual([]);

  expect(a.requests.length).toBe(before); // it rests
  expect(aws.sent).toEqual([]);
  expect(logged()).toContain('prod-a: the kube-apiserver has not said which cluster it is');
}, 60_000);

test('while Parameter Store cannot be read, what is queued for a cluster that is not known yet is left to its sweep', async () => {
  const { aws, a, b } = await deployedClusters();
  await work(queuedOf('prod-a', 'node/node-1'));
  aws.trouble.set('SSM', { status: 500 });
  for (const { kube } of [a, b]) kube.apply(aService('web'));
  expect(await work(queuedOf('prod-a'), queuedOf('prod-b'))).toEqual([]);
  expect(a.cloud.loadbalancers).toHaveLength(1);
  expect(logged()).toContain('the function has no connections, so it leaves this message undone');
  aws.trouble.clear();
  expect(await work(queuedOf('prod-b'))).toEqual([]);
  expect(a.cloud.loadbalancers).toHaveLength(2);
});
