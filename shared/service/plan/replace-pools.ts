import { ATTRIBUTES, attributesOf } from '../../model/attributes.ts';
import { nextPortKey, type Address } from '../../model/address.ts';
import { replacesTag } from '../../model/ownership.ts';
import type { DesiredResource, ObservedResource, Attributes } from '../../model/resources.ts';
import { compare } from '../../plan/compare-and-plan.ts';
import { asListed, memberChanges } from './plan-children.ts';

type There = ReadonlyMap<Address, ObservedResource>;

/**
 * A new pool, with members and monitor, beside each pool that Octavia cannot change as desired (protocol, type of monitor, a member's subnet). The
 * steps: build it, switch the listener, delete the old pool. In the next runs the new pool is the one in use. With
 * `keepMembers`, a pool that may not be empty stays as it is.
 */
export function replacePools(
  desired: readonly DesiredResource[],
  there: There,
  keepMembers: boolean,
): readonly DesiredResource[] {
  const at = Map.groupBy(desired, placeIn);
  const portKeys = desired
    .filter(({ kind }) => kind === 'pool')
    .flatMap((pool) => placeToLeave(pool, at.get(placeIn(pool)) ?? [], there));
  const leaving = new Map(portKeys.map((one) => [one.portKey, one]));
  const isLeft = ({ mayBeEmpty }: Leaving): boolean => !keepMembers || mayBeEmpty;
  const along = desired.flatMap((resource) => {
    const found = leaving.get(placeIn(resource));
    if (!found) return resource;
    return isLeft(found) ? inNextPool(resource, found, there) : stayingPool(resource, there);
  });
  const wanted = new Set(along.map(({ address }) => address));
  const others = portKeys.filter(isLeft).flatMap((found) => membersOfOthers(found, there));
  return [...along, ...others.filter(({ address }) => !wanted.has(address))];
}

interface Leaving extends PoolReplacement {
  readonly portKey: string;
  readonly mayBeEmpty: boolean;
}

/** The members of the old pool that are not levelset's, as members of the new pool. */
function membersOfOthers(found: Leaving, there: There): readonly DesiredResource[] {
  return [...there.values()]
    .filter(
      ({ kind, parent, whose }) =>
        kind === 'member' && parent === `pool/${found.portKey}` && whose === 'foreign',
    )
    .map((observed) => {
      const { kind, address, parent = '' } = observed;
      return inNextPool({ kind, address, parent, attributes: presentOf(observed) }, found, there);
    });
}

function placeToLeave(
  { address: pool, mayBeEmpty }: DesiredResource,
  all: readonly DesiredResource[],
  there: There,
): readonly Leaving[] {
  const portKey = pool.slice('pool/'.length);
  const changes = changesOf(all, there);
  if (changes.length === 0) return [];
  const because = `${changes.join(', ')}: the new pool is built beside the old one`;
  const old = there.get(pool);
  const replaces = old?.whose === 'adoptable' ? { replaces: old.id } : {};
  const leaving = { portKey, because, mayBeEmpty: mayBeEmpty === true, ...replaces };
  // a new pool that was begun for an earlier intent is skipped, and deleted with the old one
  let next = nextPortKey(portKey);
  const isBegunOtherwise = (): boolean =>
    changesOf(
      all.map((resource) => inNextPool(resource, { ...leaving, next }, there)),
      there,
    ).length > 0;
  while (isBegunOtherwise()) next = nextPortKey(next);
  return [{ ...leaving, next }];
}

function changesOf(resources: readonly DesiredResource[], there: There): readonly string[] {
  const changes = resources.flatMap((wanted) => {
    const observed = there.get(wanted.address);
    const found =
      observed && observed.whose !== 'foreign'
        ? (compare(wanted, observed, there).get('new-pool') ?? [])
        : [];
    return found.map(
      ({ attribute, from, to }) => `${wanted.kind} ${attribute} ${String(from)} -> ${String(to)}`,
    );
  });
  return [...new Set(changes)];
}

/** The port key of a listener, a pool or what is in it. Other resources have an address of their own. */
function placeIn({ address, parent }: DesiredResource): string {
  return (parent?.startsWith('pool/') ? parent : address).replace(/^(listener|pool)\//, '');
}

/** Attributes that a listener takes with any protocol. The other attributes wait for the new protocol. */
const OF_ANY_PROTOCOL = ['admin_state_up', 'allowed_cidrs', 'connection_limit'];

/** Without an eligible node the new pool would be empty: the old pool stays, and the listener keeps the protocol that fits it. */
function stayingPool(resource: DesiredResource, there: There): readonly DesiredResource[] {
  const observed = there.get(resource.address);
  if (!observed) return [];
  const named = Object.keys(ATTRIBUTES[resource.kind]).filter((attribute) => attribute in observed.wire);
  const asObserved = Object.fromEntries(named.map((attribute) => [attribute, observed.wire[attribute]]));
  const { protocol } = resource.attributes as { readonly protocol?: string };
  if (resource.kind !== 'listener') return [{ ...resource, attributes: asObserved }];
  if (protocol === observed.wire['protocol']) return [resource];
  const free = Object.entries(resource.attributes).filter(([name]) => OF_ANY_PROTOCOL.includes(name));
  return [{ ...resource, attributes: { ...asObserved, ...Object.fromEntries(free) } }];
}

interface PoolReplacement {
  readonly next: string;
  readonly because: string;
  /** The id of the adopted pool that the new pool replaces; the new pool notes it in a tag (model/ownership.ts). */
  readonly replaces?: string;
}

/** A member keeps what nobody asks for, such as a person's weight, and the present value of what waits for approval. */
function inNextPool(resource: DesiredResource, replacement: PoolReplacement, there: There): DesiredResource {
  const { next, because, replaces } = replacement;
  const ref = { $ref: `pool/${next}.id` } as const;
  if (resource.kind === 'listener')
    return { ...resource, attributes: { ...resource.attributes, default_pool_id: ref } };
  const { ifPresent: stays, ...kept } = resource;
  const observed = there.get(resource.address);
  const attributes = !observed
    ? resource.attributes
    : stays
      ? presentOf(observed)
      : carried(resource, observed, there);
  switch (resource.kind) {
    case 'pool': {
      const { tags = [] } = attributes as { readonly tags?: readonly string[] };
      const marked = replaces === undefined ? tags : [...tags, replacesTag(replaces)];
      return { ...kept, address: `pool/${next}`, because, attributes: { ...attributes, tags: marked } };
    }
    case 'healthmonitor':
      return {
        ...kept,
        address: `monitor/${next}`,
        parent: `pool/${next}`,
        attributes: { ...attributes, pool_id: ref },
      };
    default:
      return {
        ...kept,
        address: `member/${next}/${resource.address.split('/').at(-1) ?? ''}`,
        parent: `pool/${next}`,
        attributes,
      };
  }
}

/** Monitors of other types lose the attributes of an HTTP check: Octavia shows but refuses them. */
export function presentOf({ kind, wire }: ObservedResource): Attributes {
  const names = [...Object.keys(ATTRIBUTES[kind]), ...(kind === 'member' ? ['monitor_address'] : [])];
  const isHttp = wire['type'] === 'HTTP' || wire['type'] === 'HTTPS';
  const isMeant = (name: string): boolean => isHttp || attributesOf(kind)[name]?.needs !== 'http-check';
  const present = names.filter(isMeant).map((name) => [name, wire[name]] as const);
  return Object.fromEntries(present.filter(([, value]) => value !== undefined && value !== null));
}

function carried(desired: DesiredResource, observed: ObservedResource, there: There): Attributes {
  if (desired.kind === 'member') return carriedMember(desired, observed, there);
  const isSent = ([name, value]: readonly [string, unknown]): boolean =>
    value !== null || name === 'session_persistence';
  return Object.fromEntries(Object.entries(desired.attributes as Attributes).filter(isSent));
}

function carriedMember(desired: DesiredResource, observed: ObservedResource, there: There): Attributes {
  const changes = memberChanges(desired, observed, there);
  const { subnet_id } = desired.attributes as { readonly subnet_id?: string };
  const isAsked = subnet_id !== undefined && desired.unasked?.includes('subnet_id') !== true;
  return { ...asListed(desired, observed, changes).attributes, ...(isAsked ? { subnet_id } : {}) };
}
