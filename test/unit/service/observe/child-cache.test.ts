import { expect, test } from 'vitest';
import { startCluster } from '../../../support/clusters/cluster.ts';

const MINUTES = 60_000;

test('of many clusters, a process forgets after ten minutes what it has read of load balancers', async () => {
  for (const named of ['prod-a', undefined]) {
    const cluster = startCluster({}, undefined, {}, named);
    await cluster.create('web', 'api');
    const { loadBalancers } = cluster.world.memory;
    cluster.inside.advanceClock(3_000);
    await cluster.sweep();
    expect(loadBalancers.read).toBe(2);
    cluster.inside.advanceClock(6 * MINUTES);
    await cluster.sweep();
    expect(loadBalancers.read).toBe(2);
    cluster.inside.advanceClock(6 * MINUTES);
    await cluster.sweep();
    expect(loadBalancers.read).toBe(named === undefined ? 2 : 0);
    cluster.inside.kube.apply({
      kind: 'Service',
      metadata: { name: 'api' },
      spec: { loadBalancerSourceRanges: ['192.0.2.0/24'] },
    });
    const { reports } = await cluster.sweep();
    expect(reports.map(({ outcome }) => outcome.status)).toEqual(['settled']);
  }
});
