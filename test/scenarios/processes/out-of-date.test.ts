/** What was read a moment ago takes no address away, and what many runs want is read once. */
import { expect, test } from 'vitest';
import { reconcile } from '../../../shared/reconcile.ts';
import { sweep } from '../../../shared/sweep.ts';
import { inEachTest, run, startSandboxWorld } from '../../support/sandbox-world.ts';
import { aService } from '../../support/service.ts';
import { addressOf, cloudWrites, forceDelete } from '../../support/told.ts';

const it = inEachTest(() => startSandboxWorld());

const request = { key: 'service/default/web', trigger: 'audit' } as const;

const listsOfNodes = (): number =>
  it.sandbox.requests.filter(({ path }) => path.startsWith('/api/v1/nodes?')).length;

test.each([
  [
    'force-deleted',
    () => {
      forceDelete(it.sandbox);
    },
  ],
  ['made a ClusterIP', () => it.sandbox.kube.apply(aService({ spec: { type: 'ClusterIP' } }))],
])(
  'a Service that changes while a run plans to delete its load balancer %s and applied again keeps its load balancer and its address',
  async (_how, leave) => {
    it.sandbox.kube.apply(aService());
    await it.settle('web');
    const address = addressOf(it.sandbox);
    const [{ id } = { id: '' }] = it.sandbox.cloud.loadbalancers;
    leave();
    await sweep(it.world);
    it.sandbox.fault({
      match: { side: 'kube', method: 'GET', path: /services\/web/, nth: 2 },
      kind: 'call',
      before: () => void it.sandbox.kube.apply(aService()),
    });

    const { outcome } = await run({ ...request, trigger: 'sweep' }, it.world);
    await it.settle('web');

    expect(outcome).toMatchObject({ reason: 'the Service has changed since it was read' });
    expect(it.sandbox.cloud.loadbalancers).toMatchObject([{ id }]);
    expect(addressOf(it.sandbox)).toBe(address);
    expect(cloudWrites(it.sandbox).filter((write) => write.startsWith('DELETE'))).toEqual([]);
  },
);

test('the Nodes are listed once for the runs of many Services', async () => {
  const names = Array.from({ length: 20 }, (_, n) => `web-${n}`);
  for (const name of names) it.sandbox.kube.apply(aService({ name }));
  const before = listsOfNodes();
  const clock = { now: () => 0 };

  for (const name of names)
    await reconcile(
      { key: `service/default/${name}`, trigger: 'audit' },
      { ...it.world, clock },
      { remainingMs: () => 60_000 },
    );
  expect(listsOfNodes() - before).toBe(1);

  await sweep({ ...it.world, clock });
  expect(listsOfNodes() - before).toBe(2);
});
