import { describe, expect, test } from 'vitest';
import type { Report } from '../../../shared/model/outcome.ts';
import type { World } from '../../../shared/ports.ts';
import { sweep } from '../../../shared/sweep.ts';
import { aService } from '../../support/service.ts';
import { inEachTest, run, runAll, startSandboxWorld } from '../../support/sandbox-world.ts';
import { cloudWrites, forceDelete, leftovers, serviceOf } from '../../support/told.ts';

const names = (count: number): readonly string[] => Array.from({ length: count }, (_, at) => `s${at}`);

const it = inEachTest(() => startSandboxWorld());

/** etcd from a backup that is older than these Services. */
function lose(...lost: readonly string[]): void {
  for (const name of lost) forceDelete(it, name);
}

/** Sweeps, and runs what it found until no key would come back; the last runs that did not settle. */
async function sweptBy(world: World = it.world): Promise<readonly Report[]> {
  let reports: readonly Report[] = [];
  for (let sweeps = 0; sweeps < 40; sweeps += 1) {
    reports = await runAll(await sweep(world), world);
    if (reports.every(({ outcome }) => outcome.status !== 'progressing')) break;
  }
  return reports.filter(({ outcome }) => outcome.status !== 'settled');
}

const loadBalancers = (): number => it.cloud.loadbalancers.length;

describe('an apiserver that was restored from a backup', () => {
  test('loses no load balancer in the quarantine, and after it one in an hour', async () => {
    const world = await it.another({ orphanDelayMs: 3_600_000 });
    await it.create(...names(4));
    lose('s1', 's2', 's3');
    const written = cloudWrites(it);

    await sweptBy(world);
    expect(cloudWrites(it)).toEqual(written);
    const told = expect.stringMatching(/(default\/s[123] .*){3}; levelset keeps it until /) as string;
    expect((await sweep(world)).warnings).toEqual([told]);

    const later = { ...world, clock: { now: () => Date.now() + 3_601_000 } };
    await sweptBy(later);
    expect(loadBalancers()).toBe(3);
    expect((await sweep(later)).warnings.join()).toContain(
      '1 load balancer was deleted within the last hour, and --deletion-share=10% allows 1 of',
    );
  });

  test('whose Services are of type ClusterIP there loses none of them either, unless one was replaced as such', async () => {
    await it.create(...names(3));
    const spec = { type: 'ClusterIP', loadBalancerClass: null };
    for (const [name, more] of Object.entries({ s1: { status: { conditions: [] } }, s2: {} })) {
      const { metadata, ...others } = aService({ name, spec });
      it.kube.apply({ ...others, metadata: { ...metadata, finalizers: [] }, ...more });
    }

    await sweptBy(await it.another({ deletionPercent: 0 }));

    const left = it.cloud.loadbalancers.map(({ name }) => name.split('_').at(-1));
    expect(left).toEqual(['s0', 's1']);
  });

  test('and load balancers that lost their tags keep the security groups that let them in', async () => {
    const loadBalancer = { ...it.world.config.loadBalancer, manageSecurityGroups: true };
    const managing = { loadBalancer, deletionPercent: 0 };
    for (const name of names(3)) it.kube.apply(aService({ name }));
    await it.sweepUntilSettled(await it.another(managing));
    for (const lb of it.cloud.loadbalancers) lb.tags = [];
    lose(...names(3));
    const written = cloudWrites(it);

    const reports = await sweptBy(await it.another(managing));

    expect(cloudWrites(it)).toEqual(written);
    expect(reports.map(({ outcome: { status } }) => status)).toEqual(['blocked', 'blocked', 'blocked']);
  });

  test('says so in an Event and in each run of a person', async () => {
    await it.create(...names(2));
    lose('s0', 's1');
    await sweptBy(await it.another({ deletionPercent: 0 }));
    const world = await it.another({ deletionPercent: 0 });

    const report = await run({ key: 'service/default/s0', trigger: 'command' }, world);

    const reason =
      'levelset keeps lb as it is: its Service is gone, and levelset did not see its deletion; --deletion-share=0% allows no deletion';
    expect(report.outcome).toEqual({ status: 'blocked', reason });
    const [event] = it.kube.list('Event', 'default').filter(({ type }) => type === 'Warning');
    expect(event).toMatchObject({
      reason: 'SyncLoadBalancerFailed',
      involvedObject: { kind: 'Service', namespace: 'default', name: 's0' },
      message: expect.stringContaining('levelset keeps lb as it is') as string,
    });
  });
});

describe('the deletion budget of load balancers', () => {
  test('takes all Services on one load balancer for one', async () => {
    const annotations = { 'levelset.openstack.org/load-balancer-name': 'edge' };
    const on = (port: number) => ({ annotations, spec: { ports: [{ name: 'main', port }] } });
    it.kube.apply(aService({ name: 's1', ...on(81) }));
    it.kube.apply(aService({ name: 's2', ...on(82) }));
    await it.create(...names(1));
    expect(loadBalancers()).toBe(2);
    lose('s1', 's2');

    await sweptBy();

    expect(loadBalancers()).toBe(1);
  });

  test.each(['a namespace that is deleted', 'Services that change their type'])(
    'never holds up %s',
    async (what) => {
      await it.create(...names(6));
      for (const name of names(6))
        if (what.includes('type')) it.edit({ name, spec: { type: 'ClusterIP' } });
        else it.kube.delete('Service', 'default', name);

      await it.sweepUntilSettled(await it.another({ deletionPercent: 0 }));

      expect(leftovers(it)).toEqual({});
      expect(serviceOf(it, 's0')?.metadata.finalizers ?? []).toEqual([]);
      expect(it.kube.get('ConfigMap', 'levelset', 'levelset-deletions')).toBeUndefined();
    },
  );
});
