import { CONTROLLER } from '../../../model/load-balancer/other-controllers.ts';
import type { Address } from '../../../model/address.ts';
import type { DesiredResource, ObservedResource } from '../../../model/resources.ts';
import type { Adopted } from './gate-input.ts';

/** Whether the members of this pool are Pods. */
export function isOfPods(pool: Address, wanted: ReadonlyMap<Address, DesiredResource>): boolean {
  return wanted.get(pool)?.mayBeEmpty === true;
}

/**
 * A port without a node port: the old controller gave its pool no members at all, and who put some there is not known. So
 * there is one approval for the pool, for as long as it stands on the Service: whatever is in it, it has its Pods and
 * nothing else, as they come and go.
 */
export function arePodsApproved(
  pool: Address,
  asked: readonly DesiredResource[],
  present: readonly ObservedResource[],
  { dialect, gate }: Pick<Adopted, 'dialect' | 'gate'>,
): boolean {
  if (asked.length + present.length === 0) return true;
  const reason = `${CONTROLLER[dialect]} sent nothing to Pods themselves`;
  const changes = [{ attribute: 'members', from: 'as they are', to: 'the Pods of the Service' }];
  return gate.allows({ verb: 'update', kind: 'pool', address: pool, changes, reason });
}
