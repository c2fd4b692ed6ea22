import { beforeEach, describe, expect, test } from 'vitest';
import { floatingIPDescription } from '../../../shared/model/ownership.ts';
import { startCluster, type Cluster } from '../../support/clusters/cluster.ts';
import { failing } from '../../support/failing.ts';
import { aService } from '../../support/service.ts';

const HOUR_MS = 3_600_000;

let it: Cluster;
beforeEach(() => {
  it = startCluster({ orphanDelayMs: HOUR_MS, deletionPercent: 100 });
});

const loadBalancers = () => it.cloud.loadbalancers.map(({ name }) => name.split('_').at(-1) ?? '');

describe('what a Service has left that is gone without having been deleted', () => {
  test('stays for the delay, says until when, and then goes with everything', async () => {
    await it.create('web', 'api');
    it.lose('web');

    const first = await it.sweep();
    const id = it.cloud.loadbalancers.find(({ name }) => name.endsWith('_web'))?.id ?? '';
    const until = `${new Date(it.inside.clock.millis() + HOUR_MS).toISOString().slice(0, 19)}Z`;
    expect(first.requests.map(({ key }) => key)).not.toContain('service/default/web');
    const told = `^levelset did not see the deletion of these Services, .* default/web \\(load balancer ${id}\\); levelset keeps it until ${until} \\(--orphan-delay\\), and deletes it after that as far as --deletion-share allows; a Service that is applied again gets it back$`;
    expect(first.warnings).toEqual([expect.stringMatching(new RegExp(told))]);
    it.advanceClock(HOUR_MS - 2_000);
    await it.sweep();
    expect(loadBalancers()).toEqual(['web', 'api']);

    it.advanceClock(2_000);
    await it.sweep();

    expect(loadBalancers()).toEqual(['api']);
    expect(it.cloud.floatingips).toHaveLength(1);
    expect((await it.sweep()).warnings).toEqual([]);
  });

  test('begins its time anew after the Service was there, also while another list fails', async () => {
    await it.create('web', 'api');
    it.lose('web');
    await it.sweep();
    failing(it, 'GET', /\/security-groups/, 403);
    await it.create('web');
    await it.sweep();
    it.advanceClock(3 * HOUR_MS);
    it.lose('web');

    const { incomplete, warnings } = await it.sweep();

    expect(incomplete).toBe(true);
    expect(loadBalancers()).toEqual(['web', 'api']);
    expect(warnings.join()).toContain('levelset keeps it until');
  });

  test('is not deleted by a run that somebody asks for, before a sweep has seen it', async () => {
    await it.create('web');
    it.lose('web');

    const { outcome } = await it.run({ key: 'service/default/web', trigger: 'command' });

    const reason = expect.stringContaining('no sweep has found it yet') as string;
    expect(outcome).toMatchObject({ status: 'blocked', reason });
    expect(loadBalancers()).toEqual(['web']);
  });

  test('stays while the record cannot be read or written', async () => {
    await it.create('web');
    it.lose('web');
    const metadata = { name: 'levelset-deletions', namespace: 'levelset' };
    it.kube.apply({ kind: 'ConfigMap', metadata, data: { left: 'no JSON' } });
    const unread = await it.sweep();
    it.advanceClock(2 * HOUR_MS);
    await it.sweep();

    expect(loadBalancers()).toEqual(['web']);
    expect(unread.warnings[0]).toContain('stays: ConfigMap levelset-deletions has an entry');
  });
});

test('floating IPs that have levelset’s description and none of its tags stay, and the sweep says how the free one of this cluster goes', async () => {
  const put = (id: string): string => {
    const key = { namespace: 'default', name: 'gone' };
    return it.cloud.addFloatingIp(undefined, floatingIPDescription({ id, name: 'kubernetes' }, key)).id;
  };
  const own = put(await it.world.kube.clusterId());
  const inUse = put(await it.world.kube.clusterId());
  Object.assign(it.cloud.floatingips.at(-1) ?? {}, { port_id: it.cloud.newId() });
  const theirs = put('0b9d8e7f-0000-4000-8000-00000000000c');
  await it.create('web');
  await it.run({ key: 'service/default/gone', trigger: 'command' });
  await it.sweep();
  it.advanceClock(HOUR_MS);

  const { warnings } = await it.sweep();

  const ids = it.cloud.floatingips.map(({ id }) => id);
  expect(ids).toEqual(expect.arrayContaining([own, inUse, theirs]));
  const told = `^levelset keeps these floating IPs, .*: [0-9.]+ \\(made for default/gone\\)\\. If they are nobody's, run: openstack floating ip delete ${own}$`;
  expect(warnings).toEqual([expect.stringMatching(new RegExp(told))]);
});

// decision 292
test('an L7 policy of ours stays on a listener that a person has taken over, and nothing else of ours does', async () => {
  it = startCluster({ deletionPercent: 100 });
  const { cloud, kube } = it;
  const OWN = 'levelset.openstack.org/';
  const annotations = { [`${OWN}redirect-http.80`]: 'true', [`${OWN}redirect-host`]: 'app.example.org' };
  const http = { name: 'http', port: 80, nodePort: 30_080, appProtocol: 'http' };
  const ports = [http, { name: 'tcp', port: 443, nodePort: 30_443 }];
  kube.apply(aService({ annotations, spec: { ports } }));
  await it.run({ key: 'service/default/web', trigger: 'audit' });
  await it.sweepToRest();
  const taken = cloud.listeners.find(({ protocol_port: port }) => port === 80);
  expect(cloud.l7policies.map(({ listener_id: on }) => on)).toEqual([taken?.id]);
  Object.assign(taken ?? {}, { name: 'of a person', tags: [] });
  const policies = structuredClone([...cloud.l7policies]);

  it.lose('web');
  await it.sweepToRest();

  expect(cloud.listeners.map(({ name }) => name)).toEqual(['of a person']);
  expect(cloud.l7policies).toEqual(policies);
  expect(cloud.floatingips.filter(({ tags }) => tags.length > 0)).toEqual([]);
  expect(cloud.loadbalancers.map(({ tags }) => tags)).toEqual([[]]);
  expect((await it.sweep()).requests).toEqual([]);
});
