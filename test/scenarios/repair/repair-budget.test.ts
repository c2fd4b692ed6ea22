/**
 * The budget of repairs: a share of all failovers in an hour, and of all rebuilds in a day; its record has each failover that was made, and
 * none that was not (decision 310).
 */
import { expect, test } from 'vitest';
import type { OctaviaOptions } from '../../../infra/sandbox/openstack/octavia/traits.ts';
import { reconcile } from '../../../shared/reconcile.ts';
import { startCluster, type Cluster } from '../../support/clusters/cluster.ts';
import { aConfig } from '../../support/config.ts';
import { breaks, failing } from '../../support/failing.ts';
import { aService } from '../../support/service.ts';
import { readyOf } from '../../support/told.ts';
import { aProcess } from '../../support/virtual-time.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const BETWEEN_MS = 20 * MINUTE_MS;
const NAMES = ['one', 'two', 'three'];

/** Services of which each load balancer is in ERROR, and serves nobody. */
async function allBroken(failover: OctaviaOptions['failover']): Promise<Cluster> {
  const it = startCluster({ deletionPercent: 10 }, undefined, { failover });
  await it.create(...NAMES);
  for (const { name } of it.cloud.loadbalancers) breaks(it, name);
  return it;
}

const served = ({ inside }: Cluster) => NAMES.filter((name) => readyOf(inside, name)?.status === 'True');
const told = ({ inside }: Cluster) => NAMES.map((name) => readyOf(inside, name)?.message ?? '').join('\n');
const idsOf = ({ inside }: Cluster): readonly string[] => inside.cloud.loadbalancers.map(({ id }) => id);

/** Sweeps, twenty minutes apart, for so long. */
async function sweepFor(it: Cluster, ms: number): Promise<void> {
  for (let passedMs = 0; passedMs < ms; passedMs += BETWEEN_MS) {
    await it.sweep();
    it.advanceClock(BETWEEN_MS);
  }
}

test('of three in ERROR one is failed over in an hour, and the others say that they wait', async () => {
  const it = await allBroken('mends');
  const before = idsOf(it);

  await sweepFor(it, HOUR_MS);
  expect(served(it)).toHaveLength(1);
  expect(told(it)).toContain('a failover comes first, and others were failed over within the last hour');
  await sweepFor(it, HOUR_MS);
  expect(served(it)).toHaveLength(2);
  await sweepFor(it, HOUR_MS);
  expect(served(it)).toEqual(NAMES);
  expect(idsOf(it)).toEqual(before);
});

test('of three in ERROR one is rebuilt in a day, where no failover is allowed', async () => {
  const it = await allBroken('forbidden');
  const addresses = it.cloud.floatingips.map((ip) => ip.floating_ip_address);

  for (const count of [1, 2, 3]) {
    await sweepFor(it, HOUR_MS);
    expect(served(it)).toHaveLength(count);
    it.advanceClock(22 * HOUR_MS);
    await sweepFor(it, BETWEEN_MS);
    expect(served(it)).toHaveLength(count);
    it.advanceClock(HOUR_MS - BETWEEN_MS);
  }
  expect(it.cloud.floatingips.map((ip) => ip.floating_ip_address)).toEqual(addresses);
  expect(it.cloud.loadbalancers).toHaveLength(NAMES.length);
});

test('one that was rebuilt and breaks again is rebuilt by itself a day later, and not before', async () => {
  const it = startCluster({}, undefined, { failover: 'forbidden' });
  await it.create('one');
  const breaksAgain = () => breaks(it, it.cloud.loadbalancers[0]?.name ?? '');
  breaksAgain();
  await sweepFor(it, HOUR_MS);
  expect(readyOf(it, 'one')?.status).toBe('True');
  const [second] = idsOf(it);
  breaksAgain();
  await sweepFor(it, HOUR_MS);
  expect(idsOf(it)).toEqual([second]);
  expect(told(it)).toContain('levelset rebuilt the load balancer of this Service within the last day');
  it.advanceClock(23 * HOUR_MS);
  await sweepFor(it, HOUR_MS);
  expect(idsOf(it)).not.toEqual([second]);
  expect(readyOf(it, 'one')?.status).toBe('True');
});

/** One whose load balancer is internal, and so is not rebuilt. */
async function internalBroken(failover: OctaviaOptions['failover'], more = {}): Promise<Cluster> {
  const loadBalancer = { ...aConfig().loadBalancer, manageSecurityGroups: true };
  const it = startCluster({ loadBalancer }, undefined, { failover });
  const annotations = { 'service.beta.kubernetes.io/openstack-internal-load-balancer': 'true', ...more };
  it.kube.apply(aService({ name: 'one', annotations }));
  await sweepFor(it, HOUR_MS);
  breaks(it, it.cloud.loadbalancers[0]?.name ?? '');
  return it;
}
const ONE = { key: 'service/default/one', trigger: 'sweep' } as const;
const failovers = ({ inside }: Cluster): number =>
  inside.requests.filter(({ path }) => path.endsWith('/failover')).length;

test('a load balancer is failed over once, though a write after that fails each time', async () => {
  const it = await internalBroken('fails');
  it.kube.addNode('node-9');
  failing(it, 'PUT', /v2\.0\/ports/);
  await sweepFor(it, HOUR_MS);
  expect(failovers(it)).toBe(1);
});

test('a failover for which a run had no time left is made by the next one', async () => {
  const it = await internalBroken('mends');
  const before = idsOf(it);
  await reconcile(ONE, aProcess(it.inside), { remainingMs: () => 4_500 });
  expect(failovers(it)).toBe(0);
  await it.sweep();
  expect([failovers(it), idsOf(it)]).toEqual([1, before]);
});

test('a failover is made by the next run after the state could not be written where drift stays', async () => {
  const it = await internalBroken('mends', { 'levelset.openstack.org/drift': 'report' });
  const clear = failing(it, 'PATCH', /levelset-state/);
  await reconcile(ONE, aProcess(it.inside), { remainingMs: () => 60_000 });
  expect(failovers(it)).toBe(0);
  clear();
  await it.sweep();
  expect(failovers(it)).toBe(1);
});
