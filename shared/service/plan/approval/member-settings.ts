import { CONTROLLER } from '../../../model/load-balancer/other-controllers.ts';
import type { Address } from '../../../model/address.ts';
import type { DesiredResource, ObservedResource } from '../../../model/resources.ts';
import { asObserved, gatedChanges, isHeld } from './attributes.ts';
import type { Adopted } from './gate-input.ts';
import type { SubnetOfMembers } from './member-subnet.ts';

/**
 * Every node got traffic, wherever the Pods were. One approval for the pool, and for good: which nodes it are changes with
 * the Pods, and a pool that has backups has been approved.
 */
export function gateBackups(
  parent: Address,
  desired: readonly DesiredResource[],
  present: readonly ObservedResource[],
  { dialect, gate }: Adopted,
): readonly DesiredResource[] {
  const isBackup = (one: DesiredResource): boolean =>
    one.kind === 'member' && one.parent === parent && 'backup' in one.attributes && one.attributes.backup;
  const begun = present.length === 0 || present.some(({ wire }) => wire['backup'] === true);
  if (begun || !desired.some(isBackup)) return desired;
  const reason = `${CONTROLLER[dialect]} sent traffic to every node`;
  const changes = [{ attribute: 'backup', from: false, to: 'true for nodes without a ready Pod' }];
  if (gate.allows({ verb: 'update', kind: 'pool', address: parent, changes, reason })) return desired;
  return desired.map((one) =>
    isBackup(one) ? { ...one, attributes: { ...one.attributes, backup: false } } : one,
  );
}

/** Backups and subnets have their approval already, and the port of the check goes with its monitor. */
const ELSEWHERE = ['backup', 'monitor_port', 'subnet_id'];

/** What else a person may have set on a member, such as one taken out of service. */
export function gateMemberSettings(
  wanted: DesiredResource,
  present: readonly ObservedResource[],
  subnet: SubnetOfMembers,
  adopted: Adopted,
): DesiredResource {
  const observed = present.find(({ address }) => address === wanted.address);
  const desired = subnet === 'held' ? { ...wanted, unasked: ['subnet_id'] } : wanted;
  const changes = observed ? gatedChanges(desired, observed, adopted, ELSEWHERE) : [];
  return observed && isHeld(desired, changes, adopted) ? asObserved(desired, observed, changes) : desired;
}
