import { CONTROLLER } from '../../../model/load-balancer/other-controllers.ts';
import type { Address } from '../../../model/address.ts';
import type { DesiredResource, ObservedResource } from '../../../model/resources.ts';
import type { Adopted } from './gate-input.ts';

export type SubnetOfMembers = 'as it is' | 'held' | 'approved';

/**
 * Members that are reached in another subnet than the one that is asked for: no controller before us moved any. One
 * approval for the pool, since it is a new one that they move to; with it each node is at its address in that subnet.
 */
export function gateMemberSubnet(
  pool: Address,
  desired: readonly DesiredResource[],
  present: readonly ObservedResource[],
  { dialect, gate }: Adopted,
): SubnetOfMembers {
  const moves = desired.flatMap((one) => {
    const { subnet_id: to } = one.attributes as { readonly subnet_id?: string };
    const observed = present.find(({ address }) => address === one.address);
    const from = observed?.wire['subnet_id'] ?? null;
    return !observed || to === undefined || one.unasked?.includes('subnet_id') || from === to
      ? []
      : [{ from, to }];
  });
  const [first] = moves;
  if (!first) return 'as it is';
  const reason = `${CONTROLLER[dialect]} left members in the subnet that they were made with`;
  const from = [...new Set(moves.map((move) => move.from))].sort();
  const changes = [{ attribute: 'subnet_id of the members', from, to: first.to }];
  return gate.allows({ verb: 'update', kind: 'pool', address: pool, changes, reason }) ? 'approved' : 'held';
}
