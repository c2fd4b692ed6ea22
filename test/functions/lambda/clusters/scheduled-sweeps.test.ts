/** The sweeps of many clusters: the schedule sends them, and the worker sweeps. */
import { expect, test } from 'vitest';
import type { QueuedWork } from '../../../../shared/queue/queued-work.ts';
import { addressOf, aService } from '../../sandbox-world.ts';
import { after, CONTEXT, deliver, logged, taken, work } from '../deployed.ts';
import { deployedClusters } from './deployed-clusters.ts';
import { sqsRecord } from '../sqs-record.ts';

const tick = async (): Promise<void> => {
  const { handler } = await import('../../../../functions/lambda/sweep.ts');
  await handler({ trigger: 'sweep' }, CONTEXT);
};

test('each tick sends one sweep for each cluster, ten a second', async () => {
  const world = await deployedClusters();
  const names = Array.from({ length: 13 }, (_, index) => `prod-${String(index).padStart(2, '0')}`);
  world.aws.parameters.clear();
  for (const name of names) world.write(name, { kubeconfig: 'x' });
  const began = performance.now();
  await tick();
  expect(performance.now() - began).toBeGreaterThan(950);
  await tick();
  const sent = taken(world.aws);
  expect(sent.map(({ request }) => request.cluster)).toEqual([...names, ...names]);
  for (const { queue, request } of sent) {
    expect(queue).toBe('keys.fifo');
    expect(request).toMatchObject({ key: 'all', trigger: 'sweep' });
  }
});

test('a sweep finds what no event told, in its cluster alone', async () => {
  const { aws, a, b, write, drain } = await deployedClusters();
  write('Prod_C', { kubeconfig: 'x' });
  for (const { kube } of [a, b]) kube.apply(aService('web'));
  await tick();
  const sent = taken(aws);
  expect(sent).toMatchObject([
    { request: { key: 'all', cluster: 'prod-a', trigger: 'sweep' } },
    { request: { key: 'all', cluster: 'prod-b', trigger: 'sweep' } },
  ]);
  expect(logged()).toContain('"entry":"Prod_C"');
  const requests = a.requests.length;

  expect(await work(...sent.slice(1))).toEqual([]);
  const found = taken(aws).map(({ request }) => request);
  expect(found.map(({ key }) => key)).toEqual(['node/b-node-1', 'node/b-node-2', 'service/default/web']);
  for (const one of found) expect(one).toMatchObject({ cluster: 'prod-b', trigger: 'sweep' });
  expect(a.requests.slice(requests).filter(({ side }) => side === 'kube')).toEqual([]);
  await work(...sent);
  await drain();
  for (const { kube } of [a, b]) expect(addressOf(kube.get('Service', 'default', 'web'))).toBeDefined();
  for (const one of sent) await work(one);
  expect(logged().split('"levelset_load_balancers":1').length).toBeGreaterThan(2);
});

test('a sweep that is an interval late is dropped, and what somebody asked for is not', async () => {
  const { a } = await deployedClusters();
  const late: QueuedWork = { request: { key: 'all', cluster: 'prod-a', trigger: 'sweep' } };
  const record = sqsRecord('0', late);
  const sweeps = async (one = record): Promise<boolean> => {
    const before = a.requests.length;
    expect(await deliver([one])).toEqual([]);
    return a.requests.length > before;
  };

  after(290);
  expect(await sweeps()).toBe(true);
  after(301);
  expect(await sweeps()).toBe(false);
  expect(logged()).toContain('a sweep is an interval late');
  expect(await sweeps(sqsRecord('1', { ...late, request: { ...late.request, trigger: 'resync' } }))).toBe(
    true,
  );
});

test('while a kube-apiserver does not answer its sweeps fail and are not sent again, and the schedule goes on', async () => {
  const { aws, a, b } = await deployedClusters();
  a.fault({ match: { side: 'kube' }, times: 999, kind: 'fail-before' });
  b.kube.apply(aService('web'));
  await tick();
  expect(await work(...taken(aws))).toEqual([]);
  expect(new Set(taken(aws).map(({ request }) => request.cluster))).toEqual(new Set(['prod-b']));
  expect(logged()).toContain('a message is about a cluster that is not served');
});

test('a registry that cannot be read is an error of the function, and says nothing is gone', async () => {
  const { aws } = await deployedClusters();
  aws.down.set('SSM', 400);
  await expect(tick()).rejects.toThrow('/levelset/test/clusters/ cannot be read');
  expect(aws.sent).toEqual([]);
});
