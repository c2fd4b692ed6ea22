/** One resource: what differs by the rules of its attributes, and the steps or the refusal that follow. */
import { withoutOurTags, mergeTags, recordedIn, isUserTag } from '../model/ownership.ts';
import type { DeleteStep, Refusal, Step, Change } from '../model/plan.ts';
import { type Address, isRef, type Ref } from '../model/address.ts';
import type { DesiredResource, ObservedResource, ResourceKind, Attributes } from '../model/resources.ts';
import { attributeRule, hasUnset, equalAttribute } from '../model/attributes.ts';
import type { AttributeRule, ChangeRule } from '../model/attributes/attribute-row.ts';
import { printable } from '../model/text/text.ts';

export function remove({ kind, address, id }: ObservedResource, because: string): DeleteStep {
  return { verb: 'delete', kind, address, id, because };
}

/** Adds the steps, or the refusal, that bring one resource to what is desired. */
export function planOne(
  desired: DesiredResource,
  there: ReadonlyMap<Address, ObservedResource>,
  steps: Step[],
  refused: Refusal[],
): void {
  const { kind, address, alternatives = [] } = desired;
  const observed = there.get(address);
  const create: Step = {
    verb: 'create',
    kind,
    address,
    attributes: desired.attributes,
    ...becauseOf(desired),
    ...(alternatives.length > 0 ? { alternatives } : {}),
  };
  if (!observed) {
    if (!desired.ifPresent) steps.push(create);
    return;
  }
  if (observed.whose === 'foreign' && observed.parent !== undefined) {
    refused.push({ address, kind, changes: [], reason: "a resource in its place is not levelset's" });
    return;
  }
  const differences = compare(desired, observed, there);
  const changes = differences.get('in-place');
  const update = { verb: 'update', kind, address, id: observed.id } as const;
  const again = differences.get('recreate');
  const before = changes && writtenBefore(kind, changes, again !== undefined);
  if (before) steps.push({ ...update, changes: before.first, because: before.because });
  if (again) {
    const because = again
      .map(({ attribute, from, to }) => `${attribute} ${String(from)} -> ${String(to)}`)
      .join(', ');
    const gap = kind === 'listener' ? ': this port does not answer for about 2 s' : '';
    steps.push({ ...remove(observed, because + gap), anew: true }, { ...create, because });
    return;
  }
  const rest = changes?.filter((change) => !before?.first.includes(change)) ?? [];
  if (rest.length > 0) steps.push({ ...update, changes: rest, ...becauseOf(desired) });
  const no = differences.get('refuse');
  if (no) refused.push({ address, kind, changes: no, reason: 'the change would take the address away' });
}

function becauseOf({ because }: DesiredResource): Pick<Step, 'because'> {
  return because === undefined ? {} : { because };
}

/** Deletes a floating IP that levelset made. One that it only used loses levelset's tags, and is detached unless it stays. */
export function giveBack(observed: ObservedResource, because: string, stays: boolean): Step {
  const { kind, address, id, wire } = observed;
  if (observed.whose === 'ours') return remove(observed, because);
  const tags = wire['tags'] as readonly string[];
  return {
    verb: 'update',
    kind,
    address,
    id,
    because: `${because}; levelset did not create it, so it stays`,
    changes: [
      ...(stays ? [] : [{ attribute: 'port_id', from: wire['port_id'], to: null }]),
      { attribute: 'tags', from: tags, to: withoutOurTags(tags) },
    ],
  };
}

interface Before {
  readonly first: readonly Change[];
  readonly because: string;
}

/** The oldest version of HTTP with which Octavia accepts a host name. */
const HOST_VERSION = 1.1;

/** The changes of one resource that must be written first. Undefined: one call writes all of them. */
function writtenBefore(
  kind: ResourceKind,
  changes: readonly Change[],
  madeAgain: boolean,
): Before | undefined {
  if (kind === 'healthmonitor') return hostBefore(changes);
  return kind === 'listener' ? closedBefore(changes, madeAgain) : undefined;
}

/**
 * A listener waits for its new pool, but a change that shuts clients out must not wait. With another protocol only
 * source ranges are written first.
 */
function closedBefore(changes: readonly Change[], madeAgain: boolean): Before | undefined {
  const switchesPool = changes.some(({ attribute }) => attribute === 'default_pool_id');
  const first = changes.filter((change) =>
    madeAgain ? change.attribute === 'allowed_cidrs' : change.attribute !== 'default_pool_id',
  );
  if (!(switchesPool || madeAgain) || !first.some(closes)) return undefined;
  return { first, because: 'a change that shuts clients out does not wait for the new pool' };
}

/** Octavia checks a new HTTP version against the present host name, even if the same PUT removes the host name. */
function hostBefore(changes: readonly Change[]): Before | undefined {
  const goes = changes.some(({ attribute, to }) => attribute === 'domain_name' && to === null);
  const older = ({ attribute, to }: Change): boolean =>
    attribute === 'http_version' && typeof to === 'number' && to < HOST_VERSION;
  if (!goes || !changes.some(older)) return undefined;
  const first = changes.filter((change) => !older(change));
  return { first, because: 'Octavia takes the older HTTP version only without a host name' };
}

/** Whether the change of a listener, or of security groups on the VIP, shuts out clients that had access before. */
export function closes({ attribute, from, to }: Change): boolean {
  if (attribute === 'vip_sg_ids') return isSome(to);
  if (attribute === 'client_authentication') return to !== 'NONE' && to !== null;
  if (attribute !== 'allowed_cidrs' || !isSome(to)) return false;
  return !isSome(from) || from.some((cidr) => !to.includes(cidr));
}

/** Null and an empty list give access to everybody. */
function isSome(cidrs: unknown): cidrs is readonly unknown[] {
  return Array.isArray(cidrs) && cidrs.length > 0;
}

/** What differs, by change rule, but for what counts only at creation or nobody asked for. */
export function compare(
  desired: DesiredResource,
  observed: ObservedResource,
  ids: ReadonlyMap<string, ObservedResource>,
): ReadonlyMap<ChangeRule, readonly Change[]> {
  const differences = new Map<ChangeRule, Change[]>();
  const add = (rule: AttributeRule, change: Change): void => {
    differences.set(rule.change, [...(differences.get(rule.change) ?? []), change]);
  };
  for (const [attribute, desiredValue] of Object.entries(desired.attributes)) {
    const rule = attributeRule(desired.kind, attribute);
    if (rule.change === 'at-create' || desired.unasked?.includes(attribute)) continue;
    const from = observed.wire[attribute];
    const wanted = bind(desiredValue, ids);
    if (equalAttribute(rule, wanted, from)) continue;
    if (rule.compare === 'entries') {
      add(rule, { attribute, ...differingEntries(wanted, from) });
      continue;
    }
    add(rule, {
      attribute,
      from,
      to: isOfTags(rule) ? mergeTags(asTags(from), tagsToWrite(rule, wanted)) : wanted,
    });
  }
  const givenBack = noLongerAsked(desired, observed);
  for (const attribute of givenBack) {
    const rule = attributeRule(desired.kind, attribute);
    add(rule, { attribute, from: observed.wire[attribute], to: rule.unset ?? null });
  }
  if (givenBack.length > 0 && !('tags' in desired.attributes)) {
    const from = asTags(observed.wire['tags']);
    add(attributeRule(desired.kind, 'tags'), { attribute: 'tags', from, to: mergeTags(from, []) });
  }
  return differences;
}

/** The keys that differ. Other keys of the object belong to others, so the plan does not show them. */
function differingEntries(wanted: unknown, from: unknown): Pick<Change, 'from' | 'to'> {
  const there = (from ?? {}) as Attributes;
  const keys = Object.entries((wanted ?? {}) as Attributes).filter(
    ([key, value]) => (there[key] ?? null) !== value,
  );
  return {
    from: Object.fromEntries(keys.map(([key]) => [key, there[key] ?? null])),
    to: Object.fromEntries(keys),
  };
}

/** A Service that joins a load balancer keeps the record of its owner. */
function noLongerAsked({ kind, attributes }: DesiredResource, observed: ObservedResource): readonly string[] {
  const recorded = recordedIn(observed.wire['tags']);
  const kept = recordedIn((attributes as Attributes)['tags']);
  return recorded.filter(
    (attribute) => !(attribute in attributes) && !kept.includes(attribute) && hasUnset(kind, attribute),
  );
}

function isOfTags({ compare }: AttributeRule): boolean {
  return compare === 'tags' || compare === 'set-record';
}

/** A pool of another controller gets the record of what levelset set on it, but not the tags of our own pools. */
function tagsToWrite(rule: AttributeRule, wanted: unknown): readonly string[] {
  const tags = asTags(wanted);
  return rule.compare === 'set-record'
    ? tags.filter((tag) => recordedIn([tag]).length > 0 || isUserTag(tag, tags))
    : tags;
}

function asTags(value: unknown): readonly string[] {
  return (value ?? []) as readonly string[];
}

function splitRef(ref: Ref): readonly [address: string, attribute: string] {
  const at = ref.$ref.lastIndexOf('.');
  return [ref.$ref.slice(0, at), ref.$ref.slice(at + 1)];
}

/** The value behind a reference; the reference itself while the resource that it names does not exist. */
function bind(value: unknown, ids: ReadonlyMap<string, ObservedResource>): unknown {
  if (Array.isArray(value)) return value.map((one) => bind(one, ids));
  if (!isRef(value)) return value;
  const [address, attribute] = splitRef(value);
  return ids.get(address)?.wire[attribute] ?? value;
}

export interface ComparedAttribute {
  readonly attribute: string;
  readonly desired: string;
  readonly live?: string;
  readonly differs: boolean;
}

export interface ComparedResource {
  readonly address: string;
  readonly id?: string;
  readonly state: 'same' | 'differs' | 'missing' | 'live only';
  readonly attributes: readonly ComparedAttribute[];
}

/** Everything that is desired beside what is there, as people read it: a plan shows only what differs. */
export function compareAll(
  desired: readonly DesiredResource[],
  observed: readonly ObservedResource[],
): readonly ComparedResource[] {
  const there = new Map<string, ObservedResource>(observed.map((one) => [one.address, one]));
  const wanted = new Set<string>(desired.map(({ address }) => address));
  return [
    ...desired
      .filter(({ address, ifPresent }) => ifPresent === undefined || there.has(address))
      .map((one) => compared(one, there)),
    ...observed
      .filter(({ address, whose }) => whose !== 'foreign' && !wanted.has(address))
      .map(({ address, id }) => ({ address, id, state: 'live only' as const, attributes: [] })),
  ];
}

function compared(desired: DesiredResource, there: ReadonlyMap<string, ObservedResource>): ComparedResource {
  const { address, kind } = desired;
  const live = there.get(address);
  const changes = live ? [...compare(desired, live, there).values()].flat() : [];
  const differing = new Set(changes.map(({ attribute }) => attribute));
  const attributes = Object.entries(desired.attributes as Attributes).flatMap(([attribute, value]) => {
    const isSetOnce = live !== undefined && attributeRule(kind, attribute).change === 'at-create';
    if (isSetOnce && isRef(value)) return []; // its parent, which the wire names in another way
    return {
      attribute: isSetOnce ? `${attribute} (set once)` : attribute,
      desired: textOf(bind(value, there)),
      ...(live && { live: textOf(live.wire[attribute]) }),
      differs: differing.has(attribute),
    };
  });
  const givenBack = changes
    .filter(({ attribute }) => !(attribute in desired.attributes))
    .map(({ attribute, from, to }) => ({
      ...{ attribute, desired: textOf(to), live: textOf(from), differs: true },
    }));
  if (!live) return { address, state: 'missing', attributes };
  const state = changes.length > 0 ? 'differs' : 'same';
  return { address, id: live.id, state, attributes: [...attributes, ...givenBack] };
}

function textOf(value: unknown): string {
  return isRef(value) ? value.$ref : printable(JSON.stringify(value ?? null));
}
