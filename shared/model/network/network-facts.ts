import type { WireResource } from '../resources.ts';
import type { AdditionalVip } from '../attributes/load-balancer.ts';

export type Family = 4 | 6;

export interface Subnet {
  readonly id: string;
  readonly cidr: string;
  readonly network_id: string;
  /** Ports get their IP addresses by SLAAC, so none can be asked for. */
  readonly slaac?: true;
  /** Somebody named it as the members' subnet. */
  readonly asked?: true;
}

/** The VIPs, the primary one first. Other addresses of the VIP port, for example by SLAAC, are served by no listener (decision 13). */
export function vipsOf(loadBalancer: WireResource): readonly string[] {
  const additional = (loadBalancer['additional_vips'] ?? []) as readonly AdditionalVip[];
  const all = [loadBalancer['vip_address'], ...additional.map(({ ip_address }) => ip_address)];
  return all.filter((address) => typeof address === 'string');
}

/** The member subnet of this family; undefined if there is none. */
export function memberSubnetOf(facts: NetworkFacts, family: Family): Subnet | undefined {
  const { memberSubnet, secondMemberSubnet } = facts;
  return [memberSubnet, secondMemberSubnet].find((subnet) => subnet && familyOf(subnet.cidr) === family);
}

export function familyOf(text: string): Family {
  return text.includes(':') ? 6 : 4;
}

/** A subnet of an external network, with the name and the tags by which it can be chosen. */
export interface FloatingSubnet {
  readonly id: string;
  readonly name: string;
  readonly network_id: string;
  readonly tags: readonly string[];
}

/** What to look up in Neutron. Every id comes from an annotation or the configuration. */
export interface NetworkQuestion {
  readonly vip_subnet_id?: string | undefined;
  readonly vip_network_id?: string | undefined;
  readonly vip_port_id?: string | undefined;
  readonly additional_vip_subnet_ids?: readonly string[] | undefined;
  readonly vip_qos_policy_id?: string | undefined;
  readonly vip_sg_ids?: readonly string[] | undefined;
  readonly member_subnet_id?: string | undefined;
  /** IP addresses of the Pods; absent unless all members are Pods. They tell the member subnet if none is named. */
  readonly pod_addresses?: readonly string[] | undefined;
  readonly external: boolean;
  /** The floating IP outlives the Service's need of it. */
  readonly keeps_floating_ip?: boolean;
  readonly floating_network_id?: string | undefined;
  readonly floating_subnet_id?: string | undefined;
  /** Whether a subnet of the external network is chosen by name or tags. */
  readonly choose_floating_subnet?: boolean;
  /** spec.loadBalancerIP may name only a floating IP that was made for the Service, or kept for its namespace. */
  readonly only_own_floating_ip?: boolean;
  /** The operator lets the Service have the floating IP in spec.loadBalancerIP, although it is another Service's. */
  readonly floating_ip_allowed?: boolean;
  readonly families: readonly Family[];
  /** The Service is internal and only prefers two families: a second VIP of IPv6 is no global address unless it is named. */
  readonly stays_inside?: boolean;
}

/** A family without a VIP subnet: the network has no subnet of it, several to choose from, or one that nobody may get unasked. */
export interface NoVipSubnet {
  readonly family: Family;
  readonly network_id: string;
  /** Ids of the network's subnets of that family. */
  readonly candidates: readonly string[];
}

/** What Neutron has of the things that were asked for. */
export interface NetworkFacts {
  readonly vipSubnet?: Subnet;
  /** Further subnets of the VIP port: the named ones, and one for the Service's second family. */
  readonly additionalSubnets?: readonly Subnet[];
  readonly noVipSubnet?: NoVipSubnet;
  readonly vips?: readonly string[];
  readonly memberSubnet?: Subnet;
  readonly secondMemberSubnet?: Subnet;
  /** Id of the external network that was asked for, or ids of all; empty if no floating IP is needed. */
  readonly floatingNetworks: readonly string[];
  /** The subnet that was asked for, if the project sees it, or else the subnets to choose from, in order. */
  readonly floatingSubnets?: readonly FloatingSubnet[];
  /** Why the floating IP in spec.loadBalancerIP cannot be used; absent if it can. */
  readonly loadBalancerIPTaken?: string;
  /** IP addresses of members without a port in the member subnet; empty if security groups are not managed. */
  readonly withoutPort?: readonly string[];
  /** IP addresses of members whose port has port security switched off, so that no rule has an effect. */
  readonly unfiltered?: readonly string[];
  /** IP addresses of members at which the project sees only ports of servers that no Node names. */
  readonly onStrangeServer?: readonly string[];
  /** Ids of subnets, ports and security groups that were asked for and that the project does not see. */
  readonly missing: readonly string[];
  /** The project does not see the QoS policy that was asked for, or Neutron has no QoS. */
  readonly noQosPolicy?: true;
}

/** Minor version of the Octavia API 2 that brought additional VIPs. */
const ADDITIONAL_VIPS = 26;

export const hasAdditionalVips = (octavia: { readonly minor: number }): boolean =>
  octavia.minor >= ADDITIONAL_VIPS;

/** Families of the VIPs that the load balancer has or will have. */
export function servedFamilies(
  { family }: { readonly family: Family },
  { vips, vipSubnet, additionalSubnets = [] }: NetworkFacts,
  octavia: { readonly minor: number },
): readonly Family[] {
  if (vips) return [...new Set(vips.map(familyOf))];
  const primary = vipSubnet ? familyOf(vipSubnet.cidr) : family;
  const additional = hasAdditionalVips(octavia) ? additionalSubnets.map(({ cidr }) => familyOf(cidr)) : [];
  return [...new Set([primary, ...additional])];
}
