/** What Octavia's provider ovn leaves in PENDING_CREATE below a load balancer that is ACTIVE. */
import { expect, onTestFinished, test } from 'vitest';
import { aService } from '../../support/service.ts';
import { startSandboxWorld } from '../../support/sandbox-world.ts';
import { addressOf, readyOf } from '../../support/told.ts';

test('#2165, #1751: children that ovn leaves in PENDING_CREATE are told of, the address is published, and the other port follows the Nodes', async () => {
  const it = await startSandboxWorld(
    { octavia: { provider: 'ovn' } },
    { lbProvider: 'ovn', lbMethod: 'SOURCE_IP_PORT' },
  );
  onTestFinished(() => it.close());
  const { cloud, kube } = it.sandbox;
  const ports = [80, 443].map((port) => ({ name: `p-${port}`, port, nodePort: 30_000 + port }));
  kube.apply(aService({ spec: { ports } }));
  await it.settle('web');
  const [stuck] = cloud.pools;
  if (!stuck) throw new Error('there is no pool');
  const members = cloud.members.filter(({ pool_id: id }) => id === stuck.id);
  const left = { provisioning_status: 'PENDING_CREATE', created_at: '2026-01-01T00:00:00', updated_at: null };
  for (const child of [stuck, ...members]) Object.assign(child, left);
  it.sandbox.advanceClock(2_000);
  for (const lb of cloud.loadbalancers) lb.updated_at = cloud.octaviaTime();
  kube.addNode('node-9');

  const { outcome } = await it.settle('web', { trigger: 'sweep' });

  expect(outcome).toMatchObject({ status: 'failed', code: 'LOAD_BALANCER_STUCK' });
  expect(addressOf(it.sandbox)).toBeDefined();
  expect(readyOf(it.sandbox)?.message).toContain(`WHERE id = '${stuck.id}'`);
  const joined = cloud.members.filter(({ name }) => name.includes('node-9'));
  expect(joined.map(({ pool_id: id }) => id)).toEqual([cloud.pools[1]?.id]);

  for (const child of [stuck, ...members]) child.provisioning_status = 'ACTIVE';
  await it.sweepUntilSettled();
  expect(cloud.members.filter(({ name }) => name.includes('node-9'))).toHaveLength(2);
  expect(readyOf(it.sandbox)?.status).toBe('True');
});
