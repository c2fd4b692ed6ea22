import { attributeRule, hasUnset, equalAttribute } from '../model/attributes.ts';
import type { AttributeRule, ChangeRule } from '../model/attributes/attribute-row.ts';
import { mergeTags, recordedIn, isUserTag } from '../model/ownership.ts';
import type { Change } from '../model/plan.ts';
import { isRef, type Ref } from '../model/address.ts';
import type { Attributes, DesiredResource, ObservedResource } from '../model/resources.ts';
import { printable } from '../model/text/text.ts';

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
