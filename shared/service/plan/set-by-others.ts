import { ATTRIBUTES } from '../../model/attributes.ts';
import type { AttributeRule } from '../../model/attributes.ts';
import type { SetByOthers } from '../../model/drift.ts';
import { equalAttribute } from '../../model/equality.ts';
import { isOutsideOctavia } from '../../model/load-balancer/octavia.ts';
import { TAG_PREFIX } from '../../model/ownership.ts';
import type { Attributes, DesiredResource, ObservedResource } from '../../model/resources.ts';
import { isRef } from '../../plan/compare.ts';

/**
 * The values of levelset's resources that nobody asks for and that are not as they were made: names and the like, which are
 * written once, attributes that only a create sets, and those that differ from the default of the API. The operator of a cloud
 * may have configured another default.
 */
export function setByOthers(
  desired: readonly DesiredResource[],
  observed: readonly ObservedResource[],
): readonly SetByOthers[] {
  const there = new Map(observed.filter(({ owned }) => owned).map((one) => [one.address, one]));
  return desired.flatMap((wanted) => {
    const found = there.get(wanted.address);
    return found ? othersOn(wanted, found) : [];
  });
}

function othersOn(desired: DesiredResource, { wire }: ObservedResource): readonly SetByOthers[] {
  const { kind, address } = desired;
  if (isOutsideOctavia(kind) && kind !== 'floatingip') return [];
  const asked = desired.attributes as Attributes;
  const rules: Readonly<Record<string, AttributeRule>> = ATTRIBUTES[kind];
  return Object.entries(rules).flatMap(([attribute, rule]) => {
    if (!(attribute in wire)) return [];
    const value = wire[attribute];
    if (attribute === 'tags') return tagsOfOthers(address, kind, asked[attribute], value);
    const usual = usualOf(desired, attribute, rule);
    if (usual === undefined || equalAttribute(asWritten(rule), usual, value)) return [];
    // a default that only some listeners have, such as that of TLS versions
    if (value === null) return [];
    return [{ address, kind, attribute, there: value, usual }];
  });
}

function asWritten(rule: AttributeRule): AttributeRule {
  return rule.compare === 'asked-text' ? { change: rule.change } : rule;
}

/** The value that nobody has to ask for; undefined if somebody asks, or it is not known. */
function usualOf(
  { kind, attributes, unasked = [] }: DesiredResource,
  attribute: string,
  rule: AttributeRule,
): unknown {
  const asked = (attributes as Attributes)[attribute];
  if (asked === undefined)
    return rule.usual ?? (NOT_BY_PROVIDERS[kind]?.includes(attribute) ? undefined : rule.unset);
  // of a description only what a Service asks for counts, so the rest is as others left it
  const isWrittenOnce =
    rule.change === 'at-create' || rule.compare === 'asked-text' || unasked.includes(attribute);
  return isWrittenOnce && !isRef(asked) ? asked : undefined;
}

/** Attributes that Octavia fills in with its configuration, of which no API tells the default. */
const NOT_BY_PROVIDERS: Readonly<Partial<Record<DesiredResource['kind'], readonly string[]>>> = {
  listener: ['tls_ciphers'],
  pool: ['tls_versions', 'tls_ciphers'],
};

function tagsOfOthers(
  address: string,
  kind: DesiredResource['kind'],
  asked: unknown,
  value: unknown,
): readonly SetByOthers[] {
  const ours = Array.isArray(asked) ? asked : [];
  const others = (Array.isArray(value) ? value : []).filter(
    (tag) => !ours.includes(tag) && !String(tag).startsWith(TAG_PREFIX),
  );
  return others.length === 0 ? [] : [{ address, kind, attribute: 'tags', there: others, usual: [] }];
}
