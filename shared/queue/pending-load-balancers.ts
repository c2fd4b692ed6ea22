import type { Cloud } from '../ports.ts';
import { clusterTag, type ClusterIdentity } from '../model/ownership.ts';

/** Ids and states of the cluster's load balancers that Octavia is still working on, by one list call. */
export async function pendingLoadBalancers(
  cloud: Pick<Cloud, 'list'>,
  cluster: ClusterIdentity,
): Promise<ReadonlyMap<string, string>> {
  const query = { tags: clusterTag(cluster), fields: ['id', 'provisioning_status'] };
  const found = await cloud.list('loadbalancer', query);
  return new Map(
    found
      .map(({ id, provisioning_status: status }) => [id, String(status)] as const)
      .filter(([, status]) => status.startsWith('PENDING_')),
  );
}
