import { isChildInError, isOutsideOctavia, howToFree } from '../../model/load-balancer/octavia.ts';
import type { Address } from '../../model/address.ts';
import type { Change, Problem } from '../../model/plan.ts';
import type { DesiredResource, ObservedResource } from '../../model/resources.ts';

/** Children in ERROR that were written a moment ago, by their ids. */
export type WrittenInError = ReadonlySet<string>;

/** A write of what it has makes Octavia configure a child in ERROR anew. None for a child that works or rests. */
export function mendingChanges(child: ObservedResource, writtenInError: WrittenInError): readonly Change[] {
  if (!isChildInError(child) || writtenInError.has(child.id)) return [];
  const value = child.wire['admin_state_up'] ?? true;
  return [{ attribute: 'admin_state_up', from: value, to: value }];
}

/** The children of ours that Octavia left in PENDING although their load balancer is free, as the provider ovn may. */
export function stuckProblems(observed: readonly ObservedResource[], anHourAgo: string): readonly Problem[] {
  return observed.flatMap(({ kind, address, id, whose, wire }) => {
    const isChild = whose !== 'foreign' && kind !== 'loadbalancer' && !isOutsideOctavia(kind);
    const message = isChild ? howToFree(kind, wire, anHourAgo) : undefined;
    return message === undefined
      ? []
      : { field: address, value: id, message, code: 'LOAD_BALANCER_STUCK' as const };
  });
}

export function errorProblems(
  observed: readonly ObservedResource[],
  desired: readonly DesiredResource[],
  writtenInError: WrittenInError,
): readonly Problem[] {
  const wanted = new Set<Address>(desired.map(({ address }) => address));
  const failed = observed.filter((child) => isChildInError(child) && writtenInError.has(child.id));
  return failed
    .filter(({ address }) => wanted.has(address))
    .map(({ address, id }) => ({
      field: address,
      value: id,
      message: 'is in ERROR: Octavia could not configure it; levelset writes it again, at most once a minute',
      code: 'LOAD_BALANCER_ERROR' as const,
    }));
}
