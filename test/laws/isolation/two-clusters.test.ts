/** Two clusters in one project that have the same names for everything: nothing that happens to one touches the other. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { requestOf } from '../../../shared/model/request.ts';
import { startCluster, type Cluster } from '../../support/clusters/cluster.ts';
import { aConfig } from '../../support/config.ts';
import { aService } from '../../support/service.ts';
import { addNodeIn } from '../../support/sandbox-world.ts';
import { forSome, type Drawn } from '../seed.ts';

const NAMES = ['web', 'api'] as const;
const SPECS = [
  {},
  { ports: [{ name: 'http', port: 8080 }] },
  { ports: [80, 443].map((port) => ({ name: `p${port}`, port })) },
  { loadBalancerSourceRanges: ['192.0.2.0/24'] },
  { type: 'ClusterIP' },
] as const;

const step = fc.record({
  at: fc.constantFrom(0, 1),
  what: fc.oneof(
    fc.record({ apply: fc.constantFrom(...NAMES), spec: fc.constantFrom(...SPECS) }),
    fc.record({ remove: fc.constantFrom(...NAMES) }),
    fc.record({ lose: fc.constantFrom(...NAMES) }),
    fc.constantFrom('node joins', 'node leaves', 'sweep'),
  ),
});
const someSteps = fc.array(step, { minLength: 4, maxLength: 12 });
type What = Drawn<typeof step>['what'];

async function play(what: What, cluster: Cluster, number: number): Promise<void> {
  const { inside, world } = cluster;
  const { kube } = inside;
  if (what === 'node joins') addNodeIn(inside, `joins-${number}`, inside);
  else if (what === 'node leaves') {
    const nodes = kube.list('Node');
    if (nodes.length > 1) kube.delete('Node', undefined, nodes.at(-1)?.metadata.name ?? '');
  } else if (what !== 'sweep') {
    const name = 'apply' in what ? what.apply : 'remove' in what ? what.remove : what.lose;
    if ('apply' in what) kube.apply(aService({ name, spec: what.spec }));
    else if ('remove' in what) kube.delete('Service', 'default', name);
    else if (kube.get('Service', 'default', name)) cluster.lose(name);
    await cluster.run(requestOf(world, { key: `service/default/${name}`, trigger: 'audit' }));
  }
  await cluster.sweep();
  inside.advanceClock(2_000);
}

const KINDS = ['Service', 'Node', 'ConfigMap', 'Lease', 'Event', 'Secret', 'Namespace'];

/** All objects of a cluster, and everything in OpenStack that is its own, field by field. */
async function everythingIn({ inside: { kube, cloud }, world }: Cluster): Promise<unknown> {
  const tag = `levelset-cluster=${await world.kube.clusterId()}`;
  const isIts = ({ tags }: { readonly tags: readonly string[] }): boolean => tags.includes(tag);
  const loadbalancers = cloud.loadbalancers.filter(isIts);
  const ids = new Set(loadbalancers.map(({ id }) => id));
  const pools = cloud.pools.filter(({ loadbalancer_id: id }) => ids.has(id));
  const poolIds = new Set(pools.map(({ id }) => id));
  const servers = kube.list('Node').map(({ spec }) => String(spec?.['providerID']).split('/').at(-1));
  const securityGroups = cloud.securityGroups.filter(isIts);
  const groupIds = new Set(securityGroups.map(({ id }) => id));
  const devices = [...servers, ...[...ids].map((id) => `lb-${id}`)];
  return structuredClone({
    objects: KINDS.flatMap((kind) => kube.list(kind)),
    ...{ loadbalancers: [...loadbalancers], pools: [...pools], securityGroups: [...securityGroups] },
    listeners: [...cloud.listeners.filter(({ loadbalancer_id: id }) => ids.has(id))],
    members: [...cloud.members.filter(({ pool_id: id }) => poolIds.has(id))],
    monitors: [...cloud.healthmonitors.filter(({ pool_id: id }) => poolIds.has(id))],
    floatingips: [...cloud.floatingips.filter(isIts)],
    rules: [...cloud.securityGroupRules.filter(({ security_group_id: id }) => groupIds.has(id))],
    ports: [...cloud.ports.filter(({ device_id: device }) => devices.includes(device))],
  });
}

test('what happens in one of two clusters with the same names in one project changes nothing of the other', async () => {
  let compared = 0;
  await forSome(40, 2)(someSteps, fc.boolean(), async (steps, groups) => {
    const { loadBalancer } = aConfig(undefined, { manageSecurityGroups: groups });
    const first = startCluster({ loadBalancer }, undefined, {}, 'prod-a');
    const clusters = [first, startCluster({ loadBalancer }, first, {}, 'prod-b')] as const;
    for (const cluster of clusters) await cluster.create(...NAMES);
    expect(await everythingIn(first)).toMatchObject({ loadbalancers: [{}, {}], listeners: [{}, {}] });
    first.inside.advanceClock(2_000);
    for (const [number, { at, what }] of steps.entries()) {
      const [one, other] = at === 0 ? clusters : [clusters[1], clusters[0]];
      const before = await everythingIn(other);
      await play(what, one, number);
      expect(await everythingIn(other)).toEqual(before);
      compared += 1;
    }
  });
  expect(compared).toBeGreaterThan(7);
});

test('a request that reaches the World of another cluster does nothing, and sends nothing', async () => {
  const one = startCluster({}, undefined, {}, 'prod-a');
  const other = startCluster({}, one, {}, 'prod-b');
  for (const cluster of [one, other]) await cluster.create('web');
  const sent = (): number => one.inside.requests.length + other.inside.requests.length;
  const before = sent();
  for (const cluster of ['prod-a', undefined, 'prod-c'])
    for (const key of ['service/default/web', 'node/other-1', 'routes'] as const) {
      const named = cluster === undefined ? {} : { cluster };
      const { outcome } = await other.run({ key, ...named, trigger: 'requeue' });
      const reason = expect.stringContaining('prod-b') as string;
      expect(outcome).toMatchObject({ status: 'blocked', reason });
    }
  expect(sent()).toBe(before);
  const { outcome } = await other.run({ key: 'service/default/web', cluster: 'prod-b', trigger: 'audit' });
  expect(outcome).toEqual({ status: 'settled' });
});
