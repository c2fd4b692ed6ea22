import type { ObservedResource, WireResource } from '../model/resources.ts';
import type { Cloud } from '../ports.ts';
import { confirm } from './confirm.ts';

/**
 * What this process knows of the children of a load balancer. `read`: they were read in full, and count as long as the
 * load balancer's `updated_at` is the same. `written`: what our own writes should have led to; counts once, when the
 * status tree agrees, and only for a minute: another process may have changed settings, which the tree does not show.
 */
type Recollection =
  | { readonly how: 'read'; readonly updated_at: string; readonly children: readonly ObservedResource[] }
  | { readonly how: 'written'; readonly atMs: number; readonly children: readonly ObservedResource[] };

const WRITTEN_MS = 60_000;

const recollections = new WeakMap<Cloud, Map<string, Recollection>>();

export interface Recalled {
  readonly children: readonly ObservedResource[];
  /** False: settings were not read, so no watermark may rest on it. */
  readonly inFull: boolean;
}

/** The children without reading each, when that is safe. One call at most. */
export async function recall(
  loadBalancer: WireResource,
  cloud: Cloud,
  now: number,
): Promise<Recalled | undefined> {
  const memory = recollections.get(cloud);
  const known = memory?.get(loadBalancer.id);
  if (!known) return undefined;
  if (known.how === 'read') {
    const same = known.updated_at === loadBalancer['updated_at'];
    return same ? { children: known.children, inFull: true } : undefined;
  }
  memory?.delete(loadBalancer.id);
  if (now - known.atMs > WRITTEN_MS) return undefined;
  const tree = await cloud.statuses(loadBalancer.id);
  const children = tree && confirm(known.children, tree);
  return children && { children, inFull: false };
}

/** Octavia's times have whole seconds; this much later than a change, no other can hide in the same second. */
const SURE_AFTER_MS = 2_000;

/** Whether another change could still hide behind this `updated_at` (design.md, "The sweep is cheap"). */
export function isSure(loadBalancer: WireResource, now: number): boolean {
  const { updated_at: updated, created_at: created } = loadBalancer;
  return now - Date.parse(`${typeof updated === 'string' ? updated : String(created)}Z`) >= SURE_AFTER_MS;
}

export function rememberRead(
  loadBalancer: WireResource,
  children: readonly ObservedResource[],
  cloud: Cloud,
  now: number,
): void {
  const { id, updated_at } = loadBalancer;
  if (typeof updated_at !== 'string' || !isSure(loadBalancer, now)) return;
  memoryOf(cloud).set(id, { how: 'read', updated_at, children });
}

export function rememberWritten(
  id: string,
  children: readonly ObservedResource[],
  cloud: Cloud,
  now: number,
): void {
  memoryOf(cloud).set(id, { how: 'written', atMs: now, children });
}

export function forget(id: string, cloud: Cloud): void {
  recollections.get(cloud)?.delete(id);
}

function memoryOf(cloud: Cloud): Map<string, Recollection> {
  const memory = recollections.get(cloud) ?? new Map<string, Recollection>();
  recollections.set(cloud, memory);
  return memory;
}
