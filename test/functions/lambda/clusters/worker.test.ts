/** The worker of several clusters: each in its own World, and none in the way of another one. */
import { expect, test, vi } from 'vitest';
import { addressOf, aService } from '../../sandbox-world.ts';
import { after, logged, work } from '../deployed.ts';
import { deployedClusters, queuedOf, textsOf } from './deployed-clusters.ts';

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

test('what is queued for a cluster that is not served is done with a line in the log, and the others are worked on', async () => {
  const { aws, a, b, write } = await deployedClusters();
  write('prod-b', { ...textsOf('prod-b', b, a), kubeconfig: 'token: hunter2-of-kubernetes\nusers: [' });
  write('prod-c', textsOf('prod-c', a, a)); // the cluster of prod-a
  a.kube.apply(aService('web'));

  expect(
    await work(
      queuedOf('prod-a'),
      queuedOf('prod-b'),
      queuedOf('prod-c'),
      queuedOf('gone'),
      queuedOf(undefined),
    ),
  ).toEqual([]);

  expect(aws.sent).toEqual([]);
  expect(a.cloud.loadbalancers).toHaveLength(1);
  expect(logged()).toContain('prod-b: kubeconfig: line 2 is not valid YAML');
  expect(logged()).toContain('prod-c: it says it is the cluster of the entry prod-a');
  expect(logged()).toContain('the registry has no such cluster');
  expect(logged()).not.toContain('hunter2');

  write('prod-b', textsOf('prod-b', b, a));
  b.kube.apply(aService('web'));
  after(6); // what is corrected counts within seconds
  await work(queuedOf('prod-b'));
  expect(a.cloud.loadbalancers).toHaveLength(2);
});

test('the entry that comes later by name is served when the first one goes', async () => {
  const { a, write } = await deployedClusters();
  write('prod-c', textsOf('prod-c', a, a));
  a.kube.apply(aService('web'));
  await work(queuedOf('prod-a', 'node/node-1'), queuedOf('prod-c', 'node/node-1'));
  write('prod-a', {});
  after(61);

  await work(queuedOf('prod-c'));

  expect(a.cloud.loadbalancers).toHaveLength(1);
});

test('a broken entry that worked before goes on with its last good texts, and one that changes gets a new World', async () => {
  const { aws, a, write } = await deployedClusters();
  const { functionClusters } = await import('../../../../functions/lambda/clusters/clusters.ts');
  const world = async () => {
    const found = await (await functionClusters())?.find('prod-a');
    return found && 'world' in found ? found.world : undefined;
  };
  const first = await world();
  expect(first?.config.clusterName).toBe('kubernetes');
  expect(await world()).toBe(first);
  write('prod-a', { ...textsOf('prod-a', a, a), flags: 'adopt=what?' });
  after(301);
  expect(await world()).toBe(first);
  expect(logged()).toContain('the entry of a cluster cannot be used: levelset goes on with the one before');
  write('prod-a', { ...textsOf('prod-a', a, a), flags: 'cluster-name=other' });
  after(307);
  expect((await world())?.config.clusterName).toBe('other');
  expect(aws.sent).toEqual([]);
});

test('an entry that comes back after it was gone has nothing of the one before', async () => {
  const { a, write } = await deployedClusters();
  a.kube.apply(aService('web'));
  await work(queuedOf('prod-a', 'node/node-1'));
  write('prod-a', {});
  after(301);
  await work(queuedOf('prod-a'));
  write('prod-a', { ...textsOf('prod-a', a, a), kubeconfig: 'users: [' });
  after(400);
  expect(await work(queuedOf('prod-a'))).toEqual([]);
  expect(a.cloud.loadbalancers).toEqual([]);
});

test('a function keeps a hundred Worlds, those that were asked for last', async () => {
  const { a, write } = await deployedClusters();
  const names = Array.from({ length: 101 }, (_, index) => `c${String(index).padStart(3, '0')}`);
  for (const name of names) write(name, textsOf(name, a, a));
  const { functionClusters } = await import('../../../../functions/lambda/clusters/clusters.ts');
  const clusters = await functionClusters();
  const asks = async (name: string): Promise<number> => {
    const before = a.requests.length;
    await clusters?.find(name);
    return a.requests.length - before;
  };
  for (const name of names.slice(0, 100)) expect(await asks(name)).toBe(1);
  expect(await asks('c000')).toBe(0);
  await asks('c100');
  expect([await asks('c000'), await asks('c001')]).toEqual([0, 1]);
});

test('a flag that is none of the functions is refused by name', async () => {
  const { a } = await deployedClusters();
  vi.stubEnv('LEVELSET_CLUSTERS', 'folder:/etc/clusters');
  expect(await work(queuedOf('prod-a'))).toEqual([]);
  expect(logged()).toContain('--clusters has a value that is not allowed: give parameters:PATH');
  expect(a.requests).toEqual([]);
});
