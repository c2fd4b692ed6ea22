import type { Answer } from '../exchange.ts';
import { asJson, asList, asText, scalarText, type Json } from '../json.ts';
import { neutronError } from '../refusal.ts';
import type { CloudState } from './cloud-state.ts';
import { networkOf } from './ip-network.ts';
import { checkRule } from './neutron-rule-checks.ts';
import type { SecurityGroupRule } from './neutron-objects.ts';
import { touchGroup } from './neutron-security-groups.ts';

const numbers: Record<string, string> = { icmp: '1', tcp: '6', udp: '17', 'ipv6-icmp': '58', sctp: '132' };
/** POST of one rule, or of several at once: all or none (tried on the lab). */
export function createSecurityGroupRules(world: CloudState, owner: string, body: Json): Answer {
  const many = body['security_group_rules'];
  if (many === undefined) {
    const [rule] = addRules(world, owner, [asJson(body['security_group_rule'])]);
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
    const same = [...world.securityGroupRules, ...made].find((one) => keyOf(one) === keyOf(rule));
    if (same) {
      const text = `Security group rule already exists. Rule id is ${same.id}.`;
      throw neutronError(409, 'SecurityGroupRuleExists', text);
    }
    checkQuota(world, owner, made.length);
    made.push(rule);
  }
  for (const rule of made) {
    world.securityGroupRules.push(rule);
    const group = world.securityGroups.find((one) => one.id === rule.security_group_id);
    if (group) touchGroup(world, group);
  }
  return made;
}

function checkQuota(world: CloudState, owner: string, more: number): void {
  const mine = world.securityGroupRules.filter((one) => one.project_id === owner).length;
  if (world.quotas.security_group_rule < 0 || mine + more < world.quotas.security_group_rule) return;
  throw neutronError(409, 'OverQuota', "Quota exceeded for resources: ['security_group_rule'].");
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

/** What makes two rules the same: not the description, and of the prefix the very text (tried on the lab). */
function keyOf(rule: SecurityGroupRule): string {
  const protocol = numbers[asText(rule['protocol'])] ?? rule['protocol'];
  const prefix = ['0.0.0.0/0', '::/0'].includes(asText(rule['remote_ip_prefix']))
    ? null
    : rule['remote_ip_prefix'];
  return JSON.stringify([
    ...[rule.security_group_id, rule['direction'], rule['ethertype'], protocol, prefix],
    ...[rule['port_range_min'], rule['port_range_max'], rule['remote_group_id']],
  ]);
}

export function deleteSecurityGroupRule(world: CloudState, rule: SecurityGroupRule): Answer {
  world.securityGroupRules.splice(world.securityGroupRules.indexOf(rule), 1);
  const group = world.securityGroups.find((one) => one.id === rule.security_group_id);
  if (group) touchGroup(world, group);
  return { status: 204 };
}
