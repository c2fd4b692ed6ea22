import type { CachedChildren } from '../../../memory/memory.ts';
import { isLocked } from '../../../model/load-balancer/octavia.ts';
import type { Key } from '../../../model/request.ts';
import type { ObservedResource, WireResource } from '../../../model/resources.ts';
import type { World } from '../../../ports.ts';

type Remembered = Pick<World['memory'], 'children'>;

/** The children that this process read in full for one Service, while the load balancer's `updated_at` is the same. */
export function cachedChildren(
  unit: Key,
  loadBalancer: WireResource,
  memory: Remembered,
): readonly ObservedResource[] | undefined {
  const known = memory.children.get(loadBalancer.id)?.get(unit);
  return known && known.updated_at === loadBalancer['updated_at'] ? known.children : undefined;
}

/** Octavia's times have whole seconds. After this time no other change can hide in the same second. */
const SURE_AFTER_MS = 2_000;

/** Whether no other change can hide behind this `updated_at`, read no earlier than `now` (design.md, "The sweep is cheap"). */
export function isSure(loadBalancer: WireResource, now: number): boolean {
  const { updated_at: updated, created_at: created } = loadBalancer;
  return now - Date.parse(`${typeof updated === 'string' ? updated : String(created)}Z`) >= SURE_AFTER_MS;
}

export function cacheChildren(
  unit: Key,
  loadBalancer: WireResource,
  children: readonly ObservedResource[],
  readAt: number,
  memory: Remembered,
): void {
  const { id, updated_at } = loadBalancer;
  if (typeof updated_at !== 'string' || !isSure(loadBalancer, readAt)) return;
  // what frees a child in Octavia's database moves no time of its load balancer
  if (children.some(({ wire }) => isLocked(wire))) return;
  const units = memory.children.get(id) ?? new Map<Key, CachedChildren>();
  memory.children.set(id, units.set(unit, { updated_at, children, readAt }));
}

export function forgetChildren(id: string, memory: Remembered): void {
  memory.children.delete(id);
}

/** After this time a run that wants them reads them again. */
const OLD_MS = 10 * 60_000;

/** In a process of many clusters what nobody needs would be most of the memory: 10 kB for each Service. */
export function forgetOldChildren(now: number, memory: Remembered): void {
  for (const [id, units] of memory.children) {
    if ([...units.values()].some(({ readAt }) => now - readAt < OLD_MS)) return; // those that follow were read later
    forgetChildren(id, memory);
  }
}
