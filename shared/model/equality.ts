import type { AttributeRule } from './attributes/attribute-row.ts';
import { userDescription, mergeTags, recordedIn } from './ownership.ts';
import type { Condition } from './kubernetes.ts';
import type { Attributes } from './resources.ts';
import type { AdditionalVip } from './attributes/load-balancer.ts';
import { identityOf } from './tls/certificate-facts.ts';
import { isUserTag, mergeUserTags } from './load-balancer/user-tags.ts';
import { sameJson } from './json.ts';

/** Whether `observed` already is what `desired` asks for, by the attribute's rule. */
export function equalAttribute(rule: AttributeRule, desired: unknown, observed: unknown): boolean {
  switch (rule.compare ?? 'value') {
    case 'value':
      return sameJson(desired ?? null, observed ?? null);
    case 'set':
      return sameSet(strings(desired), strings(observed));
    case 'open-cidrs':
      return sameSet(closedTo(desired), closedTo(observed));
    case 'tags':
      return sameSet(mergeTags(strings(observed), strings(desired)), strings(observed));
    case 'set-record':
      return sameSet(recordedIn(observed), recordedIn(desired)) && sameUserTags(desired, observed);
    case 'asked-text':
      return userDescription(desired) === userDescription(observed);
    case 'sparse':
      return sameJson(withoutNulls(desired), withoutNulls(observed));
    case 'reference':
      return sameJson(identityOf(desired), identityOf(observed));
    case 'references':
      return sameSet(identities(desired), identities(observed));
    case 'vips':
      return vips(desired).every((wanted) => vips(observed).some((vip) => isVip(vip, wanted)));
    case 'entries':
      return Object.entries(entries(desired)).every(
        ([key, value]) => (entries(observed)[key] ?? null) === value,
      );
    case 'conditions':
      return conditions(desired).every((wanted) =>
        conditions(observed).some((one) => sameCondition(one, wanted)),
      );
  }
}

function strings(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

function identities(references: unknown): readonly string[] {
  const list: readonly unknown[] = Array.isArray(references) ? references : [];
  return list.map((reference) => JSON.stringify(identityOf(reference)));
}

function vips(value: unknown): readonly AdditionalVip[] {
  return Array.isArray(value) ? (value as readonly AdditionalVip[]) : [];
}

function isVip(vip: AdditionalVip, wanted: AdditionalVip): boolean {
  const { subnet_id, ip_address = vip.ip_address } = wanted;
  return vip.subnet_id === subnet_id && vip.ip_address === ip_address;
}

function entries(value: unknown): Readonly<Record<string, unknown>> {
  return value !== null && typeof value === 'object' ? (value as Attributes) : {};
}

function conditions(value: unknown): readonly Condition[] {
  return Array.isArray(value) ? (value as readonly Condition[]) : [];
}

function sameCondition(a: Condition, b: Condition): boolean {
  return a.type === b.type && a.status === b.status && a.reason === b.reason && a.message === b.message;
}

function sameSet(a: readonly string[], b: readonly string[]): boolean {
  return sameJson([...new Set(a)].sort(), [...new Set(b)].sort());
}

/** Whether the tags that Services ask for are there, and the tags that they no longer ask for are gone. */
function sameUserTags(desired: unknown, observed: unknown): boolean {
  const merged = mergeUserTags(strings(observed), strings(desired));
  const asked = merged.desired.filter((tag) => isUserTag(tag, merged.desired));
  return sameSet([...merged.observed, ...asked], strings(observed));
}

function closedTo(cidrs: unknown): readonly string[] {
  const list = strings(cidrs);
  return list.includes('0.0.0.0/0') || list.includes('::/0') ? [] : list;
}

function withoutNulls(value: unknown): Attributes {
  if (value === null || typeof value !== 'object') return {};
  return Object.fromEntries(Object.entries(value).filter(([, inner]) => inner !== null));
}
