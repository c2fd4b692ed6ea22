/** Two clusters in one project that have the same names for everything: nothing that happens to one touches the other. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { requestOf } from '../../../shared/model/request.ts';
import { startCluster, type Cluster } from '../../support/clusters/cluster.ts';
import { aConfig } from '../../support/config.ts';
import { aService } from '../../support/service.ts';
import { addNodeIn } from '../../support/sandbox-world.ts';
import { tablesOf } from '../../faults/matrix/whole-world.ts';
import { forAll, type Drawn } from '../seed.ts';

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
  what: fc.constantFrom('apply', 'apply', 'remove', 'lose', 'node joins', 'node leaves', 'sweep'),
  name: fc.constantFrom(...NAMES),
  spec: fc.constantFrom(...SPECS),
});
const someSteps = fc.array(step, { minLength: 4, maxLength: 12 });

async function play({ what, name, spec }: Drawn<typeof step>, cluster: Cluster, number: number) {
  const { inside, world } = cluster;
  const { kube } = inside;
  const nodes = kube.list('Node');
  if (what === 'node joins') addNodeIn(inside, `joins-${number}`, inside);
  if (what === 'node leaves' && nodes.length > 1)
    kube.delete('Node', undefined, nodes.at(-1)?.metadata.name ?? '');
  if (what === 'apply') kube.apply(aService({ name, spec }));
  if (what === 'remove') kube.delete('Service', 'default', name);
  if (what === 'lose' && kube.get('Service', 'default', name)) cluster.lose(name);
  if (['apply', 'remove', 'lose'].includes(what))
    await cluster.run(requestOf(world, { key: `service/default/${name}`, trigger: 'audit' }));
  await cluster.sweep();
  inside.advanceClock(2_000);
}

const KINDS = ['Service', 'Node', 'ConfigMap', 'Lease', 'Event', 'Secret', 'Namespace'];

/** All objects of a cluster, and everything in OpenStack that names it, one of its servers, or what does, field by field. */
async function everythingIn({ inside, world }: Cluster): Promise<unknown> {
  const objects = KINDS.flatMap((kind) => inside.kube.list(kind));
  const servers = inside.kube
    .list('Node')
    .map(({ spec }) => String(spec?.['providerID']).split('/').at(-1) ?? '');
  const ids = new Set([await world.kube.clusterId(), ...servers]);
  const rows = Object.values(tablesOf(inside)).flat();
  const texts = new Map(rows.map((row) => [row.id, JSON.stringify(row)]));
  for (let before = 0; before < ids.size;) {
    before = ids.size;
    for (const [id, text] of texts) if ([...ids].some((one) => text.includes(one))) ids.add(id);
  }
  return structuredClone({ objects, rows: rows.filter(({ id }) => ids.has(id)) });
}

test('what happens in one of two clusters with the same names in one project changes nothing of the other', () =>
  forAll(someSteps, fc.boolean(), async (steps, groups) => {
    const { loadBalancer } = aConfig(undefined, { manageSecurityGroups: groups });
    const first = startCluster({ loadBalancer }, undefined, {}, 'prod-a');
    const clusters = [first, startCluster({ loadBalancer }, first, {}, 'prod-b')] as const;
    for (const cluster of clusters) await cluster.create(...NAMES);
    expect(JSON.stringify(await everythingIn(first)).match(/"protocol_port":80\b/g)).toHaveLength(2);
    first.inside.advanceClock(2_000);
    for (const [number, step] of steps.entries()) {
      const [one, other] = step.at === 0 ? clusters : [clusters[1], clusters[0]];
      const before = await everythingIn(other);
      await play(step, one, number);
      expect(await everythingIn(other)).toEqual(before);
    }
  }));

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
