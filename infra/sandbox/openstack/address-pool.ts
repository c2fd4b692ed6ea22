import type { FloatingIp, Port, Subnet } from './neutron-objects.ts';

/** Hands out the addresses of IPv4 /24 subnets from .10 up, and the SLAAC address that belongs to a MAC. */
export class AddressPool {
  private readonly subnets: readonly Subnet[];
  private readonly ports: readonly Port[];
  private readonly floatingips: readonly FloatingIp[];

  constructor(subnets: readonly Subnet[], ports: readonly Port[], floatingips: readonly FloatingIp[]) {
    this.subnets = subnets;
    this.ports = ports;
    this.floatingips = floatingips;
  }

  isTaken(address: string): boolean {
    return (
      this.subnets.some((subnet) => subnet['gateway_ip'] === address) ||
      this.floatingips.some((ip) => ip.floating_ip_address === address) ||
      this.ports.some((port) => port.fixed_ips.some((ip) => ip.ip_address === address))
    );
  }

  isInside(subnet: Subnet, address: string): boolean {
    return address.startsWith(prefix(subnet)) && address !== `${prefix(subnet)}0`;
  }

  /** The lowest free address, or undefined when the subnet is full. */
  free(subnet: Subnet): string | undefined {
    const candidates = Array.from({ length: 245 }, (_, index) => prefix(subnet) + String(index + 10));
    return candidates.find((address) => !this.isTaken(address));
  }
}

/** A MAC as Neutron makes it and its EUI-64 address in fd00:10::/64. */
export function slaac(random: Buffer): { mac: string; address: string } {
  const [a = 0, b = 0, c = 0] = random;
  const hex = (value: number): string => value.toString(16).padStart(2, '0');
  const group = (high: number, low: number): string => ((high << 8) | low).toString(16);
  return {
    mac: `fa:16:3e:${hex(a)}:${hex(b)}:${hex(c)}`,
    address: `fd00:10::f816:3eff:${group(0xfe, a)}:${group(b, c)}`,
  };
}

const prefix = (subnet: Subnet): string =>
  subnet.ip_version === 6 ? subnet.cidr.replace(/\/\d+$/, '') : subnet.cidr.replace(/\d+\/\d+$/, '');
