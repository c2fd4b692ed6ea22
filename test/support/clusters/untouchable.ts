/** Resources that look like ours, and that levelset must never delete or change. */
import type { SandboxInside } from '../../../infra/sandbox/sandbox.ts';
import { floatingIPDescription, keptTag } from '../../../shared/model/ownership.ts';
import type { Cluster } from './cluster.ts';

const OTHER = '0b9d8e7f-0000-4000-8000-00000000000c';

/** Puts them into the project: of persons, of OCCM, of another cluster, and kept ones. */
export async function untouchable({ inside, world }: Pick<Cluster, 'inside' | 'world'>): Promise<void> {
  const { cloud } = inside;
  const own = { id: await world.kube.clusterId(), name: world.config.clusterName };
  const gone = { namespace: 'default', name: 'gone' };
  const theirs = { id: OTHER, name: own.name };
  const ofGo = 'Floating IP for Kubernetes external service default/gone from cluster kubernetes';
  const tagged = [`levelset-cluster=${OTHER}`, 'levelset-service=00000000-0000-4000-8000-000000000000'];
  const add = (description: string, ...tags: readonly string[]): unknown =>
    Object.assign(cloud.addFloatingIp(undefined, description), { tags });
  add('of a person');
  add(ofGo);
  add(floatingIPDescription(theirs, gone));
  add(floatingIPDescription(theirs, gone), ...tagged);
  add(floatingIPDescription(own, gone), `levelset-cluster=${own.id}`, keptTag(own, 'default'));
  const { cloud: client } = world;
  const name = 'lb-sg-00000000-0000-4000-8000-000000000000-default-gone';
  await client.create('securitygroup', { name, description: 'of OCCM' });
  await client.update('securitygroup', (await client.create('securitygroup', { name })).id, {
    tags: [...tagged, 'levelset-name=default/gone'],
  });
  const vip_subnet_id = cloud.subnets[0]?.id ?? '';
  const lb = {
    vip_subnet_id,
    description: 'Kubernetes external service default/gone from cluster kubernetes',
  };
  await client.create('loadbalancer', { ...lb, name: 'kube_service_kubernetes_default_gone' });
  await client.create('loadbalancer', {
    ...lb,
    name: 'kube_service_kubernetes_default_gone',
    tags: [...tagged, 'levelset-name=default/gone', 'kube_service_kubernetes_default_gone'],
  });
  await client.create('loadbalancer', { vip_subnet_id, name: 'of a person' });
}

/** Everything that levelset could delete, whosever it is, in a fixed order. */
export function whatIsThere({ cloud, kube }: SandboxInside) {
  const cluster = kube.get('Namespace', '', 'kube-system')?.metadata.uid ?? '';
  const isOurs = (tags: readonly string[]): boolean =>
    tags.includes(`levelset-cluster=${cluster}`) && !tags.some((tag) => tag.startsWith('levelset-kept='));
  const ofLoadBalancer = new Map(
    cloud.loadbalancers.map(({ id, tags, name }) => [
      id,
      isOurs(tags) ? `ours/${name.split('_').at(-1) ?? ''}` : 'others',
    ]),
  );
  const inName = (text: string): string => `ours/${/default\/(\S+)/.exec(text)?.[1] ?? ''}`;
  /** A resource, whose it is (`ours/NAME` of a Service of this cluster, or `others`), and what nobody may change of it. */
  const told = (kind: string, row: { readonly id: string }, of: string) => ({
    ...{ kind, id: row.id, of },
    text: of === 'others' ? JSON.stringify(row, withoutTimes) : '',
  });
  return [
    ...cloud.loadbalancers.map((row) => told('loadbalancer', row, ofLoadBalancer.get(row.id) ?? '')),
    ...cloud.listeners.map((row) => told('listener', row, ofLoadBalancer.get(row.loadbalancer_id) ?? '')),
    ...cloud.pools.map((row) => told('pool', row, ofLoadBalancer.get(row.loadbalancer_id) ?? '')),
    ...cloud.floatingips.map((row) =>
      told('floatingip', row, isOurs(row.tags) ? inName(row.description) : 'others'),
    ),
    ...cloud.securityGroups.map((row) =>
      told('securitygroup', row, isOurs(row.tags) ? inName(row.description) : 'others'),
    ),
  ];
}

/** Octavia's state changes by itself, and a row of a member names its siblings. */
function withoutTimes(key: string, value: unknown): unknown {
  return ['updated_at', 'operating_status', 'provisioning_status', 'revision_number'].includes(key)
    ? undefined
    : value;
}
