import { ATTRIBUTES, attributeRule } from '../../model/attributes.ts';
import type { Address } from '../../model/address.ts';
import { recordedIn, replacesTag } from '../../model/ownership.ts';
import type { Attributes, DesiredResource, ObservedResource } from '../../model/resources.ts';
import { compare } from '../../plan/compare.ts';
import { asListed } from './listed-member.ts';

type There = ReadonlyMap<Address, ObservedResource>;

/** Where a port's pool goes, and why. */
export interface Move {
  readonly next: string;
  readonly because: string;
  /** The id of an adopted pool whose place it takes (model/address.ts). */
  readonly replaces?: string;
}

/**
 * One resource of a port in, or with, the pool that is built up beside the one in use. What nobody asks for is as it was in
 * that one, such as a weight that a person gave, or what waits for approval.
 */
export function inNextPool(resource: DesiredResource, move: Move, there: There): DesiredResource {
  const { next, because, replaces } = move;
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

/** Of a check over HTTP. Octavia shows them on others too, and takes them there from nobody. */
const OF_HTTP = ['http_method', 'http_version', 'domain_name', 'url_path', 'expected_codes'];

/** All of its attributes that have a value. */
export function presentOf({ kind, wire }: ObservedResource): Attributes {
  const names = [...Object.keys(ATTRIBUTES[kind]), ...(kind === 'member' ? ['monitor_address'] : [])];
  const isMeant = (name: string): boolean =>
    !OF_HTTP.includes(name) || wire['type'] === 'HTTP' || wire['type'] === 'HTTPS';
  const present = names.filter(isMeant).map((name) => [name, wire[name]] as const);
  return Object.fromEntries(present.filter(([, value]) => value !== undefined && value !== null));
}

function carried(desired: DesiredResource, observed: ObservedResource, there: There): Attributes {
  if (desired.kind === 'member') return carriedMember(desired, observed, there);
  const present = presentOf(observed);
  const recorded = recordedIn(observed.wire['tags']);
  const isUnasked = (name: string): boolean =>
    attributeRule(desired.kind, name).change === 'in-place' &&
    name !== 'tags' &&
    !(name in desired.attributes) &&
    !recorded.includes(name);
  const unasked = Object.entries(present).filter(([name, value]) => value !== false && isUnasked(name));
  const attributes = Object.entries(desired.attributes as Attributes).filter(
    ([name, value]) => value !== null || name === 'session_persistence',
  );
  return {
    ...Object.fromEntries(attributes),
    ...(isAlike(desired, present) ? Object.fromEntries(unasked) : {}),
  };
}

function carriedMember(desired: DesiredResource, observed: ObservedResource, there: There): Attributes {
  const changes = compare(desired, observed, there).get('in-place') ?? [];
  const { subnet_id } = desired.attributes as { readonly subnet_id?: string };
  const isAsked = subnet_id !== undefined && desired.unasked?.includes('subnet_id') !== true;
  return { ...asListed(desired, observed, changes).attributes, ...(isAsked ? { subnet_id } : {}) };
}

/** With another protocol, or as another type of check, it may not take what it had. */
function isAlike({ attributes }: DesiredResource, present: Attributes): boolean {
  const { protocol, type } = attributes as { readonly protocol?: string; readonly type?: string };
  return protocol === present['protocol'] && type === present['type'];
}
