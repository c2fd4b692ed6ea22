/** Rules of security groups by what they open. Neutron changes no rule, so only their plan addresses are compared. */
import type { Address } from '../address.ts';
import type { WireResource } from '../resources.ts';

export interface Opening {
  readonly protocol: string;
  readonly port: number;
  /** Network address and prefix length, as Neutron spells them. */
  readonly cidr: string;
}

export function openingAddress({ protocol, port, cidr }: Opening): Address {
  return `securitygrouprule/${protocol}/${port}/${cidr}`;
}

/** The rules in every new group of Neutron. levelset removes them, as OCCM does. */
export const DEFAULT_RULES: readonly Address[] = [
  'securitygrouprule/egress/any/any/0.0.0.0/0',
  'securitygrouprule/egress/any/any/::/0',
];

/** By plan address; that of a second rule that opens the same ends in its id. */
export function rulesOf(group: WireResource): ReadonlyMap<Address, WireResource> {
  const rules = new Map<Address, WireResource>();
  const listed = group['security_group_rules'];
  for (const rule of Array.isArray(listed) ? (listed as readonly WireResource[]) : []) {
    const address = ruleAddress(rule);
    rules.set(rules.has(address) ? `${address}/${rule.id}` : address, rule);
  }
  return rules;
}

function ruleAddress(rule: WireResource): Address {
  const { direction, protocol, port_range_min: min, port_range_max: max } = rule;
  const parts = [
    ...(direction === 'ingress' ? [] : [String(direction)]),
    protocolName(protocol),
    typeof min === 'number' ? (min === max ? `${min}` : `${min}-${String(max)}`) : 'any',
    remoteOf(rule),
  ];
  return `securitygrouprule/${parts.join('/')}`;
}

/** Names of protocols by IANA number. Neutron keeps a protocol as it was written: a name in any case, or a number. */
const NUMBERS: Readonly<Record<string, string>> = { '6': 'tcp', '17': 'udp', '132': 'sctp' };

function protocolName(protocol: unknown): string {
  if (typeof protocol !== 'string' && typeof protocol !== 'number') return 'any';
  const name = String(protocol).toLowerCase();
  return NUMBERS[name] ?? name;
}

/** The range or group that a rule lets in; with neither everybody of its family. */
function remoteOf(rule: WireResource): string {
  const { remote_group_id: group, remote_address_group_id: addresses } = rule;
  if (typeof group === 'string') return `group:${group}`;
  if (typeof addresses === 'string') return `addresses:${addresses}`;
  const cidr = rule['normalized_cidr'] ?? rule['remote_ip_prefix'];
  if (typeof cidr === 'string') return cidr;
  return rule['ethertype'] === 'IPv6' ? '::/0' : '0.0.0.0/0';
}
