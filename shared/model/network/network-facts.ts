import type { AdditionalVip, WireResource } from '../resources.ts';

export type Family = 4 | 6;

/** A subnet, as far as desired resources name it. */
export interface Subnet {
  readonly id: string;
  readonly cidr: string;
  readonly network_id: string;
  /** Addresses come by SLAAC, so that none can be asked for. */
  readonly slaac?: true;
}

/**
 * The VIPs of a load balancer, the primary one first. Its port may have more addresses, as by SLAAC, which no listener
 * serves (decision 8).
 */
export function vipsOf(loadBalancer: WireResource): readonly string[] {
  const additional = (loadBalancer['additional_vips'] ?? []) as readonly AdditionalVip[];
  const all = [loadBalancer['vip_address'], ...additional.map(({ ip_address }) => ip_address)];
  return all.filter((address) => typeof address === 'string');
}

/** The member subnet of this family; undefined where there is none. */
export function memberSubnetOf(facts: NetworkFacts, family: Family): Subnet | undefined {
  const { memberSubnet, secondMemberSubnet } = facts;
  return [memberSubnet, secondMemberSubnet].find((subnet) => subnet && familyOf(subnet.cidr) === family);
}

/** The family of an address or CIDR. */
export function familyOf(text: string): Family {
  return text.includes(':') ? 6 : 4;
}

/** A subnet of an external network, with what it can be chosen by. */
export interface FloatingSubnet {
  readonly id: string;
  readonly name: string;
  readonly network_id: string;
  readonly tags: readonly string[];
}

/** What to look up in Neutron. Every id comes from an annotation or the configuration. */
export interface NetworkQuestion {
  readonly vip_subnet_id?: string;
  readonly vip_network_id?: string;
  readonly vip_port_id?: string;
  /** Further subnets in which the VIP port should have an address. */
  readonly additional_vip_subnet_ids?: readonly string[];
  readonly vip_qos_policy_id?: string;
  readonly vip_sg_ids?: readonly string[];
  readonly member_subnet_id?: string;
  /** Addresses of the Pods, where all members are Pods. They tell the member subnet where none is named. */
  readonly pod_addresses?: readonly string[];
  /** A floating IP, and so an external network, is needed. */
  readonly external: boolean;
  readonly floating_network_id?: string;
  readonly floating_subnet_id?: string;
  /** A subnet of the external network is chosen by name or tags. */
  readonly choose_floating_subnet?: boolean;
  /** spec.loadBalancerIP may name only a floating IP that was kept for the Service's namespace. */
  readonly only_own_floating_ip?: true;
  /** IP families of the Service, in their order. */
  readonly families: readonly Family[];
}

/** A family without VIP subnet: the network has none of it, or several to choose from. */
export interface NoVipSubnet {
  readonly family: Family;
  readonly network_id: string;
  /** Ids of the network's subnets of that family. */
  readonly candidates: readonly string[];
}

/** What Neutron has, of what was asked. */
export interface NetworkFacts {
  readonly vipSubnet?: Subnet;
  /** Further subnets of the VIP port: the named ones, and one for the Service's second family. */
  readonly additionalSubnets?: readonly Subnet[];
  readonly noVipSubnet?: NoVipSubnet;
  /** VIPs of the load balancer, the primary one first; absent where there is no load balancer yet. */
  readonly vips?: readonly string[];
  /** The member subnet of the Service's first family. */
  readonly memberSubnet?: Subnet;
  /** The member subnet of the Service's second family. */
  readonly secondMemberSubnet?: Subnet;
  /** Ids of the network that was asked for, or of all external ones. */
  readonly floatingNetworks: readonly string[];
  /** The subnet that was asked for, where it can be seen, or those to choose from, in order. */
  readonly floatingSubnets?: readonly FloatingSubnet[];
  /** Why the floating IP in spec.loadBalancerIP cannot be used. */
  readonly loadBalancerIPTaken?: string;
  /** Addresses of nodes without a port in the member subnet; only where security groups are managed. */
  readonly withoutPort?: readonly string[];
  /** Addresses of nodes whose port has port security switched off, so that no rule holds. */
  readonly unfiltered?: readonly string[];
  /** Ids that were asked for and that the project does not see. */
  readonly missing: readonly string[];
  /** The project does not see the QoS policy; the cloud may have none at all. */
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
