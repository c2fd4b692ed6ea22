import { FLOATING_IP, PORT, ROUTER, SECURITY_GROUP, SECURITY_GROUP_RULE } from './attributes/network.ts';
import { HEALTH_MONITOR } from './attributes/health-monitor.ts';
import { L7_POLICY, L7_RULE, LOAD_BALANCER, MEMBER } from './attributes/load-balancer.ts';
import { LISTENER } from './attributes/listener.ts';
import { NODE, NODE_STATUS } from './attributes/node.ts';
import { POOL } from './attributes/pool.ts';
import { SECRET } from './attributes/secret.ts';
import type { AttributeRow, AttributeRule, Need } from './attributes/attribute-row.ts';

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
export function withNeedsMet<T extends object>(kind: Kind, attributes: T, met: readonly Need[]): T {
  const isMet = ([name]: readonly [string, unknown]): boolean => {
    const { needs = null } = attributeRule(kind, name);
    return needs === null || met.includes(needs);
  };
  return Object.fromEntries(Object.entries(attributes).filter(isMet)) as T;
}

/** Whether an attribute can be left to the server again. The name comes from a tag, and may be none. */
export function hasUnset(kind: Kind, attribute: string): boolean {
  return Object.hasOwn(ATTRIBUTES[kind], attribute) && attributeRule(kind, attribute).unset !== undefined;
}
