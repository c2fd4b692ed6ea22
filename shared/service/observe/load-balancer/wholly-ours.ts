import type { ClusterIdentity } from '../../../model/ownership.ts';
import type { WireResource } from '../../../model/resources.ts';
import type { Unit } from '../../../model/unit.ts';
import type { Cloud } from '../../../ports.ts';
import { observeListeners, observePools } from '../children.ts';
import { ownersOf } from './owners.ts';

/**
 * Those with nothing on them that is not this Service's own. Tags of load balancers can be written by everybody in the
 * project, and get lost: what would be deleted, or get the address, because of them has to be looked into, as for a Service
 * that leaves. Two calls for each, and there hardly ever is one.
 */
export async function whollyOurs(
  loadBalancers: readonly WireResource[],
  unit: Unit,
  cluster: ClusterIdentity,
  cloud: Pick<Cloud, 'list'>,
): Promise<readonly WireResource[]> {
  const isOurs = await Promise.all(
    loadBalancers.map(async (lb) => {
      if (isEmpty(lb['listeners']) && isEmpty(lb['pools'])) return true;
      const query = { loadbalancer_id: lb.id };
      const [listeners, pools] = await Promise.all([
        cloud.list('listener', query),
        cloud.list('pool', query),
      ]);
      const owners = ownersOf(unit, cluster, lb);
      const observed = observeListeners(listeners, owners);
      return [...observed, ...observePools(pools, observed, owners)].every(({ owned }) => owned);
    }),
  );
  return loadBalancers.filter((_, at) => isOurs[at]);
}

function isEmpty(ids: unknown): boolean {
  return Array.isArray(ids) && ids.length === 0;
}
