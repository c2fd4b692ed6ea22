/** What the desired state must know of Neutron before it can name subnets and networks. */
export interface Subnet {
  readonly id: string;
  readonly cidr: string;
  readonly network_id: string;
}

/** What to find out; every id comes from an annotation or the configuration. */
export interface NetworkQuestion {
  readonly vip_subnet_id?: string;
  readonly vip_network_id?: string;
  readonly member_subnet_id?: string;
  /** Whether an external network is needed, for a floating IP. */
  readonly external: boolean;
  readonly floating_network_id?: string;
  readonly family: 4 | 6;
}

export interface NetworkFacts {
  readonly vipSubnet?: Subnet;
  readonly memberSubnet?: Subnet;
  /** The network that was asked for, or all external ones. */
  readonly floatingNetworks: readonly string[];
  /** Why the floating IP named by spec.loadBalancerIP cannot be had. */
  readonly loadBalancerIPTaken?: string;
  /** Ids that were asked for and that the project cannot see. */
  readonly missing: readonly string[];
}
