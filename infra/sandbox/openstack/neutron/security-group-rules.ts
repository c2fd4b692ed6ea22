import type { Answer } from '../../exchange.ts';
import { type Json, asJson, asList, asText, scalarText } from '../../json.ts';
import { neutronError } from '../../refusal.ts';
import type { CloudState } from '../cloud-state.ts';
import { networkOf } from '../ip-network.ts';
import type { SecurityGroupRule } from './objects.ts';
import { checkQuota } from './quotas.ts';
import { badRequest, checkNames, noSuchGroup } from './refusals.ts';
import { ruleKey } from './rule-key.ts';

/** POST of one rule, or of several at once: all or none (tried on the lab). */
export function createSecurityGroupRules(world: CloudState, owner: string, given: Json, body: Json): Answer {
  const many = body['security_group_rules'];
  if (many === undefined) {
    const [rule] = addRules(world, owner, [given]);
    return { status: 201, body: { security_group_rule: rule } };
  }
  const rules = addRules(world, owner, asList(many).map(asJson));
  return { status: 201, body: { security_group_rules: rules } };
}

function addRules(world: CloudState, owner: string, bodies: readonly Json[]): SecurityGroupRule[] {
  const made: SecurityGroupRule[] = [];
  for (const body of bodies) {
    checkRule(world, owner, body);
    const rule = ruleOf(world, owner, body);
    const key = ruleKey(rule);
    const same = world.securityGroupRules.of('same', key)[0] ?? made.find((one) => ruleKey(one) === key);
    if (same) {
      const text = `Security group rule already exists. Rule id is ${same.id}.`;
      throw neutronError(409, 'SecurityGroupRuleExists', text);
    }
    checkQuota(world, 'security_group_rule', world.securityGroupRules, owner, made.length);
    made.push(rule);
  }
  for (const rule of made) {
    world.securityGroupRules.push(rule);
    const group = world.securityGroups.byId(rule.security_group_id);
    if (group) world.touch(group);
  }
  return made;
}

function ruleOf(world: CloudState, owner: string, body: Json): SecurityGroupRule {
  const at = world.clock.seconds();
  const prefix = typeof body['remote_ip_prefix'] === 'string' ? body['remote_ip_prefix'] : null;
  const protocol = body['protocol'] ?? null;
  return {
    id: world.newId(),
    tenant_id: owner,
    security_group_id: asText(body['security_group_id']),
    ethertype: /v6$/i.test(asText(body['ethertype'])) ? 'IPv6' : 'IPv4',
    direction: asText(body['direction']),
    protocol: protocol === null ? null : scalarText(protocol).toLowerCase(),
    port_range_min: body['port_range_min'] ?? null,
    port_range_max: body['port_range_max'] ?? null,
    remote_ip_prefix: prefix,
    remote_address_group_id: null,
    normalized_cidr: prefix === null ? null : (networkOf(prefix) ?? null),
    remote_group_id: body['remote_group_id'] ?? null,
    description: asText(body['description']),
    created_at: at,
    updated_at: at,
    revision_number: 0,
    project_id: owner,
  };
}

export function deleteSecurityGroupRule(world: CloudState, rule: SecurityGroupRule): void {
  world.securityGroupRules.remove(rule);
  const group = world.securityGroups.byId(rule.security_group_id);
  if (group) world.touch(group);
}

const attributes = [
  ...['security_group_id', 'direction', 'ethertype', 'protocol', 'port_range_min', 'port_range_max'],
  ...['remote_ip_prefix', 'remote_group_id', 'description', 'project_id', 'tenant_id'],
];
const protocols = [
  ...['ah', 'dccp', 'egp', 'esp', 'gre', 'hopopt', 'icmp', 'igmp', 'ip', 'ipip', 'ipv6-encap'],
  ...['ipv6-frag', 'ipv6-icmp', 'icmpv6', 'ipv6-nonxt', 'ipv6-opts', 'ipv6-route', 'ospf', 'pgm', 'rsvp'],
  ...['sctp', 'tcp', 'udp', 'udplite', 'vrrp'],
];

const bad = (type: string, text: string): Error => neutronError(400, type, text);

/** Checks a rule in Neutron's order: the attributes one by one and what does not go together, then the groups. */
function checkRule(world: CloudState, owner: string, body: Json): void {
  checkNames(body, attributes);
  for (const name of ['security_group_id', 'direction'])
    if (body[name] === undefined)
      throw badRequest(`Failed to parse request. Required attribute '${name}' not specified`);
  const direction = asText(body['direction']);
  if (direction !== 'ingress' && direction !== 'egress')
    throw badRequest(`Invalid input for direction. Reason: ${direction} is not in valid_values.`);
  checkProtocol(body['protocol'] ?? null);
  const ethertype = asText(body['ethertype'] ?? 'IPv4');
  if (!['ipv4', 'ipv6'].includes(ethertype.toLowerCase())) {
    const text = `Security group rule for ethertype '${ethertype}' not supported. Allowed values are ['IPv4', 'IPv6'].`;
    throw bad('SecurityGroupRuleInvalidEtherType', text);
  }
  checkPorts(body);
  checkRemote(body, ethertype);
  for (const id of [body['security_group_id'], body['remote_group_id'] ?? null]) {
    const group = world.securityGroups.byId(id);
    if (id === null || group?.project_id === owner) continue;
    if (group && world.octaviaTraits.says("rule in another project's security group") === '403')
      throw neutronError(
        403,
        'PolicyNotAuthorized',
        'rule:create_security_group_rule is disallowed by policy',
      );
    throw noSuchGroup(asText(id));
  }
}

function checkProtocol(protocol: unknown): void {
  if (protocol === null) return;
  const name = scalarText(protocol).toLowerCase();
  if (protocols.includes(name) || (/^\d{1,3}$/.test(name) && Number(name) <= 255)) return;
  const list = [null, ...protocols].map((one) => (one === null ? 'None' : `'${one}'`)).join(', ');
  const text = `Security group rule protocol ${name} not supported. Only protocol values [${list}] and integer representations [0 to 255] are supported.`;
  throw bad('SecurityGroupRuleInvalidProtocol', text);
}

function checkPorts(body: Json): void {
  const [min, max] = [body['port_range_min'] ?? null, body['port_range_max'] ?? null];
  for (const port of [min, max])
    if (port !== null && !(Number(port) >= 0 && Number(port) <= 65535))
      throw bad('SecurityGroupInvalidPortValue', `Invalid value for port ${scalarText(port)}`);
  if (min === null && max === null) return;
  if ((body['protocol'] ?? null) === null)
    throw bad('SecurityGroupProtocolRequiredWithPorts', 'Must also specify protocol if port range is given.');
  if (min !== null && max !== null && Number(min) <= Number(max)) return;
  const text = 'For TCP/UDP protocols, port_range_min must be <= port_range_max';
  throw bad('SecurityGroupInvalidPortRange', text);
}

function checkRemote(body: Json, ethertype: string): void {
  const prefix = body['remote_ip_prefix'] ?? null;
  if (prefix === null) return;
  const cidr = asText(prefix);
  if (networkOf(cidr) === undefined) throw bad('InvalidCIDR', `Invalid CIDR ${cidr} given as IP prefix.`);
  if ((body['remote_group_id'] ?? null) !== null) {
    const text =
      'Only one of remote_ip_prefix or remote_group_id or remote_address_group_id may be provided.';
    throw bad('SecurityGroupMultipleRemoteEntites', text);
  }
  if (cidr.includes(':') === (ethertype.toLowerCase() === 'ipv6')) return;
  const text = `Conflicting value ethertype ${ethertype} for CIDR ${cidr}`;
  throw bad('SecurityGroupRuleParameterConflict', text);
}
