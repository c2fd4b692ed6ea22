import type { AdditionalVip, WireResource } from '../resources.ts';

export type Family = 4 | 6;

/** What the desired state must know of Neutron before it can name subnets and networks. */
export interface Subnet {
  readonly id: string;
  readonly cidr: string;
  readonly network_id: string;
  /** Ports make their own addresses in it (SLAAC): none can be asked for. */
  readonly slaac?: true;
}

/**
 * Where a load balancer answers, its primary VIP first. The VIP port may have more addresses, such as by SLAAC, at which no
 * listener does (decision 8).
 */
export function vipsOf(loadBalancer: WireResource): readonly string[] {
  const additional = (loadBalancer['additional_vips'] ?? []) as readonly AdditionalVip[];
  const all = [loadBalancer['vip_address'], ...additional.map(({ ip_address }) => ip_address)];
  return all.filter((address) => typeof address === 'string');
}

/** The member subnet in which addresses of this family are. */
export function memberSubnetOf(facts: NetworkFacts, family: Family): Subnet | undefined {
  const { memberSubnet, secondMemberSubnet } = facts;
  return [memberSubnet, secondMemberSubnet].find((subnet) => subnet && familyOf(subnet.cidr) === family);
}

/** Of an address or a CIDR. */
export function familyOf(text: string): Family {
  return text.includes(':') ? 6 : 4;
}

/** A subnet of an external network, by what it can be chosen by. */
export interface FloatingSubnet {
  readonly id: string;
  readonly name: string;
  readonly network_id: string;
  readonly tags: readonly string[];
}

/** What to find out; every id comes from an annotation or the configuration. */
export interface NetworkQuestion {
  readonly vip_subnet_id?: string;
  readonly vip_network_id?: string;
  readonly vip_port_id?: string;
  /** Further subnets of the VIP port, each with an address of its own. */
  readonly additional_vip_subnet_ids?: readonly string[];
  readonly vip_qos_policy_id?: string;
  readonly vip_sg_ids?: readonly string[];
  readonly member_subnet_id?: string;
  /** Of Pods, where they are all the members there are: without a subnet that is named, theirs is the member subnet. */
  readonly pod_addresses?: readonly string[];
  /** Whether an external network is needed, for a floating IP. */
  readonly external: boolean;
  readonly floating_network_id?: string;
  readonly floating_subnet_id?: string;
  /** Whether subnets of the external network have to be known, since one is chosen by name or tags. */
  readonly choose_floating_subnet?: boolean;
  /** spec.loadBalancerIP may take only a floating IP that was kept for the Service's namespace. */
  readonly only_own_floating_ip?: true;
  /** Of the Service, the first one first. */
  readonly families: readonly Family[];
}

/** Why a family has no VIP subnet: of this network none, or none of several, can be taken. */
export interface NoVipSubnet {
  readonly family: Family;
  readonly network_id: string;
  /** Subnets of that family. */
  readonly candidates: readonly string[];
}

export interface NetworkFacts {
  readonly vipSubnet?: Subnet;
  /** Further subnets of the VIP port: those that were named, and that of the Service's second family. */
  readonly additionalSubnets?: readonly Subnet[];
  readonly noVipSubnet?: NoVipSubnet;
  /** Addresses of the load balancer that is there, the primary one first. */
  readonly vips?: readonly string[];
  /** Where members of the Service's first family are reached. */
  readonly memberSubnet?: Subnet;
  /** And those of its second one. */
  readonly secondMemberSubnet?: Subnet;
  /** The network that was asked for, or all external ones. */
  readonly floatingNetworks: readonly string[];
  /** The subnet that was asked for, if it can be seen, or those of the external network to choose from, in order. */
  readonly floatingSubnets?: readonly FloatingSubnet[];
  /** Why the floating IP named by spec.loadBalancerIP cannot be had. */
  readonly loadBalancerIPTaken?: string;
  /** Of managed security groups: addresses of nodes whose port in the member subnet was not found. */
  readonly withoutPort?: readonly string[];
  /** And of those whose port has port security switched off: no rule holds there. */
  readonly unfiltered?: readonly string[];
  /** Ids that were asked for and that the project cannot see. */
  readonly missing: readonly string[];
  /** So with the QoS policy; there may be none in this cloud at all. */
  readonly noQosPolicy?: true;
}

/** The first version of the Octavia API with additional VIPs: 2.26. */
const ADDITIONAL_VIPS = 26;

export const hasAdditionalVips = (octavia: { readonly minor: number }): boolean =>
  octavia.minor >= ADDITIONAL_VIPS;

/** Families of the addresses that the load balancer has, or will be made with. */
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
