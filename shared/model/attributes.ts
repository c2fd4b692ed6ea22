import { L7_POLICY, L7_RULE, LISTENER } from './attributes/listener.ts';
import { LOAD_BALANCER } from './attributes/load-balancer.ts';
import { FLOATING_IP, PORT, ROUTER, SECURITY_GROUP, SECURITY_GROUP_RULE } from './attributes/network.ts';
import { HEALTH_MONITOR, MEMBER, POOL } from './attributes/pool.ts';
import { attr, type AttributeRow, type AttributeRule } from './attributes/attribute-row.ts';
import type { NodeAddress, NodeCondition, Taint } from './kubernetes.ts';

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
