import { asText } from '../../json.ts';
import type { SecurityGroupRule } from './objects.ts';

const numbers: Record<string, string> = { icmp: '1', tcp: '6', udp: '17', 'ipv6-icmp': '58', sctp: '132' };

/**
 * Two rules with the same key are the same. The description does not count, and a prefix counts as it is spelled
 * (tried on the lab).
 */
export function ruleKey(rule: SecurityGroupRule): string {
  const protocol = numbers[asText(rule['protocol'])] ?? rule['protocol'];
  const prefix = ['0.0.0.0/0', '::/0'].includes(asText(rule['remote_ip_prefix']))
    ? null
    : rule['remote_ip_prefix'];
  return JSON.stringify([
    ...[rule.security_group_id, rule['direction'], rule['ethertype'], protocol, prefix],
    ...[rule['port_range_min'], rule['port_range_max'], rule['remote_group_id']],
  ]);
}
