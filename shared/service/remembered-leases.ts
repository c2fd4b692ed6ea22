import type { LeaseNames } from './leases.ts';
import type { Key } from '../model/request.ts';
import type { Kube } from '../ports.ts';

const rememberedLeases = new WeakMap<Pick<Kube, 'lease'>, Map<Key, LeaseNames>>();

/**
 * A run that ends while others use the load balancer, too, comes back for its turn: it takes the leases first and looks
 * then, once, so that those whose turn it is not cost no call to OpenStack.
 */
export function rememberLeases(unit: Key, names: LeaseNames, kube: Pick<Kube, 'lease'>): void {
  if (!names.areShared) return;
  const memory = rememberedLeases.get(kube) ?? new Map<Key, LeaseNames>();
  rememberedLeases.set(kube, memory);
  memory.set(unit, names);
}

/** Counts once: how it ends says whether there is another. */
export function takeRememberedLeases(unit: Key, kube: Pick<Kube, 'lease'>): LeaseNames | undefined {
  const names = rememberedLeases.get(kube)?.get(unit);
  rememberedLeases.get(kube)?.delete(unit);
  return names;
}
