/** What is Neutron's and Barbican's, beside a load balancer. */
import type { Ref, ResourceKind } from './resources.ts';

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

/** Made by us for one Service, to be put on the ports of the nodes (desired/security-group.ts). */
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

/** A node's. It is never made or deleted by us; of its security groups only our own come and go. */
export interface Port {
  security_groups: readonly (string | Ref)[];
}

/** A certificate that we keep in Barbican as PKCS #12, out of a Secret of the cluster. */
export interface StoredSecret {
  name: string;
  mode: string;
  secret_type: 'opaque';
  payload: StoredPayload;
}

/** Stands in plans for what is never in them: which Secret it is read from, when it is written. */
export interface StoredPayload {
  readonly $secret: string;
  readonly fingerprint: string;
}

/** Neutron's and Barbican's, beside the load balancer: Octavia's lock does not hold them, its status tree does not show them. */
export function isBeside(kind: ResourceKind): boolean {
  return kind === 'floatingip' || kind === 'secret' || isOfSecurityGroup(kind);
}

export function isOfSecurityGroup(kind: ResourceKind): boolean {
  return kind === 'securitygroup' || kind === 'securitygrouprule' || kind === 'port';
}
