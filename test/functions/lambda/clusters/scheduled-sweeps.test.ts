/** The sweeps of many clusters: the schedule sends them, and the worker sweeps. */
import { expect, test } from 'vitest';
import { addressOf, aService } from '../../sandbox-world.ts';
import { after, asked, deliver, logged, record, taken, tick, work } from '../deployed.ts';
import { deployedClusters } from './deployed-clusters.ts';

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

  expect(await work(...sent.slice(1))).toEqual([]);
  expect(taken(aws).map(({ request }) => request)).toMatchObject(
    ['node/b-node-1', 'node/b-node-2', 'service/default/web'].map((key) => ({
      ...{ key, cluster: 'prod-b', trigger: 'sweep' },
    })),
  );
  expect(a.requests.slice(requests).filter(({ side }) => side === 'kube')).toEqual([]);
  await work(...sent);
  await drain();
  for (const { kube } of [a, b]) expect(addressOf(kube.get('Service', 'default', 'web'))).toBeDefined();
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
