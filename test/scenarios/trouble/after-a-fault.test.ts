/** What a fault that has passed leaves behind in the Service's condition and in the memory of a process. Found by test/faults/matrix. */
import { beforeEach, expect, test } from 'vitest';
import { startCluster, type Cluster } from '../../support/clusters/cluster.ts';
import { readyOf } from '../../support/told.ts';

const COMMAND = { key: 'service/default/web', trigger: 'command' } as const;

let it: Cluster;
beforeEach(async () => {
  it = startCluster();
  await it.create('web');
  it.inside.advanceClock(10_000);
  await it.sweep();
  expect((await it.sweep()).requests).toEqual([]);
});

const ready = () => readyOf(it.inside);

test.each([
  ['a list that failed', '/floatingips', 503, 'SyncLoadBalancerFailed'],
  ['a subnet that was not found', '/subnets/', 404, 'LoadBalancerBlocked'],
] as const)(
  'after %s the next sweep says that the Service is served',
  async (_what, path, status, reason) => {
    const clear = it.inside.fault({
      match: { path: new RegExp(path) },
      times: 9,
      kind: 'fail-before',
      status,
    });
    it.inside.advanceClock(600_000);
    await it.run(COMMAND);
    expect(ready()).toMatchObject({ reason });
    clear();

    it.inside.advanceClock(600_000);
    await it.sweep();

    expect(ready()).toMatchObject({ status: 'True', reason: 'EnsuredLoadBalancer' });
    expect((await it.sweep()).requests).toEqual([]);
  },
);

test('a monitor that was once not found is not made again and again', async () => {
  const [lb] = it.inside.cloud.loadbalancers;
  it.inside.cloud.setStatus(lb?.id ?? '', 'ACTIVE');
  it.inside.advanceClock(10_000);
  it.inside.fault({
    match: { method: 'GET', path: /healthmonitors\// },
    kind: 'fail-before',
    status: 404,
  });
  expect((await it.run(COMMAND)).outcome).toMatchObject({ code: 'CONFLICT' });

  it.inside.advanceClock(10_000);
  await it.sweep();

  expect(it.inside.cloud.healthmonitors).toHaveLength(1);
  expect(ready()).toMatchObject({ status: 'True', reason: 'EnsuredLoadBalancer' });
});
