import type { Key } from '../../../model/request.ts';
import type { ObservedResource, WireResource } from '../../../model/resources.ts';
import type { Cloud } from '../../../ports.ts';

/**
 * The children of a load balancer as this process read them in full for one unit, since what is whose is another on each:
 * they count while its `updated_at` is the same.
 */
interface CachedChildren {
  readonly updated_at: string;
  readonly children: readonly ObservedResource[];
}

const childCaches = new WeakMap<Cloud, Map<string, Map<Key, CachedChildren>>>();

export function cachedChildren(
  unit: Key,
  loadBalancer: WireResource,
  cloud: Cloud,
): readonly ObservedResource[] | undefined {
  const known = childCaches.get(cloud)?.get(loadBalancer.id)?.get(unit);
  return known && known.updated_at === loadBalancer['updated_at'] ? known.children : undefined;
}

/** Octavia's times have whole seconds; this much later than a change, no other can hide in the same second. */
const SURE_AFTER_MS = 2_000;

/** Whether another change could still hide behind this `updated_at` (design.md, "The sweep is cheap"). */
export function isSure(loadBalancer: WireResource, now: number): boolean {
  const { updated_at: updated, created_at: created } = loadBalancer;
  return now - Date.parse(`${typeof updated === 'string' ? updated : String(created)}Z`) >= SURE_AFTER_MS;
}

export function cacheChildren(
  unit: Key,
  loadBalancer: WireResource,
  children: readonly ObservedResource[],
  cloud: Cloud,
  now: number,
): void {
  const { id, updated_at } = loadBalancer;
  if (typeof updated_at !== 'string' || !isSure(loadBalancer, now)) return;
  const memory = childCaches.get(cloud) ?? new Map<string, Map<Key, CachedChildren>>();
  childCaches.set(cloud, memory);
  const units = memory.get(id) ?? new Map<Key, CachedChildren>();
  memory.set(id, units.set(unit, { updated_at, children }));
}

export function forget(id: string, cloud: Cloud): void {
  childCaches.get(cloud)?.delete(id);
}
