import type { Address } from '../model/address.ts';
import type { ObservedResource } from '../model/resources.ts';
import type { Observed } from './observed.ts';

/**
 * For how long each member with weight 0 has taken no new connection, in milliseconds: since it was last written, which
 * its own times say, in UTC and whole seconds. What is only expected after our own writes still has the times from before
 * them: then it is since the first of these.
 */
export function drainedForMs(
  { resources, expectedSinceMs }: Pick<Observed, 'resources' | 'expectedSinceMs'>,
  now: number,
): ReadonlyMap<Address, number> {
  const most = expectedSinceMs === undefined ? Infinity : now - expectedSinceMs;
  const drained = resources.filter(({ kind, wire }) => kind === 'member' && wire['weight'] === 0);
  return new Map(drained.map(({ address, wire }) => [address, Math.min(most, now - writtenAt(wire))]));
}

function writtenAt({ updated_at: updated, created_at: created }: ObservedResource['wire']): number {
  return Date.parse(`${typeof updated === 'string' ? updated : String(created)}Z`);
}
