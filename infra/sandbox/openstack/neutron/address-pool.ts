import type { Rows } from '../rows.ts';
import type { FloatingIp, Port, Subnet } from './objects.ts';

/** Hands out the IP addresses of IPv4 subnets, the tenth first, and knows which ones are taken. */
export class AddressPool {
  private readonly subnets: Rows<Subnet>;
  private readonly ports: Rows<Port>;
  private readonly floatingips: Rows<FloatingIp>;
  private readonly last = new Map<string, number>();

  constructor(subnets: Rows<Subnet>, ports: Rows<Port>, floatingips: Rows<FloatingIp>) {
    this.subnets = subnets;
    this.ports = ports;
    this.floatingips = floatingips;
  }

  isTaken(address: string): boolean {
    return (
      this.subnets.some((subnet) => subnet['gateway_ip'] === address) ||
      this.floatingips.count('floating_ip_address', address) > 0 ||
      this.ports.count('fixed_ips', address) > 0
    );
  }

  isInside(subnet: Subnet, address: string): boolean {
    if (subnet.ip_version === 6) return address.startsWith(subnet.cidr.replace(/\/\d+$/, ''));
    const { first, size } = range(subnet);
    const offset = numberOf(address) - first;
    return offset > 0 && offset < size - 1;
  }

  /** The next free address after the one given last, or undefined when the subnet is full. */
  free(subnet: Subnet): string | undefined {
    const { first, size } = range(subnet);
    const usable = size - 11;
    const start = this.last.get(subnet.id) ?? usable - 1;
    for (let step = 1; step <= usable; step += 1) {
      const offset = (start + step) % usable;
      const address = textOf(first + 10 + offset);
      if (this.isTaken(address)) continue;
      this.last.set(subnet.id, offset);
      return address;
    }
    return undefined;
  }
}

/** A MAC as Neutron makes it and its EUI-64 address in a /64 such as fd00:10::/64. */
export function slaac(random: Buffer, cidr: string): { mac: string; address: string } {
  const [a = 0, b = 0, c = 0] = random;
  const hex = (value: number): string => value.toString(16).padStart(2, '0');
  const group = (high: number, low: number): string => ((high << 8) | low).toString(16);
  return {
    mac: `fa:16:3e:${hex(a)}:${hex(b)}:${hex(c)}`,
    address: `${cidr.replace(/::\/64$/, '')}::f816:3eff:${group(0xfe, a)}:${group(b, c)}`,
  };
}

function range(subnet: Subnet): { first: number; size: number } {
  const [base = '', bits = '24'] = subnet.cidr.split('/');
  return { first: numberOf(base), size: 2 ** (32 - Number(bits)) };
}

const numberOf = (address: string): number =>
  address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);

const textOf = (value: number): string => [24, 16, 8, 0].map((shift) => (value >>> shift) & 255).join('.');
