import { L7_POLICY, L7_RULE, LISTENER } from './attributes/listener.ts';
import { LOAD_BALANCER, type AdditionalVip } from './attributes/load-balancer.ts';
import { FLOATING_IP, PORT, ROUTER, SECURITY_GROUP, SECURITY_GROUP_RULE } from './attributes/network.ts';
import { HEALTH_MONITOR, MEMBER, POOL } from './attributes/pool.ts';
import { attr, type AttributeRow, type AttributeRule } from './attributes/attribute-row.ts';
import type { NodeAddress, NodeCondition, Taint, Condition } from './kubernetes.ts';
import { userDescription, mergeTags, recordedIn, isUserTag, mergeUserTags } from './ownership.ts';
import { identityOf } from './tls/certificate-facts.ts';
import { sameJson } from './json.ts';

/** Stands for the certificate in plans, which never hold it. The Secret of this name is read when the step runs. */
export interface StoredPayload {
  readonly $secret: string;
  readonly fingerprint: string;
}

/** A certificate from a Secret of the cluster, stored in Barbican as PKCS #12. */
const SECRET = {
  name: attr<string>({ change: 'at-create' }),
  mode: attr<string>({ change: 'at-create' }),
  secret_type: attr<'opaque'>({ change: 'at-create' }),
  payload: attr<StoredPayload>({ change: 'at-create' }),
};

/**
 * Metadata and spec of a Node, written by one PATCH. Only the labels and annotations named here change; null removes
 * one. A providerID is desired only if the Node has none: Kubernetes lets it be set once.
 */
const NODE = {
  providerID: attr<string>({ change: 'in-place' }),
  labels: attr<Readonly<Record<string, string | null>>>({ change: 'in-place', compare: 'entries' }),
  annotations: attr<Readonly<Record<string, string | null>>>({ change: 'in-place', compare: 'entries' }),
  taints: attr<readonly Taint[]>({ change: 'in-place' }),
};

/** The status of a Node, written by a PATCH of its own. Only the conditions named here change. */
const NODE_STATUS = {
  addresses: attr<readonly NodeAddress[]>({ change: 'in-place' }),
  conditions: attr<readonly NodeCondition[]>({ change: 'in-place', compare: 'conditions' }),
};

/** Every attribute that levelset sets, by kind of resource. */
export const ATTRIBUTES = {
  loadbalancer: LOAD_BALANCER,
  listener: LISTENER,
  pool: POOL,
  healthmonitor: HEALTH_MONITOR,
  member: MEMBER,
  l7policy: L7_POLICY,
  l7rule: L7_RULE,
  floatingip: FLOATING_IP,
  securitygroup: SECURITY_GROUP,
  securitygrouprule: SECURITY_GROUP_RULE,
  port: PORT,
  router: ROUTER,
  secret: SECRET,
  node: NODE,
  nodestatus: NODE_STATUS,
};

type Kind = keyof typeof ATTRIBUTES;

export function attributesOf(kind: Kind): Readonly<Record<string, AttributeRow<unknown>>> {
  return ATTRIBUTES[kind];
}

/** Throws TypeError for an attribute that is not in ATTRIBUTES. */
export function attributeRule(kind: Kind, attribute: string): AttributeRule {
  const { [attribute]: rule } = attributesOf(kind);
  if (!rule) throw new TypeError(`no rule for ${kind}.${attribute} in ATTRIBUTES`);
  return rule;
}

/** The attributes without needs, and those whose need is among the met ones. */
export function withNeedsMet<T extends object>(kind: Kind, attributes: T, met: ReadonlySet<string>): T {
  const isMet = ([name]: readonly [string, unknown]): boolean => {
    const { needs = null } = attributeRule(kind, name);
    return needs === null || met.has(needs);
  };
  return Object.fromEntries(Object.entries(attributes).filter(isMet)) as T;
}

/** Whether an attribute can be left to the server again. The name comes from a tag, and may be none. */
export function hasUnset(kind: Kind, attribute: string): boolean {
  return Object.hasOwn(ATTRIBUTES[kind], attribute) && attributeRule(kind, attribute).unset !== undefined;
}

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
  return value !== null && typeof value === 'object' ? (value as Readonly<Record<string, unknown>>) : {};
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

function withoutNulls(value: unknown): Readonly<Record<string, unknown>> {
  if (value === null || typeof value !== 'object') return {};
  return Object.fromEntries(Object.entries(value).filter(([, inner]) => inner !== null));
}
