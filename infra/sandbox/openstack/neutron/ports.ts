import { neutronError } from '../../refusal.ts';
import { slaac } from './address-pool.ts';
import type { CloudState } from '../cloud-state.ts';
import { detach } from './floating-ips.ts';
import type { FixedIp, Port } from './objects.ts';
import { checkQuota } from './quotas.ts';
import { noFreeAddress, noSuchSubnet } from './refusals.ts';

export interface PortWish {
  readonly name: string;
  readonly deviceId: string;
  readonly deviceOwner: string;
  /** The wanted IP addresses: any one of a subnet, or the `address` in it. */
  readonly subnets: readonly { readonly id: string; readonly address?: string | undefined }[];
  readonly up: boolean;
  readonly projectId: string;
  readonly securityGroups?: readonly string[] | undefined;
}

/**
 * Makes a port. As on the lab every port of a network with an IPv6 subnet also gets a SLAAC address, VIP ports
 * included (docs/sources/openstack.md, "Addresses by SLAAC"). Refuses as Neutron does an address that is taken or
 * outside of its subnet.
 */
export function createPort(world: CloudState, wish: PortWish): Port {
  checkQuota(world, 'port', world.ports, wish.projectId);
  const subnets = wish.subnets.map(({ id }) => {
    const found = world.subnets.byId(id);
    if (!found) throw noSuchSubnet(id);
    return found;
  });
  const first = subnets[0];
  if (!first) throw neutronError(400, 'BadRequest', 'A port needs a subnet.');
  const six = world.subnets.of('network_id', first.network_id).find((subnet) => subnet.ip_version === 6);
  const { mac, address } = slaac(world.lots.bytes(3), six?.cidr ?? '');
  const fixed = subnets.map((subnet, index): FixedIp => {
    const asked = wish.subnets[index]?.address;
    if (asked !== undefined && subnet['ipv6_address_mode'] === 'slaac') {
      const message = `IPv6 address ${asked} cannot be directly assigned to a port on subnet ${subnet.id} as the subnet is configured for automatic addresses`;
      throw neutronError(400, 'AllocationOnAutoAddressSubnet', message);
    }
    if (asked !== undefined && !world.addresses.isInside(subnet, asked)) {
      throw neutronError(
        400,
        'InvalidIpForSubnet',
        `IP address ${asked} is not a valid IP for the specified subnet.`,
      );
    }
    if (asked !== undefined && world.addresses.isTaken(asked)) {
      const message = `IP address ${asked} already allocated in subnet ${subnet.id}`;
      throw neutronError(409, 'IpAddressAlreadyAllocated', message);
    }
    const chosen = asked ?? (subnet.ip_version === 6 ? address : world.addresses.free(subnet));
    if (chosen === undefined) throw noFreeAddress(subnet.network_id);
    return { subnet_id: subnet.id, ip_address: chosen };
  });
  if (six && !subnets.includes(six)) fixed.push({ subnet_id: six.id, ip_address: address });
  return placePort(world, { ...wish, network: first.network_id, fixed, mac });
}

export interface PlacedPort extends PortWish {
  readonly network: string;
  readonly fixed: readonly FixedIp[];
  readonly mac?: string;
}

/** Makes a port with exactly these addresses, and checks nothing. */
export function placePort(world: CloudState, wish: PlacedPort): Port {
  const at = world.clock.seconds();
  const port: Port = {
    ...{ id: world.newId(), name: wish.name, network_id: wish.network },
    ...{ tenant_id: wish.projectId, project_id: wish.projectId },
    ...{ mac_address: wish.mac ?? slaac(world.lots.bytes(3), '').mac, admin_state_up: wish.up },
    status: wish.up ? 'ACTIVE' : 'DOWN',
    ...{ device_id: wish.deviceId, device_owner: wish.deviceOwner, fixed_ips: wish.fixed },
    ...{ allowed_address_pairs: [], extra_dhcp_opts: [], security_groups: [...(wish.securityGroups ?? [])] },
    ...{ description: '', 'binding:vnic_type': 'normal', port_security_enabled: true, tags: [] },
    ...{ created_at: at, updated_at: at, revision_number: 1 },
  };
  world.ports.push(port);
  return port;
}

/** Removes a port; floating IPs on it stay, DOWN and detached (recorded: neutron_fip_after_lb_delete). */
export function deletePort(world: CloudState, port: Port): void {
  world.ports.remove(port);
  for (const ip of world.floatingips.of('port_id', port.id)) {
    detach(ip);
    world.touch(ip);
  }
}
