/**
 * What OCCM leaks, leaves or takes from others, by the numbers of its issues (kubernetes/cloud-provider-openstack,
 * unless another project is named): each as it happens here.
 */
import { beforeEach, describe, expect, test } from 'vitest';
import { observeBelongings } from '../../../shared/gc/belongings.ts';
import { planGc } from '../../../shared/gc/plan-gc.ts';
import { runGc } from '../../../shared/gc/run-gc.ts';
import { startCluster, type Cluster } from '../../support/clusters/cluster.ts';
import { aConfig } from '../../support/config.ts';
import { aService } from '../../support/service.ts';
import { leftovers } from '../../support/told.ts';

const ID = 'loadbalancer.openstack.org/load-balancer-id';
const INTERNAL = { 'service.beta.kubernetes.io/openstack-internal-load-balancer': 'true' };
const KEY = 'service/default/web' as const;
const port = (number: number, nodePort: number): object => ({
  ...{ name: `p${number}`, port: number, nodePort, protocol: 'TCP' },
});

let it: Cluster;
beforeEach(() => {
  const loadBalancer = { ...aConfig().loadBalancer, manageSecurityGroups: true };
  it = startCluster({ loadBalancer });
});

const apply = (name: string, more: Parameters<typeof aService>[0] = {}): void => {
  it.inside.kube.apply(aService({ ...more, name }));
};
const settle = async (name = 'web'): Promise<string> =>
  (await it.run({ key: `service/default/${name}`, trigger: 'audit' })).outcome.status;
/** Sweeps until what a person did is put right; a watermark has to be two seconds old. */
async function sweep(): Promise<void> {
  for (let sweeps = 0; sweeps < 3; sweeps += 1) {
    it.inside.advanceClock(3_000);
    await it.sweep();
  }
}
/** What is in the cloud, by kind. */
const count = (
  ...kinds: readonly ('loadbalancers' | 'listeners' | 'pools' | 'floatingips')[]
): readonly number[] => kinds.map((kind) => it.inside.cloud[kind].length);
/** As an operator with the OpenStack client: deletes the first one. */
const byHand = async (kind: 'loadbalancer' | 'pool' | 'member' | 'healthmonitor'): Promise<void> => {
  const { cloud } = it.inside;
  const rows = {
    loadbalancer: cloud.loadbalancers,
    pool: cloud.pools,
    member: cloud.members,
    healthmonitor: cloud.healthmonitors,
  };
  const parent = kind === 'member' ? { parent: cloud.pools[0]?.id ?? '' } : {};
  const cascade = kind === 'loadbalancer' ? { cascade: true } : {};
  const before = rows[kind].length;
  await it.world.cloud.remove(kind, rows[kind][0]?.id ?? '', { ...parent, ...cascade });
  it.inside.advanceClock(1_000);
  await it.world.cloud.list('loadbalancer'); // Octavia is done
  expect(rows[kind]).toHaveLength(before - 1);
};
const groups = () => it.inside.cloud.securityGroups.filter(({ name }) => name.startsWith('lb-sg-'));
const onPorts = (): number =>
  it.inside.cloud.ports.filter(({ security_groups: on }) => on.includes(groups()[0]?.id ?? '')).length;

describe('lifecycle, drift, stuck states', () => {
  test('#1597: a pool that was deleted by hand comes back with the next sweep', async () => {
    await it.create('web');
    await byHand('pool');
    await sweep();
    expect(count('pools')).toEqual([1]);
    expect(it.inside.cloud.members).toHaveLength(2);
  });

  test('#2962: members that went are there again without an event, and all stay while no Node is listed', async () => {
    await it.create('web');
    await byHand('member');
    await sweep();
    expect(it.inside.cloud.members).toHaveLength(2);
    for (const { metadata } of it.inside.kube.list('Node'))
      it.inside.kube.delete('Node', undefined, metadata.name);
    await sweep();
    expect(it.inside.cloud.members).toHaveLength(2);
  });

  test('#2541: a load balancer that ended in ERROR when it was created is made anew', async () => {
    apply('web');
    const restore = it.inside.fault({
      match: { side: 'openstack', method: 'POST', path: /\/floatingips/ },
      ...{ kind: 'fail-before', times: Infinity },
    });
    await settle();
    it.inside.advanceClock(1_000);
    await it.world.cloud.list('loadbalancer'); // Octavia is done
    Object.assign(it.inside.cloud.loadbalancers[0] ?? {}, { provisioning_status: 'ERROR' });
    restore();
    await sweep();
    expect(it.inside.cloud.loadbalancers.map((lb) => lb.provisioning_status)).toEqual(['ACTIVE']);
    expect(
      it.inside.requests.filter(({ method, path }) => method === 'POST' && path.endsWith('/loadbalancers')),
    ).toHaveLength(2);
    expect(count('floatingips')).toEqual([1]);
  });

  test('#2036, #2037: a Service whose load balancer is in ERROR is deleted', async () => {
    await it.create('web');
    Object.assign(it.inside.cloud.loadbalancers[0] ?? {}, { provisioning_status: 'ERROR' });
    it.inside.kube.delete('Service', 'default', 'web');
    await settle();
    expect(leftovers(it.inside)).toEqual({});
    expect(groups()).toEqual([]);
  });

  test('#2751, #2752: LoadBalancer, NodePort and LoadBalancer again has one load balancer, then none, then one', async () => {
    await it.create('web');
    apply('web', { spec: { type: 'NodePort' } });
    await settle();
    expect(count('loadbalancers', 'floatingips')).toEqual([0, 0]);
    apply('web', { spec: { type: 'LoadBalancer' } });
    expect(await settle()).toBe('settled');
    expect(count('loadbalancers', 'floatingips')).toEqual([1, 1]);
  });

  test('#1912, #1931: a Service whose load balancer is gone already leaves neither floating IP nor security group', async () => {
    await it.create('web');
    await byHand('loadbalancer');
    it.inside.kube.delete('Service', 'default', 'web');
    await settle();
    expect(leftovers(it.inside)).toEqual({});
    expect(groups()).toEqual([]);
  });

  test('#2267: a change of the monitor and of the ports at once meets no 409', async () => {
    await it.create('web');
    const annotations = { 'loadbalancer.openstack.org/health-monitor-delay': '9' };
    apply('web', { annotations, spec: { ports: [port(80, 30_080), port(81, 30_081)] } });
    expect(await settle()).toBe('settled');
    expect(it.inside.cloud.healthmonitors.map(({ delay }) => delay)).toEqual([9, 9]);
    expect(it.inside.requests.filter(({ side, status }) => side === 'openstack' && status === 409)).toEqual(
      [],
    );
  });

  test('#576: a Service that is deleted and made again at once has a load balancer of its own', async () => {
    await it.create('web');
    const [before] = it.inside.cloud.loadbalancers;
    it.inside.kube.delete('Service', 'default', 'web');
    await settle();
    apply('web');
    expect(await settle()).toBe('settled');
    expect(it.inside.cloud.loadbalancers).toHaveLength(1);
    expect(it.inside.cloud.loadbalancers[0]?.id).not.toBe(before?.id);
  });

  test('#970: a change of Nodes before there is a load balancer fails nothing', async () => {
    apply('web');
    it.inside.kube.addNode('node-9');
    const { reports } = await it.sweep();
    expect(reports.map(({ outcome }) => outcome.status)).toEqual(['settled']);
    expect(it.inside.cloud.members).toHaveLength(3);
  });
});

describe('two code paths', () => {
  test('#2699, #2705: a Node that joins takes no rule of a security group away', async () => {
    await it.create('web');
    const rules = (): readonly string[] => it.inside.cloud.securityGroupRules.map(({ id }) => id).sort();
    const before = rules();
    it.inside.kube.addNode('node-9');
    await sweep();
    expect(rules()).toEqual(expect.arrayContaining([...before]));
    expect(onPorts()).toBe(3);
  });

  test('#1749, #1750, SovereignCloudStack/k8s-cluster-api-provider#411: members keep the health check port when a Node joins', async () => {
    apply('web', { spec: { externalTrafficPolicy: 'Local', healthCheckNodePort: 31_000 } });
    await settle();
    it.inside.kube.addNode('node-9');
    await sweep();
    expect(it.inside.cloud.members.map((member) => member['monitor_port'])).toEqual([31_000, 31_000, 31_000]);
  });

  test('#2370: a health monitor that was deleted by hand is there again when a Node joins', async () => {
    await it.create('web');
    await byHand('healthmonitor');
    it.inside.kube.addNode('node-9');
    await sweep();
    expect(it.inside.cloud.healthmonitors).toHaveLength(1);
  });

  test('#2988: the annotation lb-method has its effect, also later', async () => {
    await it.create('web');
    apply('web', { annotations: { 'loadbalancer.openstack.org/lb-method': 'LEAST_CONNECTIONS' } });
    await settle();
    expect(it.inside.cloud.pools.map(({ lb_algorithm }) => lb_algorithm)).toEqual(['LEAST_CONNECTIONS']);
  });
});

describe('identity, sharing, resources of others', () => {
  test('#1273, #1371, #2004, #2241, #2571, #2624, #3102: two clusters of one name take nothing from each other', async () => {
    const other = startCluster({}, it);
    await it.create('web');
    await other.create('web');
    expect(count('loadbalancers', 'floatingips')).toEqual([2, 2]);
    const [own] = it.inside.cloud.loadbalancers;
    other.inside.kube.delete('Service', 'default', 'web');
    await other.run({ key: KEY, trigger: 'audit' });
    await other.sweep();
    expect(it.inside.cloud.loadbalancers.map(({ id }) => id)).toEqual([own?.id]);
    expect(count('floatingips')).toEqual([1]);
  });

  test('#2682, #3079: a Service of another cluster that names a load balancer neither renames nor joins it', async () => {
    await it.create('web');
    const before = structuredClone(it.inside.cloud.loadbalancers);
    const other = startCluster({}, it);
    other.inside.kube.apply(aService({ name: 'api', annotations: { [ID]: before[0]?.id ?? '' } }));
    const { outcome } = await other.run({ key: 'service/default/api', trigger: 'audit' });
    expect(outcome.status).toBe('blocked');
    expect(it.inside.cloud.loadbalancers).toEqual(before);
  });

  test('#2675, #2891: a Service on an internal load balancer of another one gets no floating IP', async () => {
    apply('web', { annotations: INTERNAL });
    await settle();
    const annotations = { ...INTERNAL, [ID]: it.inside.cloud.loadbalancers[0]?.id ?? '' };
    apply('api', { annotations, spec: { ports: [port(81, 30_081)] } });
    expect(await settle('api')).toBe('settled');
    expect(count('loadbalancers', 'listeners', 'floatingips')).toEqual([1, 2, 0]);
  });

  test('#3032, #2327, #3149: a tag that an operator put on the load balancer stays', async () => {
    await it.create('web');
    const [lb] = it.inside.cloud.loadbalancers;
    Object.assign(lb ?? {}, { tags: [...(lb?.tags ?? []), 'cost-centre=7'] });
    apply('web', { spec: { ports: [port(80, 30_080), port(81, 30_081)] } });
    await settle();
    await sweep();
    expect(it.inside.cloud.loadbalancers[0]?.tags).toContain('cost-centre=7');
  });

  test('#3096: a security group says of which cluster and Service it is', async () => {
    await it.create('web');
    const cluster = await it.world.kube.clusterId();
    const uid = it.inside.kube.get('Service', 'default', 'web')?.metadata.uid ?? '';
    expect(groups().map(({ tags }) => tags)).toEqual([
      expect.arrayContaining([`levelset-cluster=${cluster}`, `levelset-service=${uid}`]),
    ]);
  });

  test('cluster-api-provider-openstack#842, #844, #990: what a deleted cluster has left goes by gc', async () => {
    const gone = startCluster(
      { loadBalancer: { ...aConfig().loadBalancer, manageSecurityGroups: true } },
      it,
    );
    await gone.create('web', 'api');
    it.inside.advanceClock(1_000);
    const all = await observeBelongings(it.world.cloud);
    const [id, thisOne] = [await gone.world.kube.clusterId(), await it.world.kube.clusterId()];
    const now = it.inside.clock.millis() + 1_000;
    const plan = planGc(all, { id, thisOne, answering: undefined, unwrittenForMs: 1, now });
    expect((await runGc(plan, it.world.cloud)).failed).toEqual([]);
    it.inside.advanceClock(1_000);
    await observeBelongings(it.world.cloud);
    expect(count('loadbalancers', 'listeners', 'pools', 'floatingips')).toEqual([0, 0, 0, 0]);
    expect(groups()).toEqual([]);
  });
});
