import { asText } from '../../json.ts';
import type { SecurityGroupRule } from './objects.ts';

const numbers: Record<string, string> = { icmp: '1', tcp: '6', udp: '17', 'ipv6-icmp': '58', sctp: '132' };

/** What makes two rules the same: not the description, and of the prefix the very text (tried on the lab). */
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
