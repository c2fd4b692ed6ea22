import { beforeEach, describe, expect, test } from 'vitest';
import { floatingIPDescription } from '../../../shared/model/ownership.ts';
import { startCluster, type Cluster } from '../../support/clusters/cluster.ts';
import { aService } from '../../support/service.ts';
import { leftovers } from '../../support/told.ts';

const HOUR_MS = 3_600_000;
const KEEP_FLOATING_IP = 'loadbalancer.openstack.org/keep-floatingip';

let it: Cluster;
beforeEach(() => {
  it = startCluster({ orphanDelayMs: HOUR_MS, deletionPercent: 100 });
});

const loadBalancers = (): readonly string[] =>
  it.inside.cloud.loadbalancers.map(({ name }) => name.split('_').at(-1) ?? '');
const pass = (ms: number): void => {
  it.inside.advanceClock(ms);
};

describe('what a Service has left that is gone without having been deleted', () => {
  test('stays for the delay, says until when, and then goes with everything', async () => {
    await it.create('web', 'api');
    it.lose('web');

    const first = await it.sweep();
    const id = it.inside.cloud.loadbalancers.find(({ name }) => name.endsWith('_web'))?.id ?? '';
    const until = `${new Date(it.inside.clock.millis() + HOUR_MS).toISOString().slice(0, 19)}Z`;
    expect(first.requests.map(({ key }) => key)).not.toContain('service/default/web');
    expect(first.warnings).toEqual([
      expect.stringMatching(
        new RegExp(
          `^levelset keeps what these Services have left .* default/web \\(load balancer ${id}\\); it is in quarantine until ${until} \\(--orphan-delay\\), and is deleted after that within the deletion budget; a Service that is applied again inherits what it had$`,
        ),
      ),
    ]);
    pass(HOUR_MS - 2_000);
    await it.sweep();
    expect(loadBalancers()).toEqual(['web', 'api']);

    pass(2_000);
    await it.sweep();

    expect(loadBalancers()).toEqual(['api']);
    expect(it.inside.cloud.floatingips).toHaveLength(1);
    expect((await it.sweep()).warnings).toEqual([]);
  });

  test('begins its time anew when the Service was there in between', async () => {
    await it.create('web');
    it.lose('web');
    await it.sweep();
    pass(HOUR_MS - 60_000);
    await it.create('web');
    await it.sweep();
    it.lose('web');
    await it.sweep();
    pass(120_000);

    await it.sweep();

    expect(loadBalancers()).toEqual(['web']);
  });

  test('begins its time anew after the Service was there, also while another list fails', async () => {
    await it.create('web', 'api');
    it.lose('web');
    await it.sweep();
    const path = /\/security-groups/;
    const match = { side: 'openstack', method: 'GET', path } as const;
    it.inside.fault({ match, kind: 'fail-before', times: Infinity, status: 403 });
    await it.create('web');
    await it.sweep();
    pass(3 * HOUR_MS);
    it.lose('web');

    const { incomplete, warnings } = await it.sweep();

    expect(incomplete).toBe(true);
    expect(loadBalancers()).toEqual(['web', 'api']);
    expect(warnings.join()).toContain('it is in quarantine until');
  });

  test('is not deleted by a run that somebody asks for, before a sweep has seen it', async () => {
    await it.create('web');
    it.lose('web');

    const { outcome } = await it.run({ key: 'service/default/web', trigger: 'command' });

    expect(outcome).toMatchObject({
      status: 'blocked',
      reason: expect.stringContaining('no sweep has put it in quarantine yet') as string,
    });
    expect(loadBalancers()).toEqual(['web']);
  });

  test('never holds up a Service that is seen to be deleted', async () => {
    await it.create('web');
    it.inside.kube.delete('Service', 'default', 'web');

    await it.run({ key: 'service/default/web', trigger: 'audit' });

    expect(leftovers(it.inside)).toEqual({});
    expect(it.inside.kube.get('ConfigMap', 'levelset', 'levelset-deletions')).toBeUndefined();
  });

  test('stays while the record cannot be read or written', async () => {
    await it.create('web');
    it.lose('web');
    const metadata = { name: 'levelset-deletions', namespace: 'levelset' };
    it.inside.kube.apply({ kind: 'ConfigMap', metadata, data: { left: 'no JSON' } });
    const unread = await it.sweep();
    pass(2 * HOUR_MS);
    await it.sweep();

    expect(loadBalancers()).toEqual(['web']);
    expect(unread.warnings[0]).toContain('stays: ConfigMap levelset-deletions has an entry');
  });
});

describe('a floating IP of levelset that has none of its tags', () => {
  const put = async (cluster: { id: string; name: string }): Promise<string> => {
    const description = floatingIPDescription(cluster, { namespace: 'default', name: 'gone' });
    const { id } = it.inside.cloud.addFloatingIp(undefined, description);
    await it.create('web');
    return id;
  };
  const own = async () => ({ id: await it.world.kube.clusterId(), name: 'kubernetes' });
  const isThere = (id: string): boolean => it.inside.cloud.floatingips.some((one) => one.id === id);

  test('stays when its Service is gone, and the sweep says how it goes', async () => {
    const id = await put(await own());
    await it.sweep();
    pass(HOUR_MS);

    const { warnings } = await it.sweep();

    expect(isThere(id)).toBe(true);
    expect(warnings).toEqual([
      expect.stringMatching(
        new RegExp(
          `^levelset keeps these floating IPs, .*: [0-9.]+ \\(made for default/gone\\)\\. If they are nobody's, run: openstack floating ip delete ${id}$`,
        ),
      ),
    ]);
  });

  test('stays in a run that somebody asks for, also without a quarantine', async () => {
    it = startCluster({ orphanDelayMs: 0, deletionPercent: 100 });
    const id = await put(await own());

    await it.run({ key: 'service/default/gone', trigger: 'command' });

    expect(isThere(id)).toBe(true);
  });

  test('stays and is not told of if it is of another cluster of this name', async () => {
    const id = await put({ id: '0b9d8e7f-0000-4000-8000-00000000000c', name: 'kubernetes' });
    await it.sweep();
    pass(HOUR_MS);

    expect((await it.sweep()).warnings).toEqual([]);
    expect(isThere(id)).toBe(true);
  });

  test('stays after a Service that named it has given it back', async () => {
    const { kube, cloud } = it.inside;
    kube.apply(aService({ annotations: { [KEEP_FLOATING_IP]: 'true' } }));
    await it.run({ key: 'service/default/web', trigger: 'audit' });
    kube.delete('Service', 'default', 'web');
    await it.run({ key: 'service/default/web', trigger: 'audit' });
    const [kept] = cloud.floatingips;
    kube.apply(aService({ name: 'api', spec: { loadBalancerIP: kept?.floating_ip_address ?? '' } }));
    await it.run({ key: 'service/default/api', trigger: 'audit' });
    kube.delete('Service', 'default', 'api');
    await it.run({ key: 'service/default/api', trigger: 'audit' });
    expect(kept?.tags).toEqual([]);
    await it.sweep();
    pass(HOUR_MS);

    await it.sweep();

    expect(cloud.floatingips).toEqual([kept]);
  });
});
