import { ReconcileError } from '../../shared/model/errors.ts';
import type { Attributes } from '../../shared/model/resources.ts';
import type { Route } from '../../shared/model/network/routes.ts';
import type { CloudModel, Wire } from './cloud-model.ts';
import { setRoutes } from './cloud-model-routes.ts';

/** What Neutron puts into every new security group. */
export const DEFAULT_RULES: readonly Attributes[] = ['IPv4', 'IPv6'].map((ethertype) => ({
  ...{ direction: 'egress', ethertype, protocol: null, port_range_min: null, port_range_max: null },
  ...{ remote_ip_prefix: null, remote_group_id: null },
}));

/** A group is answered with its rules. */
export function groupView(cloud: CloudModel, group: Wire): Wire {
  const rules = cloud.all('securitygrouprule').filter((rule) => rule['security_group_id'] === group.id);
  return { ...group, security_group_rules: structuredClone(rules) };
}

/** Neutron has the same rule once only, and no rule without its group (SecurityGroupRuleExists, ...NotFound). */
export function checkRule(cloud: CloudModel, rule: Attributes): void {
  const group = cloud.all('securitygroup').find(({ id }) => id === rule['security_group_id']);
  if (!group) throw new ReconcileError('GONE', 'Security group does not exist');
  const six = String(rule['remote_ip_prefix']).includes(':');
  if (six !== (rule['ethertype'] === 'IPv6'))
    throw new ReconcileError('REJECTED', 'Conflicting value ethertype for CIDR');
  const same = (other: Wire): boolean => Object.entries(rule).every(([name, value]) => other[name] === value);
  if (cloud.all('securitygrouprule').some(same))
    throw new ReconcileError('CONFLICT', 'Security group rule already exists');
}

export function checkUnused(cloud: CloudModel, group: Wire): void {
  const users = cloud.all('port').filter((port) => (port['security_groups'] as string[]).includes(group.id));
  if (users.length > 0) throw new ReconcileError('CONFLICT', `Security Group ${group.id} in use`);
}

/** PUT under If-Match: the revision must be the one that was read. */
export function updateAt(cloud: CloudModel, wire: Wire, attributes: Attributes, revision: number): void {
  if (wire['revision_number'] !== revision)
    throw new ReconcileError('CHANGED_MEANWHILE', `Constrained to ${revision}`);
  const { security_groups: groups } = attributes;
  if (groups) checkGroups(cloud, wire, groups as readonly string[]);
  if (attributes['routes']) setRoutes(cloud, wire, attributes['routes'] as readonly Route[]);
  Object.assign(wire, { ...structuredClone(attributes), revision_number: revision + 1 });
}

function checkGroups(cloud: CloudModel, port: Wire, groups: readonly string[]): void {
  if (port['port_security_enabled'] === false)
    throw new ReconcileError('REJECTED', 'Port security must be enabled');
  const known = cloud.all('securitygroup').map(({ id }) => id);
  const unknown = groups.find((group) => !known.includes(group) && !group.startsWith('f0'));
  if (unknown !== undefined) throw new ReconcileError('GONE', `Security group ${unknown} does not exist`);
  if (new Set(groups).size < groups.length) throw new ReconcileError('REJECTED', 'Duplicate items');
}
