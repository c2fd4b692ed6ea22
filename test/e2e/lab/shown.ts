import type { Shown } from '../../support/annotation-entries.ts';
import { getService } from './kubernetes.ts';
import { cloud, loadBalancersOf, loadBalancerTree, type Resource } from './openstack.ts';

/** What the cloud has of it, once Octavia is at rest. */
export async function shownOf(namespace: string, name: string): Promise<Shown | undefined> {
  const service = await getService(namespace, name);
  const [balancer] = await loadBalancersOf(service?.metadata.uid ?? '');
  if (balancer?.['provisioning_status'] !== 'ACTIVE') return undefined;
  const tree = await loadBalancerTree(balancer.id);
  if (!tree) return undefined;
  const { l7policies } = await cloud().must<{ l7policies: Resource[] }>(
    'load-balancer',
    'GET',
    '/v2.0/lbaas/l7policies',
  );
  const own = new Set(tree.listeners.map(({ id }) => id));
  return {
    loadbalancer: [tree.loadBalancer],
    listener: tree.listeners,
    pool: tree.pools,
    member: tree.pools.flatMap(({ members }) => members),
    healthmonitor: tree.pools.flatMap(({ monitor }) => monitor ?? []),
    l7policy: l7policies.filter(({ listener_id }) => own.has(String(listener_id))),
    floatingip: tree.floatingIP ? [tree.floatingIP] : [],
    ingress: (service?.status?.loadBalancer?.ingress ?? []).map((one) => ({ ...one })),
  };
}
