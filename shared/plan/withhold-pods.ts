import { CONTROLLER } from '../model/habits.ts';
import type { Address, DesiredResource, ObservedResource } from '../model/resources.ts';
import type { Adopted } from './withhold.ts';

/**
 * A port without a node port: the old controller gave its pool no members at all. One approval for the pool, and for good:
 * which Pods it has changes all the time, and a pool with members beside the nodes has been approved. True: its members
 * wait, and those that are there stay.
 */
export function withholdsPods(
  pool: Address,
  asked: readonly DesiredResource[],
  present: readonly ObservedResource[],
  { dialect, gate, nodes }: Pick<Adopted, 'dialect' | 'gate' | 'nodes'>,
): boolean {
  if (asked.length + present.length === 0) return false;
  const addresses = new Set([...nodes.values()].flat());
  if (present.some(({ wire }) => !addresses.has(String(wire['address'])))) return false;
  const reason = `${CONTROLLER[dialect]} sent nothing to Pods themselves`;
  const from = present.map(({ address }) => address.split('/').at(-1)).sort();
  const changes = [{ attribute: 'members', from, to: 'Pods' }];
  return !gate.allows({ verb: 'update', kind: 'pool', address: pool, changes, reason });
}

/** Whether the members of this pool are Pods. */
export function isOfPods(pool: Address, wanted: ReadonlyMap<Address, DesiredResource>): boolean {
  return wanted.get(pool)?.mayBeEmpty === true;
}
