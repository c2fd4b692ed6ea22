import type { Address } from '../../model/address.ts';
import type { ObservedResource } from '../../model/resources.ts';
import type { Observed } from './observed.ts';

/**
 * For how long each member with weight 0 has taken no new connection, in milliseconds: since it was last written, which
 * its own times say, in UTC and whole seconds. One that we wrote and have not read since has none (afterwards.ts): then
 * it is since the first of our writes.
 */
export function drainedForMs(
  { resources, expectedSinceMs }: Pick<Observed, 'resources' | 'expectedSinceMs'>,
  now: number,
): ReadonlyMap<Address, number> {
  const drained = resources.filter(({ kind, wire }) => kind === 'member' && wire['weight'] === 0);
  return new Map(
    drained.map(({ address, wire }) => [address, now - (writtenAt(wire) ?? expectedSinceMs ?? now)]),
  );
}

function writtenAt({
  updated_at: updated,
  created_at: created,
}: ObservedResource['wire']): number | undefined {
  const last = updated ?? created;
  return typeof last === 'string' ? Date.parse(`${last}Z`) : undefined;
}
