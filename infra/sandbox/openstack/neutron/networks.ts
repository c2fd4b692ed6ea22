import type { Network, NeutronObject, Subnet } from './objects.ts';

export interface Cidrs {
  readonly public: string;
  readonly private: string;
}

/** The lab's networks: `public` 203.0.113.0/24 (external) and `private` 10.0.0.0/24 with fd00:10::/64 (SLAAC). */
export const labCidrs: Cidrs = { public: '203.0.113.0/24', private: '10.0.0.0/24' };

export function labNetworks(
  newId: () => string,
  projectId: string,
  at: string,
  cidrs: Cidrs,
): { networks: Network[]; subnets: Subnet[] } {
  const admin = 'f02c0e61f173495489118af8f1070c81';
  const publicId = newId();
  const privateId = newId();
  const subnet = (network: string, owner: string, name: string, cidr: string, gateway: string): Subnet =>
    makeSubnet({ id: newId(), owner, name, network, cidr, gateway, at });
  const subnets = [
    subnet(publicId, admin, 'public-v4', cidrs.public, gatewayOf(cidrs.public)),
    subnet(privateId, projectId, 'private-v4', cidrs.private, gatewayOf(cidrs.private)),
    subnet(privateId, projectId, 'private-v6', 'fd00:10::/64', 'fd00:10::1'),
  ];
  const network = (id: string, owner: string, name: string, external: boolean): Network =>
    makeNetwork({
      ...{ id, owner, name, external, at },
      subnets: subnets.filter((one) => one.network_id === id).map((one) => one.id),
    });
  return {
    networks: [network(publicId, admin, 'public', true), network(privateId, projectId, 'private', false)],
    subnets,
  };
}

export const gatewayOf = (cidr: string): string => cidr.replace(/\d+\/\d+$/, '1');

export interface NetworkWish {
  readonly id: string;
  readonly owner: string;
  readonly name: string;
  readonly external: boolean;
  readonly at: string;
  readonly subnets: string[];
}

/** Whether a project sees a network: its own, one that another project shares with all, or an external one. */
export function seesNetwork(projectId: string, network: NeutronObject | undefined): boolean {
  return (
    network !== undefined &&
    (network.project_id === projectId || network['shared'] === true || network['router:external'] === true)
  );
}

export const makeNetwork = ({ id, owner, name, external, at, subnets }: NetworkWish): Network => ({
  ...{ id, name, description: '', tags: [], created_at: at, updated_at: at, revision_number: 2 },
  ...{ tenant_id: owner, project_id: owner, admin_state_up: true, mtu: external ? 1500 : 1450 },
  ...{ status: 'ACTIVE', subnets, shared: false, 'router:external': external, port_security_enabled: true },
});

export interface SubnetWish extends Omit<NetworkWish, 'external' | 'subnets'> {
  readonly network: string;
  readonly cidr: string;
  readonly gateway: string;
}

/** An IPv6 subnet gives addresses by SLAAC, as on the lab. */
export function makeSubnet({ id, owner, name, network, cidr, gateway, at }: SubnetWish): Subnet {
  const six = cidr.includes(':');
  return {
    ...{ id, name, description: '', network_id: network, tenant_id: owner, project_id: owner, cidr },
    ...{ gateway_ip: gateway, ip_version: six ? 6 : 4, enable_dhcp: true },
    ...{ ipv6_ra_mode: six ? 'slaac' : null, ipv6_address_mode: six ? 'slaac' : null },
    ...{ host_routes: [], dns_nameservers: [], tags: [], created_at: at, updated_at: at, revision_number: 0 },
  };
}
