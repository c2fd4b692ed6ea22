import { clusterTag, hasTag } from '../model/ownership.ts';
import type { ClusterIdentity } from '../model/ownership.ts';
import type { WireResource } from '../model/resources.ts';
import type { Cloud } from '../ports.ts';

/**
 * Whether a load balancer that has our tags has nothing on it that has not. Tags can be written by everybody in the
 * project: what would be deleted, or get the address, because of them has to be looked into. One call for each, and there
 * hardly ever is one.
 */
export async function whollyOurs(
  loadBalancers: readonly WireResource[],
  cluster: ClusterIdentity,
  cloud: Pick<Cloud, 'list'>,
): Promise<readonly WireResource[]> {
  const isOurs = await Promise.all(
    loadBalancers.map(async ({ id, listeners = [], pools = [] }) => {
      if (isEmpty(listeners)) return isEmpty(pools);
      const found = await cloud.list('listener', { loadbalancer_id: id });
      return found.every((listener) => hasTag(listener['tags'], clusterTag(cluster)));
    }),
  );
  return loadBalancers.filter((_, at) => isOurs[at]);
}

function isEmpty(ids: unknown): boolean {
  return Array.isArray(ids) && ids.length === 0;
}
