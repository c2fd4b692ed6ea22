/** What levelset sets of Neutron's resources, beside a load balancer. */
import type { Ref } from '../address.ts';
import type { AddressPair } from './routes.ts';

export interface FloatingIP {
  floating_network_id: string;
  subnet_id: string;
  floating_ip_address: string;
  port_id: string | Ref | null;
  /** Which of several IPv4 addresses of the port. */
  fixed_ip_address: string | Ref;
  description: string;
  tags: readonly string[];
}

/** Made by us for one Service, to be put on the ports of the nodes (service/desired/security-group.ts). */
export interface SecurityGroup {
  name: string;
  description: string;
  tags: readonly string[];
}

/** Neutron changes none of its attributes: what it opens is what it is. */
export interface SecurityGroupRule {
  direction: 'ingress';
  ethertype: 'IPv4' | 'IPv6';
  protocol: string;
  port_range_min: number;
  port_range_max: number;
  remote_ip_prefix: string;
  security_group_id: Ref;
}

/** A node's. It is never made or deleted by us; of its security groups and address pairs only our own come and go. */
export interface Port {
  security_groups: readonly (string | Ref)[];
  allowed_address_pairs: readonly AddressPair[];
}
