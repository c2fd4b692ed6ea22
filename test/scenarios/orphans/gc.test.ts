import { beforeEach, expect, test } from 'vitest';
import { observeBelongings } from '../../../shared/gc/belongings.ts';
import { planGc } from '../../../shared/gc/plan-gc.ts';
import type { GcPlan } from '../../../shared/gc/plan-gc.ts';
import { floatingIPDescription } from '../../../shared/model/ownership.ts';
import { startCluster } from '../../support/clusters/cluster.ts';
import type { Cluster } from '../../support/clusters/cluster.ts';
import { aConfig } from '../../support/config.ts';

const DAY_MS = 86_400_000;

let alive: Cluster;
let gone: Cluster;
beforeEach(async () => {
  alive = startCluster();
  await alive.create('s0');
  gone = startCluster({ loadBalancer: { ...aConfig().loadBalancer, manageSecurityGroups: true } }, alive);
});

/** What gc plans when nothing was written for a day. */
async function plan(): Promise<GcPlan> {
  alive.inside.advanceClock(DAY_MS + 1_000);
  return planGc(await observeBelongings(alive.world.cloud), {
    id: await gone.world.kube.clusterId(),
    thisOne: await alive.world.kube.clusterId(),
    ...{ answering: undefined, unwrittenForMs: DAY_MS, now: alive.inside.clock.millis() },
  });
}

test('gc keeps a floating IP that has none of the tags, and says how it goes', async () => {
  const cluster = { id: await gone.world.kube.clusterId(), name: 'kubernetes' };
  const description = floatingIPDescription(cluster, { namespace: 'default', name: 'api' });
  const { id } = alive.inside.cloud.addFloatingIp(undefined, description);
  await gone.create('s1');

  const { steps, refused } = await plan();

  expect(steps.map(({ address }) => address)).not.toContain(`floatingip/${id}`);
  expect(refused).toEqual([
    expect.objectContaining({
      address: `floatingip/${id}`,
      reason: expect.stringMatching(new RegExp(`by hand: openstack floating ip delete ${id}$`)) as string,
    }),
  ]);
});
