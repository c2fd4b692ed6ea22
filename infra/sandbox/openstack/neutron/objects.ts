/** Neutron's objects as they stand on the wire. */
export interface NeutronObject {
  [attribute: string]: unknown;
  readonly id: string;
  readonly project_id: string;
  name?: string;
  description: string | null;
  tags?: readonly string[];
  updated_at: string;
  revision_number: number;
}

interface TaggedObject extends NeutronObject {
  description: string;
  tags: readonly string[];
}

export interface Network extends TaggedObject {
  readonly subnets: string[];
  readonly 'router:external': boolean;
}

export interface Subnet extends TaggedObject {
  readonly network_id: string;
  readonly cidr: string;
  readonly ip_version: number;
}

export interface FixedIp {
  readonly subnet_id: string;
  readonly ip_address: string;
}

export interface Port extends TaggedObject {
  readonly network_id: string;
  readonly device_id: string;
  readonly device_owner: string;
  readonly fixed_ips: readonly FixedIp[];
  security_groups: readonly string[];
}

export interface SecurityGroup extends TaggedObject {
  readonly name: string;
}

export interface SecurityGroupRule extends NeutronObject {
  readonly security_group_id: string;
}

export interface FloatingIp extends TaggedObject {
  readonly floating_network_id: string;
  readonly floating_ip_address: string;
  port_id: string | null;
  fixed_ip_address: string | null;
  status: string;
}

export interface Route {
  readonly destination: string;
  readonly nexthop: string;
}

export interface Router extends TaggedObject {
  readonly name: string;
  readonly external_gateway_info: { readonly network_id: string } | null;
  routes: Route[];
}
