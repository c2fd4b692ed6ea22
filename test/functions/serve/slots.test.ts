/** `serve` makes as many load balancers at once as `--concurrent-load-balancers` says, and what Nodes need waits for nothing. */
import { expect, test } from 'vitest';
import { aWorld } from '../../support/for-one-test.ts';
import { workOf } from '../../support/work-of.ts';
import { aService } from '../../support/service.ts';
import { until } from '../sandbox-world.ts';

test('while two creates hang a third Service waits until one is done, and a Node that leaves is taken out of one that is there', async () => {
  const it = await aWorld();
  const { sandbox, world } = it;
  const work = workOf({ ...world, config: { ...world.config, concurrentLoadBalancers: 2 } });
  await it.make();
  Object.assign(sandbox.cloud, { pendingMs: 3_600_000 });
  const names = ['hangs', 'hangs-too', 'waits'];
  for (const name of names) sandbox.kube.apply(aService({ name }));
  work.enqueue(names.map((name) => ({ key: `service/default/${name}`, trigger: 'audit' })));
  await until('two are made', () => sandbox.cloud.loadbalancers.length === 3);
  await until('three wait', () => work.queued().depth === 3);

  sandbox.kube.delete('Node', undefined, 'node-1');
  work.enqueue([{ key: 'nodeset', trigger: 'watch' }]);
  const [web] = sandbox.cloud.loadbalancers;
  await until('its member goes', () => web?.provisioning_status === 'PENDING_UPDATE');
  expect(sandbox.cloud.loadbalancers).toHaveLength(3);
  const waits = sandbox.kube.get('Service', 'default', 'waits');
  expect(waits?.metadata.finalizers ?? []).toEqual([]);

  Object.assign(sandbox.cloud, { pendingMs: 2 });
  sandbox.advanceClock(3_600_000);
  await until('a third is made', () => sandbox.cloud.loadbalancers.length === 4);
}, 15_000);
