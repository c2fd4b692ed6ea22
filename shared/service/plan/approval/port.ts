import { behaviourOf } from '../../../model/load-balancer/other-controllers.ts';
import type { Change } from '../../../model/plan.ts';
import type { DesiredResource, ObservedResource } from '../../../model/resources.ts';
import { compare } from '../../../plan/compare.ts';
import { asObserved, gatedChanges, isHeld, gateAttributes, withOurTags } from './attributes.ts';
import type { Adopted } from './gate-input.ts';

/** What can change whatever a listener speaks. The rest depends on the protocol, and waits with it. */
const OF_ANY = ['allowed_cidrs', 'connection_limit', 'default_pool_id'];

/** Listener and pool of one port of an adopted load balancer. */
export function gatePort(
  place: string,
  desired: readonly DesiredResource[],
  adopted: Adopted,
): readonly DesiredResource[] {
  const listener = adopted.wanted.get(`listener/${place}`);
  const pool = adopted.wanted.get(`pool/${place}`);
  const present = listener && adopted.there.get(listener.address);
  const switchesPool = listener && present && protocolChanges(listener, present, adopted).length > 0;
  const held = switchesPool
    ? gateProtocol(listener, present, pool, adopted)
    : [listener, pool].flatMap((one) => (one ? [gateAttributes(one, adopted)] : []));
  const replaced = new Map(held.map((one) => [one.address, one]));
  return desired.map((one) => replaced.get(one.address) ?? one);
}

/** No controller before us turned a listener to another protocol. Its pool must fit, so both are one approval. */
function gateProtocol(
  listener: DesiredResource,
  present: ObservedResource,
  pool: DesiredResource | undefined,
  adopted: Adopted,
): readonly DesiredResource[] {
  const desired = withOurTags(listener, adopted);
  const free = behaviourOf(adopted.dialect, 'listener').filter((name) => OF_ANY.includes(name));
  const changes = gatedChanges(desired, present, adopted, free);
  const oldPool = pool && adopted.there.get(pool.address);
  const follows = pool && oldPool ? protocolChanges(pool, oldPool, adopted) : [];
  const ofPool = follows.map((change) => ({ ...change, attribute: `${change.attribute} of the pool` }));
  const held = isHeld(desired, [...changes, ...ofPool], adopted);
  const fitting = held && pool && oldPool ? asObserved(pool, oldPool, follows) : pool;
  return [
    held ? asObserved(desired, present, changes) : desired,
    ...(fitting
      ? [gateAttributes(fitting, adopted, [...behaviourOf(adopted.dialect, 'pool'), 'protocol'])]
      : []),
  ];
}

function protocolChanges(
  desired: DesiredResource,
  observed: ObservedResource,
  { there }: Adopted,
): readonly Change[] {
  const differences = [...compare(desired, observed, there).values()].flat();
  return differences.filter(({ attribute }) => attribute === 'protocol');
}
