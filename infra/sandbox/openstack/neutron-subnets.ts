import type { Answer } from '../exchange.ts';
import { asText, type Json } from '../json.ts';
import { neutronError } from '../refusal.ts';
import type { CloudWorld } from './cloud-world.ts';
import { networkOf } from './ip-network.ts';
import type { Subnet } from './neutron-objects.ts';

/** POST /v2.0/subnets: an IPv4 subnet of a network of the project, as far as VIPs need it. */
export function createSubnet(world: CloudWorld, owner: string, body: Json): Answer {
  const network = world.networks.find((one) => one.id === body['network_id'] && one.project_id === owner);
  if (!network) {
    const text = `Network ${asText(body['network_id'])} could not be found.`;
    throw neutronError(404, 'NetworkNotFound', text);
  }
  const cidr = networkOf(asText(body['cidr'])) ?? '';
  const at = world.clock.seconds();
  const subnet: Subnet = {
    id: world.newId(),
    name: asText(body['name']),
    description: '',
    network_id: network.id,
    tenant_id: owner,
    project_id: owner,
    cidr,
    gateway_ip: cidr.replace(/\d+\/\d+$/, '1'),
    ip_version: 4,
    enable_dhcp: true,
    ipv6_ra_mode: null,
    ipv6_address_mode: null,
    host_routes: [],
    dns_nameservers: [],
    tags: [],
    created_at: at,
    updated_at: at,
    revision_number: 0,
  };
  world.subnets.push(subnet);
  return { status: 201, body: { subnet } };
}

export function deleteSubnet(world: CloudWorld, subnet: Subnet): void {
  const inUse = world.ports.some((port) => port.fixed_ips.some((ip) => ip.subnet_id === subnet.id));
  if (inUse) {
    const text = `Unable to complete operation on subnet ${subnet.id}: One or more ports have an IP allocation from this subnet.`;
    throw neutronError(409, 'SubnetInUse', text);
  }
  world.subnets.splice(world.subnets.indexOf(subnet), 1);
}
