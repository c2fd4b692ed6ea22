import { serviceTag } from '../../../model/ownership.ts';
import type { ObservedResource, WireResource } from '../../../model/resources.ts';
import type { Unit } from '../../../model/unit.ts';
import type { Cloud, World } from '../../../ports.ts';
import { observeListeners, observePools } from '../children.ts';
import type { Owners } from '../load-balancer/owners.ts';

type Remembered = Pick<World['memory'], 'ownPools'>;

/** Remembers which pools were found to be the Service's own when everything on its load balancer was looked at. */
export function rememberOwnPools(
  { id }: WireResource,
  children: readonly ObservedResource[],
  { ownPools }: Remembered,
): void {
  const own = children.filter(({ kind, owned }) => kind === 'pool' && owned);
  ownPools.set(
    id,
    own.map((pool) => pool.id),
  );
}

/**
 * The listeners and pools on the load balancer of a Service that leaves, if all of them are its own. Two lists by the Service's
 * tag, which serve all Services that leave together, say what is on the load balancer now, and whose each listener is;
 * a pool has no such tag, so it counts if this process has found it to be the Service's own before (decision 325). Undefined if
 * anything else is on the load balancer: then everything is read.
 */
export async function confirmOwnChildren(
  { service, withLeftovers }: Unit,
  lb: WireResource,
  owners: Owners,
  cloud: Pick<Cloud, 'list'>,
  { ownPools }: Remembered,
): Promise<readonly ObservedResource[] | undefined> {
  const own = ownPools.get(lb.id);
  if (!service || withLeftovers || !own || owners.shared) return undefined;
  const query = { 'tags-any': serviceTag(service.metadata.uid) };
  const [lbs, listed] = await Promise.all([cloud.list('loadbalancer', query), cloud.list('listener', query)]);
  const now = lbs.find(({ id }) => id === lb.id);
  const [listenerIds, poolIds] = [idsOf(now?.['listeners']), idsOf(now?.['pools'])];
  if (!listenerIds || !poolIds?.every((id) => own.includes(id))) return undefined;
  const tagged = new Map(listed.map((wire) => [wire.id, wire]));
  const listeners = observeListeners(
    listenerIds.flatMap((id) => tagged.get(id) ?? []),
    owners,
  );
  if (listeners.length < listenerIds.length || !listeners.every(({ owned }) => owned)) return undefined;
  const pools = observePools(
    poolIds.map((id) => ({ id })),
    listeners,
    owners,
  );
  return [...listeners, ...pools.map((pool) => ({ ...pool, owned: true }))];
}

/** Undefined if the load balancer does not say. */
function idsOf(listed: unknown): readonly string[] | undefined {
  return Array.isArray(listed) ? listed.map(({ id }: { readonly id: string }) => id) : undefined;
}
