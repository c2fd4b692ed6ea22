/** The worker of several clusters while a kube-apiserver hangs, or Parameter Store is away: by a real clock. */
import { expect, test } from 'vitest';
import { aService } from '../../sandbox-world.ts';
import { contextOf, deliver, logged, work } from '../deployed.ts';
import { sqsRecord } from '../sqs-record.ts';
import { deployedClusters, queuedOf } from './deployed-clusters.ts';

test('a cluster whose kube-apiserver hangs is asked for five seconds, then rests, and its keys are left to its sweep', async () => {
  const { aws, a } = await deployedClusters();
  await work(queuedOf('prod-a', 'node/node-1'));
  a.fault({ match: { side: 'kube' }, times: 999, kind: 'hang' });
  await deliver([sqsRecord('0', queuedOf('prod-a'))], contextOf(8_500)); // a run that has no answer
  const began = performance.now();

  expect(await work(queuedOf('prod-a'))).toEqual([]);
  expect(performance.now() - began).toBeLessThan(7_000);
  const asked = a.requests.length;
  expect(await work(queuedOf('prod-a'))).toEqual([]);

  expect(a.requests.length).toBe(asked); // it rests
  expect(aws.sent).toEqual([]);
  expect(logged()).toContain('prod-a: the kube-apiserver has not said which cluster it is');
}, 60_000);

test('while Parameter Store cannot be read, what is queued for a cluster that is not known yet is left to its sweep', async () => {
  const { aws, a, b } = await deployedClusters();
  await work(queuedOf('prod-a', 'node/node-1'));
  aws.down.set('SSM', 500);
  for (const { kube } of [a, b]) kube.apply(aService('web'));
  expect(await work(queuedOf('prod-a'), queuedOf('prod-b'))).toEqual([]);
  expect(a.cloud.loadbalancers).toHaveLength(1);
  aws.down.clear();
  expect(await work(queuedOf('prod-b'))).toEqual([]);
  expect(a.cloud.loadbalancers).toHaveLength(2);
});
