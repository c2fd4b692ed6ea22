/** The sweeps of many clusters: the schedule sends each to its moment, and the worker sweeps. */
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import type { QueuedWork } from '../../../../shared/queue/queued-work.ts';
import { addressOf, aService } from '../../sandbox-world.ts';
import { CONTEXT, deliver, logged, taken, work } from '../deployed.ts';
import { deployedClusters, type DeployedClusters } from './deployed-clusters.ts';
import { sqsRecord } from '../sqs-record.ts';

const tick = async (): Promise<void> => {
  const { handler } = await import('../../../../functions/lambda/sweep.ts');
  await handler({ trigger: 'sweep' }, CONTEXT);
};

/** What the schedule has sent: the delay in seconds by cluster. */
async function moments({ aws }: DeployedClusters): Promise<Readonly<Record<string, number | undefined>>> {
  await tick();
  const sent = aws.sent.splice(0);
  return Object.fromEntries(sent.map(({ groupId, delaySeconds }) => [groupId ?? '', delaySeconds]));
}

test('each tick sends one sweep for each cluster, always to the same moment, and one cluster more moves no other one', async () => {
  const world = await deployedClusters();
  const name = fc.stringMatching(/^[a-z]([a-z0-9-]{0,8}[a-z0-9])?$/);
  await fc.assert(
    fc.asyncProperty(fc.uniqueArray(name, { minLength: 1, maxLength: 25 }), async (names) => {
      world.aws.parameters.clear();
      const [last = '', ...before] = names;
      for (const one of before) world.write(one, { kubeconfig: 'x' });
      const first = await moments(world);
      world.write(last, { kubeconfig: 'x' });
      const second = await moments(world);

      expect(Object.keys(first).sort()).toEqual(before.toSorted());
      expect(Object.keys(second).sort()).toEqual(names.toSorted());
      expect(second).toMatchObject(first);
      for (const delay of Object.values(second)) {
        expect(delay).toBeGreaterThanOrEqual(0);
        expect(delay).toBeLessThanOrEqual(300);
      }
    }),
    { numRuns: 20 },
  );
}, 20_000);

test('a sweep finds what no event told, in its cluster alone, and queues it behind what people changed', async () => {
  const { aws, a, b, write, drain } = await deployedClusters();
  write('Prod_C', { kubeconfig: 'x' });
  for (const { kube } of [a, b]) kube.apply(aService('web'));
  await tick();
  const sent = taken(aws);
  expect(sent).toMatchObject([
    { queue: 'background', request: { key: 'all', cluster: 'prod-a', trigger: 'sweep' } },
    { queue: 'background', request: { key: 'all', cluster: 'prod-b', trigger: 'sweep' } },
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
  await work(...sent);
  expect(logged()).toContain('"levelset_load_balancers":[1,1]'); // one of each cluster
});

test('a sweep that is an interval late is dropped, and what somebody asked for is not', async () => {
  const { aws, a } = await deployedClusters();
  const [everything] = await (async () => {
    await tick();
    return taken(aws);
  })();
  const late: QueuedWork = { request: everything?.request ?? { key: 'all', trigger: 'sweep' }, attempt: 0 };
  const record = sqsRecord('0', late, false);
  const now = Date.now.bind(Date);
  const after = (seconds: number) => vi.spyOn(Date, 'now').mockImplementation(() => now() + seconds * 1_000);
  const sweeps = async (one = record): Promise<boolean> => {
    const before = a.requests.length;
    expect(await deliver([one])).toEqual([]);
    return a.requests.length > before;
  };

  after((everything?.delaySeconds ?? 0) + 290);
  expect(await sweeps()).toBe(true);
  after((everything?.delaySeconds ?? 0) + 301);
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
  expect(logged()).toContain('a cluster does not answer');
});

test('a registry that cannot be read is an error of the function, and says nothing is gone', async () => {
  const { aws } = await deployedClusters();
  aws.down.set('SSM', 400);
  await expect(tick()).rejects.toThrow('/levelset/test/clusters/ cannot be read');
  expect(aws.sent).toEqual([]);
});
