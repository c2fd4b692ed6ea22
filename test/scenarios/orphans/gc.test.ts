import { beforeEach, expect, test } from 'vitest';
import { observeBelongings, forgottenVips } from '../../../shared/gc/belongings.ts';
import { runGc } from '../../../shared/gc/run-gc.ts';
import { floatingIPDescription } from '../../../shared/model/ownership.ts';
import { DAY_MS, gcPlanOf, startCluster, type Cluster } from '../../support/clusters/cluster.ts';
import { aConfig } from '../../support/config.ts';
import { serviceKey } from '../../../shared/model/request.ts';
import { failing } from '../../support/failing.ts';
import { aService } from '../../support/service.ts';

let alive: Cluster;
let gone: Cluster;
beforeEach(async () => {
  alive = startCluster();
  await alive.create('s0');
  gone = startCluster({ loadBalancer: { ...aConfig().loadBalancer, manageSecurityGroups: true } }, alive);
});

/** What gc plans when nothing was written for a day. */
function plan() {
  alive.advanceClock(DAY_MS + 1_000);
  return gcPlanOf(gone, alive);
}

test('cluster-api-provider-openstack#842, #844, #990: what a deleted cluster has left goes by gc', async () => {
  const { cloud } = alive;
  await gone.create('s1', 's2');
  expect((await runGc(await plan(), alive.world.cloud)).failed).toEqual([]);
  alive.advanceClock(1_000);
  await observeBelongings(alive.world.cloud);
  const left = [cloud.loadbalancers, cloud.pools, cloud.floatingips].map(({ length }) => length);
  expect(left).toEqual([1, 1, 1]);
  expect(cloud.securityGroups.filter(({ name }) => name.startsWith('lb-sg-'))).toEqual([]);
});

test('gc keeps a floating IP that has none of the tags, and says how it goes', async () => {
  const cluster = { id: await gone.world.kube.clusterId(), name: 'kubernetes' };
  const description = floatingIPDescription(cluster, { namespace: 'default', name: 'api' });
  const { id } = alive.cloud.addFloatingIp(undefined, description);
  await gone.create('s1');

  const { steps, refused } = await plan();

  expect(steps.map(({ address }) => address)).not.toContain(`floatingip/${id}`);
  expect(refused).toMatchObject([{ address: `floatingip/${id}` }]);
  expect(refused[0]?.reason).toMatch(new RegExp(`by hand: openstack floating ip delete ${id}$`));
});

test.each([403, 409, 503])('gc deletes only load balancers after one was refused: %i', async (status) => {
  const { cloud } = alive;
  await gone.create('s1');
  const { steps, ...rest } = await plan();
  const before = structuredClone([cloud.floatingips, cloud.securityGroups, cloud.ports]);
  failing(alive, 'DELETE', /\/loadbalancers\//, status);

  const { done, failed, left } = await runGc({ steps, ...rest }, alive.world.cloud);

  expect(done).toEqual([]);
  expect(failed.map(({ step }) => step.kind)).toEqual(['loadbalancer']);
  expect(left).toEqual(steps.slice(1));
  expect(left.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['floatingip', 'securitygroup']));
  expect([cloud.floatingips, cloud.securityGroups, cloud.ports]).toEqual(before);
});

test.each(['PENDING_CREATE', 'PENDING_UPDATE', 'PENDING_DELETE'] as const)(
  'gc keeps a load balancer in %s, and its floating IP',
  async (status) => {
    await gone.create('s1');
    const lb = alive.cloud.loadbalancers.find(({ name }) => name.endsWith('_s1'));
    alive.advanceClock(DAY_MS);
    alive.cloud.setStatus(lb?.id ?? '', status);

    const { steps, refused } = await plan();

    expect(steps).toEqual([]);
    const kept = refused.find(({ address }) => address === `loadbalancer/${lb?.id ?? ''}`);
    expect(kept?.reason).toContain(status);
  },
);

test('gc keeps the security groups of all Services on a load balancer that stays', async () => {
  const annotations = { 'levelset.openstack.org/load-balancer-name': 'edge' };
  for (const [at, name] of ['one', 'two'].entries()) {
    const ports = [{ name: 'x', port: 80 + at, targetPort: 8080 }];
    gone.kube.apply(aService({ name, annotations, spec: { ports } }));
    await gone.run({ key: serviceKey('default', name), trigger: 'audit' });
  }

  const { steps, refused } = await plan();

  expect(steps).toEqual([]);
  expect(refused.filter(({ kind }) => kind === 'securitygroup')).toHaveLength(2);
});

test('gc takes no VIP port for forgotten whose load balancer is made while it reads', async () => {
  const { cloud } = alive.world;
  const slow: Pick<typeof cloud, 'list' | 'projectId'> = {
    projectId: () => cloud.projectId(),
    list: async (...asked) => {
      if (asked[0] === 'port') {
        await cloud.list('loadbalancer');
        await alive.create('s1');
      }
      return cloud.list(...asked);
    },
  };

  const all = await observeBelongings(slow);

  expect(all.ports.map(({ name }) => String(name)).join()).toContain('octavia-lb-');
  expect(forgottenVips(all)).toEqual([]);
});
