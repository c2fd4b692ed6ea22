import type { WireResource } from '../resources.ts';

/** Who has a VIP port: Octavia itself, or its provider ovn (docs/sources/openstack.md, "VIP ports of the provider ovn"). */
export const VIP_PORT_OWNERS = ['Octavia', 'ovn-lb:vip', 'ovn-lb-vip:distributed'];

/** The load balancer that a VIP port was made for, by its name; undefined for a port that Octavia did not make. */
export function loadBalancerOfPort({ name, device_owner }: WireResource): string | undefined {
  const [, id] = /^(?:octavia-lb|ovn-lb-vip)-([0-9a-f-]{36})$/.exec(String(name)) ?? [];
  return VIP_PORT_OWNERS.includes(String(device_owner)) ? id : undefined;
}
