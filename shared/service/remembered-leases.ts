import type { Key } from '../model/request.ts';
import type { LeaseNames } from '../model/unit.ts';
import type { World } from '../ports.ts';

/**
 * A run that ends while others use the load balancer, too, comes back for its turn: it takes the leases first and looks
 * then, once, so that those whose turn it is not cost no call to OpenStack.
 */
export function rememberLeases(unit: Key, names: LeaseNames, { memory }: Pick<World, 'memory'>): void {
  if (names.areShared) memory.leases.set(unit, names);
}

/** Counts once: how it ends says whether there is another. */
export function takeRememberedLeases(unit: Key, { memory }: Pick<World, 'memory'>): LeaseNames | undefined {
  const names = memory.leases.get(unit);
  memory.leases.delete(unit);
  return names;
}
