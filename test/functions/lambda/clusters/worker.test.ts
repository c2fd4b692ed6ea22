/** The sweeps of many clusters, which the schedule sends, and the worker: each cluster in its own World, and none in the way of another one. */
import { expect, test } from 'vitest';
import { aService } from '../../sandbox-world.ts';
import { addressOf } from '../../../support/told.ts';
import { after, asked, logged, work, deliver, record, taken, tick } from '../deployed.ts';
import { textsOf } from '../../clusters/fleet.ts';
import { deployedClusters, queuedOf } from './deployed-clusters.ts';

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
  expect(logged()).toContain('prod-c: its kube-apiserver says that it is the cluster of the entry prod-a');
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

test('each tick sends one sweep for each cluster, which finds what no event told, in its cluster alone', async () => {
  const { aws, a, b, write, drain } = await deployedClusters();
  write('Prod_C', { kubeconfig: 'x' });
  for (const { kube } of [a, b]) kube.apply(aService('web'));
  await tick();
  const sent = taken(aws);
  expect(sent.map(({ request }) => request)).toEqual([
    { key: 'all', cluster: 'prod-a', trigger: 'sweep' },
    { key: 'all', cluster: 'prod-b', trigger: 'sweep' },
  ]);
  expect(logged()).toContain('"entry":"Prod_C"');
  const requests = a.requests.length;
  aws.calls.length = 0;

  expect(await work(...sent.slice(1))).toEqual([]);
  // what is decrypted is of that entry alone
  const reads = aws.calls.filter((call) => call.startsWith('GetParameters'));
  expect(reads).toEqual(['GetParametersByPath /levelset/test/clusters/prod-b/']);
  expect(taken(aws).map(({ request }) => request)).toMatchObject(
    ['node/b-node-1', 'node/b-node-2', 'service/default/web'].map((key) => ({
      ...{ key, cluster: 'prod-b', trigger: 'sweep' },
    })),
  );
  expect(a.requests.slice(requests).filter(({ side }) => side === 'kube')).toEqual([]);
  await work(...sent);
  await drain();
  for (const { kube } of [a, b]) expect(addressOf({ kube })).toBeDefined();
  for (const one of sent) await work(one);
  expect(logged().split('"levelset_load_balancers":1').length).toBeGreaterThan(2);
});

test.each([
  [290, 'sweep', 'worked on'],
  [301, 'sweep', 'dropped'],
  [301, 'resync', 'worked on'],
] as const)('after %i s in the queue a %s of everything is %s', async (seconds, trigger, what) => {
  const { a } = await deployedClusters();
  const late = record(asked('all', { cluster: 'prod-a', trigger }));
  const before = a.requests.length;
  after(seconds);
  expect(await deliver([late])).toEqual([]);
  expect(a.requests.length > before).toBe(what === 'worked on');
  expect(logged().includes('a sweep is an interval late')).toBe(what === 'dropped');
});

test('a registry that cannot be read is an error of the function, and says nothing is gone', async () => {
  const { aws } = await deployedClusters();
  aws.trouble.set('SSM', { status: 400 });
  await expect(tick()).rejects.toThrow('/levelset/test/clusters/ cannot be read');
  expect(aws.sent).toEqual([]);
});
