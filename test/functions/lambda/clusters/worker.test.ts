/** The worker of several clusters: each in its own World, and none in the way of another one. */
import { expect, test } from 'vitest';
import { addressOf, aService } from '../../sandbox-world.ts';
import { after, asked, logged, work } from '../deployed.ts';
import { textsOf } from '../../clusters/fleet.ts';
import { deployedClusters, queuedOf } from './deployed-clusters.ts';

test('two clusters with the same names in one project get load balancers of their own, and one deletes its own alone', async () => {
  const { aws, a, b, drain } = await deployedClusters();
  for (const { kube } of [a, b]) kube.apply(aService('web'));
  expect(await work(queuedOf('prod-a'), queuedOf('prod-b'))).toEqual([]);
  await drain();
  const addresses = [a, b].map(({ kube }) => addressOf(kube.get('Service', 'default', 'web')));
  expect(new Set(addresses).size).toBe(2);
  expect(addresses).not.toContain(undefined);

  a.kube.delete('Service', 'default', 'web');
  await work(queuedOf('prod-a'));
  await drain();
  expect(a.kube.get('Service', 'default', 'web')).toBeUndefined();
  expect(a.cloud.loadbalancers).toHaveLength(1);
  expect(addressOf(b.kube.get('Service', 'default', 'web'))).toBe(addresses[1]);
  // one call of Parameter Store for each, and those that are decrypted are of that entry alone
  expect(aws.calls.filter((call) => call.startsWith('GetParameters')).toSorted()).toEqual([
    'GetParametersByPath /levelset/test/clusters/prod-a/',
    'GetParametersByPath /levelset/test/clusters/prod-b/',
  ]);
});

test('what is queued for a cluster that is not served is done with a line in the log, until its entry is corrected', async () => {
  const { aws, a, b, write } = await deployedClusters();
  write('prod-b', { ...textsOf('prod-b', b, a), kubeconfig: 'token: hunter2-of-kubernetes\nusers: [' });
  write('prod-c', textsOf('prod-c', a, a)); // the cluster of prod-a
  for (const { kube } of [a, b]) kube.apply(aService('web'));

  const notServed = [...['prod-b', 'prod-c', 'gone'].map((name) => queuedOf(name)), asked()];
  expect(await work(queuedOf('prod-a', 'node/node-1'), ...notServed)).toEqual([]);

  expect(aws.sent).toEqual([]);
  expect(a.cloud.loadbalancers).toEqual([]);
  expect(logged()).toContain('prod-b: kubeconfig: line 2 is not valid YAML');
  expect(logged()).toContain('prod-c: it says it is the cluster of the entry prod-a');
  expect(logged()).toContain('the registry has no such cluster');
  expect(logged()).not.toContain('hunter2');

  write('prod-b', textsOf('prod-b', b, a));
  after(6); // what is corrected counts within seconds
  await work(queuedOf('prod-b'));
  expect(a.cloud.loadbalancers).toHaveLength(1);
  write('prod-a', {});
  after(61);
  await work(queuedOf('prod-c'));
  expect(a.cloud.loadbalancers).toHaveLength(2);
});

test('an entry that changes gets connections of its own, and one that does not keeps them', async () => {
  const { a, write } = await deployedClusters();
  const { functionClusters } = await import('../../../../functions/lambda/clusters/clusters.ts');
  const found = async () => (await functionClusters())?.find('prod-a');
  const first = await found();
  after(301);
  expect(await found()).toBe(first);
  write('prod-a', { ...textsOf('prod-a', a, a), flags: 'cluster-name=other' });
  after(602);
  expect(await found()).toMatchObject({ world: { config: { clusterName: 'other' } } });
});
