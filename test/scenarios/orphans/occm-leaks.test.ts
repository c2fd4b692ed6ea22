/**
 * What OCCM leaks, leaves or takes from others, by the numbers of its issues (kubernetes/cloud-provider-openstack,
 * unless another project is named): each as it happens here.
 */
import { beforeEach, expect, test } from 'vitest';
import { serviceKey } from '../../../shared/model/request.ts';
import { startCluster, type Cluster } from '../../support/clusters/cluster.ts';
import { aConfig } from '../../support/config.ts';
import { aService } from '../../support/service.ts';
import { leftovers } from '../../support/told.ts';

const ID = 'loadbalancer.openstack.org/load-balancer-id';
const managed = { loadBalancer: { ...aConfig().loadBalancer, manageSecurityGroups: true } };
const TWO_PORTS = [80, 81].map((port) => ({ name: `p${port}`, port, nodePort: 30_000 + port }));

let it: Cluster;
beforeEach(() => {
  it = startCluster(managed);
});

const settle = async (name = 'web', by = it): Promise<string> =>
  (await by.run({ key: serviceKey('default', name), trigger: 'audit' })).outcome.status;
/** What `web` is asked for is another thing from now on; its state after that. */
const change = (more: Parameters<typeof aService>[0]) => {
  it.kube.apply(aService(more));
  return settle();
};
const remove = async (by = it): Promise<void> => {
  by.kube.delete('Service', 'default', 'web');
  await settle('web', by);
};
/** What is in the cloud, by kind. */
type Rows = 'loadbalancers' | 'listeners' | 'pools' | 'members' | 'healthmonitors' | 'floatingips';
const count = (...kinds: readonly Rows[]): readonly number[] => kinds.map((kind) => it.cloud[kind].length);
/** As an operator with the OpenStack client: deletes the first one. */
const byHand = async (kind: 'loadbalancer' | 'pool' | 'member' | 'healthmonitor'): Promise<void> => {
  const { cloud } = it;
  const [{ id } = { id: '' }] = cloud[`${kind}s`];
  const parent = kind === 'member' ? { parent: cloud.pools[0]?.id ?? '' } : {};
  await it.world.cloud.remove(kind, id, { ...parent, ...(kind === 'loadbalancer' && { cascade: true }) });
  it.advanceClock(1_000);
  await it.world.cloud.list('loadbalancer');
  expect(cloud[`${kind}s`].some((one) => one.id === id)).toBe(false);
};
const groups = () => it.cloud.securityGroups.filter(({ name }) => name.startsWith('lb-sg-'));

test('#1597, #2370, #2962: members, a health monitor and a pool that were deleted by hand come back with the next sweep, and all members stay while no Node is listed', async () => {
  await it.create('web');
  for (const kind of ['member', 'healthmonitor', 'pool'] as const) {
    await byHand(kind);
    await it.sweepToRest();
    expect(count('pools', 'healthmonitors', 'members')).toEqual([1, 1, 2]);
  }
  for (const { metadata } of it.kube.list('Node')) it.kube.delete('Node', undefined, metadata.name);
  await it.sweepToRest();
  expect(count('members')).toEqual([2]);
});

test('#2036, #2037, #1912, #1931: a Service whose load balancer is in ERROR, or gone already, leaves neither floating IP nor security group', async () => {
  const breaks = () => Object.assign(it.cloud.loadbalancers[0] ?? {}, { provisioning_status: 'ERROR' });
  for (const happens of [breaks, () => byHand('loadbalancer')]) {
    await it.create('web');
    await happens();
    await remove();
    expect(leftovers(it)).toEqual({});
    expect(groups()).toEqual([]);
  }
});

test('#2751, #2752, #576: a Service that is a NodePort for a while, or is deleted and made again at once, has another load balancer', async () => {
  await it.create('web');
  const seen = it.cloud.loadbalancers.map(({ id }) => id);
  await change({ spec: { type: 'NodePort' } });
  expect(count('loadbalancers', 'floatingips')).toEqual([0, 0]);
  for (const leave of [() => undefined, remove]) {
    await leave();
    expect(await change({ spec: { type: 'LoadBalancer' } })).toBe('settled');
    expect(count('loadbalancers', 'floatingips')).toEqual([1, 1]);
    const [{ id } = { id: '' }] = it.cloud.loadbalancers;
    expect(seen).not.toContain(id);
    seen.push(id);
  }
});

test('#2267, #2988: a change of the monitor, of lb-method and of the ports at once has its effect, and meets no 409', async () => {
  await it.create('web');
  const annotations = {
    'loadbalancer.openstack.org/health-monitor-delay': '9',
    'loadbalancer.openstack.org/lb-method': 'LEAST_CONNECTIONS',
  };
  expect(await change({ annotations, spec: { ports: TWO_PORTS } })).toBe('settled');
  expect(it.cloud.healthmonitors.map(({ delay }) => delay)).toEqual([9, 9]);
  expect(new Set(it.cloud.pools.map((pool) => pool['lb_algorithm']))).toEqual(new Set(['LEAST_CONNECTIONS']));
  const refused = it.requests.filter(({ side, status }) => side === 'openstack' && status === 409);
  expect(refused).toEqual([]);
});

test('#970: a change of Nodes before there is a load balancer fails nothing', async () => {
  it.kube.apply(aService());
  it.kube.addNode('node-9');
  const { reports } = await it.sweep();
  expect(reports.map(({ outcome }) => outcome.status)).toEqual(['settled']);
  expect(count('members')).toEqual([3]);
});

test('#2699, #2705, #1749, #1750, SovereignCloudStack/k8s-cluster-api-provider#411: a Node that joins takes no rule of a security group away, and members keep the health check port', async () => {
  await change({ spec: { externalTrafficPolicy: 'Local', healthCheckNodePort: 31_000 } });
  const rules = (): readonly string[] => it.cloud.securityGroupRules.map(({ id }) => id).sort();
  const before = rules();
  it.kube.addNode('node-9');
  await it.sweepToRest();
  expect(rules()).toEqual(expect.arrayContaining([...before]));
  const [group = { id: '' }] = groups();
  expect(it.cloud.ports.filter((one) => one.security_groups.includes(group.id))).toHaveLength(3);
  expect(it.cloud.members.map((member) => member['monitor_port'])).toEqual([31_000, 31_000, 31_000]);
});

test('#1273, #1371, #2004, #2241, #2571, #2624, #3102, #2682, #3079: two clusters of one name take nothing from each other, and no Service of one joins or renames a load balancer of the other', async () => {
  const other = startCluster({}, it);
  await it.create('web');
  const before = structuredClone([...it.cloud.loadbalancers]);
  await other.create('web');
  other.kube.apply(aService({ name: 'api', annotations: { [ID]: before[0]?.id ?? '' } }));
  expect(await settle('api', other)).toBe('blocked');
  expect(count('loadbalancers', 'floatingips')).toEqual([2, 2]);
  await remove(other);
  await other.sweep();
  expect(it.cloud.loadbalancers).toEqual(before);
  expect(count('floatingips')).toEqual([1]);
});
