import { CONTROLLER } from '../../../model/load-balancer/other-controllers.ts';
import type { Change } from '../../../model/plan.ts';
import type {
  DesiredResource,
  ObservedResource,
  Attributes,
  ResourceKind,
} from '../../../model/resources.ts';
import { compare, isRef } from '../../../plan/compare.ts';
import {
  asObserved,
  freeOf,
  gatedChanges,
  isAwaitingApproval,
  gateAttributes,
  withOurTags,
} from './gate-attributes.ts';
import type { Adopted } from './gate-attributes.ts';
import type { Address } from '../../../model/address.ts';

/** Attributes that do not depend on the listener's protocol. The others wait together with the protocol. */
const OF_ANY = ['allowed_cidrs', 'connection_limit', 'default_pool_id'];

/** Keeps the listener and the pool of one port of an adopted load balancer, until their changes are approved. */
export function gatePort(
  place: string,
  desired: readonly DesiredResource[],
  adopted: Adopted,
): readonly DesiredResource[] {
  const listener = adopted.wanted.get(`listener/${place}`);
  const pool = adopted.wanted.get(`pool/${place}`);
  const present = listener && adopted.there.get(listener.address);
  const switchesPool = listener && present && protocolChanges(listener, present, adopted).length > 0;
  const waiting = switchesPool
    ? gateProtocol(listener, present, pool, adopted)
    : [listener, pool].flatMap((one) => (one ? [gateAttributes(one, adopted)] : []));
  const replaced = new Map(waiting.map((one) => [one.address, one]));
  return desired.map((one) => replaced.get(one.address) ?? one);
}

/**
 * Keeps the protocol of a listener until its change is approved, since no other controller changed a protocol. The pool
 * must fit the listener, so one approval covers both.
 */
function gateProtocol(
  listener: DesiredResource,
  present: ObservedResource,
  pool: DesiredResource | undefined,
  adopted: Adopted,
): readonly DesiredResource[] {
  const desired = withOurTags(listener, adopted);
  const free = freeOf('listener', adopted).filter((name) => OF_ANY.includes(name));
  const changes = gatedChanges(desired, present, adopted, free);
  const oldPool = pool && adopted.there.get(pool.address);
  const follows = pool && oldPool ? protocolChanges(pool, oldPool, adopted) : [];
  const ofPool = follows.map((change) => ({ ...change, attribute: `${change.attribute} of the pool` }));
  const waiting = isAwaitingApproval(desired, [...changes, ...ofPool], adopted);
  const fitting = waiting && pool && oldPool ? asObserved(pool, oldPool, follows) : pool;
  return [
    waiting ? asObserved(desired, present, changes) : desired,
    ...(fitting ? [gateAttributes(fitting, adopted, [...freeOf('pool', adopted), 'protocol'])] : []),
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

/**
 * Kinds that other controllers made, too. Other gates keep them, but security groups, rules and ports need no approval.
 */
const KNOWN: readonly ResourceKind[] = [
  'loadbalancer',
  'listener',
  'pool',
  'member',
  'healthmonitor',
  'floatingip',
  'securitygroup',
  'securitygrouprule',
  'port',
];

/** Attributes that every resource has, so an approval does not show them. */
const UNREPORTED = ['name', 'tags', 'admin_state_up'];

/**
 * Leaves out resources of other kinds on an adopted listener, such as the policy of a redirect with its rules, until
 * they are approved or exist.
 */
export function gateNew(
  places: readonly string[],
  desired: readonly DesiredResource[],
  { dialect, gate, there }: Adopted,
): readonly DesiredResource[] {
  const adopted = new Set(places.map((place) => `listener/${place}`));
  const waiting = new Set<Address>();
  for (const { kind, address, parent = '', attributes } of desired) {
    const isNew = !KNOWN.includes(kind) && !there.has(address) && adopted.has(parent);
    if (!isNew) continue;
    const changes = Object.entries(attributes as Attributes)
      .filter(([attribute, to]) => !UNREPORTED.includes(attribute) && !isRef(to))
      .map(([attribute, to]) => ({ attribute, from: null, to }));
    const reason = `${CONTROLLER[dialect]} never made such a resource`;
    if (!gate.allows({ verb: 'create', kind, address, changes, reason })) waiting.add(address);
  }
  return desired.filter(({ address, parent = '' }) => !waiting.has(address) && !waiting.has(parent));
}
