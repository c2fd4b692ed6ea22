import { cidrKey, isWithin } from '../network/cidr.ts';
import type { NeutronPort } from './nova.ts';

export interface DevicePort extends NeutronPort {
  readonly device_owner?: string;
  readonly port_security_enabled?: boolean;
  readonly allowed_address_pairs?: readonly { readonly ip_address: string }[] | null;
}

export function subportIdsOf(ports: readonly DevicePort[]): readonly string[] {
  return ports.flatMap((port) => port.trunk_details?.sub_ports ?? []).map(({ port_id: id }) => id);
}

export class SeenPorts {
  readonly #byDevice: ReadonlyMap<string, readonly DevicePort[]>;
  readonly #byId: ReadonlyMap<string, DevicePort>;
  readonly #byAddress: ReadonlyMap<string, readonly DevicePort[]>;

  constructor(ports: readonly DevicePort[]) {
    this.#byDevice = Map.groupBy(ports, ({ device_id: id = '' }) => id);
    this.#byId = new Map(ports.map((port) => [port.id, port]));
    const located = ports.flatMap((port) => fixedIPs(port).map((address) => ({ port, address })));
    this.#byAddress = new Map(
      [...Map.groupBy(located, ({ address }) => address)].map(([address, found]) => [
        address,
        found.map(({ port }) => port),
      ]),
    );
  }

  /** The ids of the server's ports with this fixed IP, sub-ports of its trunks included. */
  fixedOn(server: string, address: string): readonly string[] {
    const subports = this.#subportsOf(server);
    return this.#at(address)
      .filter(({ id, device_id: device }) => device === server || subports.has(id))
      .map(({ id }) => id);
  }

  /** The ids of the server's ports on which it may use this address: as a fixed IP, or by an address pair. */
  ofServer(server: string, address: string): readonly string[] {
    const fixed = this.fixedOn(server, address);
    // a pair may be as wide as all addresses, and proves nothing against the port that has this one
    if (fixed.length > 0 || this.elsewhere(address, server)) return fixed;
    return this.#portsOf(server)
      .filter((port) => hasPair(port, address))
      .map(({ id }) => id);
  }

  /** The subnets in which the server has this fixed IP; undefined if the project sees no port of it. */
  subnetsOf(server: string, address: string): readonly string[] | undefined {
    if (!this.hasPortsOf(server)) return undefined;
    const fixed = this.#portsOf(server).flatMap(({ fixed_ips: all }) => all ?? []);
    return fixed.flatMap(({ ip_address: ip, subnet_id: id }) =>
      id !== undefined && cidrKey(ip) === cidrKey(address) ? [id] : [],
    );
  }

  hasPortsOf(server: string): boolean {
    return this.#portsOf(server).length > 0;
  }

  #portsOf(server: string): readonly DevicePort[] {
    const subports = [...this.#subportsOf(server)].flatMap((id) => this.#byId.get(id) ?? []);
    return [...new Set([...(this.#byDevice.get(server) ?? []), ...subports])];
  }

  /** A port of another device with this fixed IP. A port that nobody uses is nobody's. */
  elsewhere(address: string, server: string | undefined): DevicePort | undefined {
    const own = server === undefined ? new Set<string>() : new Set(this.fixedOn(server, address));
    return this.#at(address).find((port) => !own.has(port.id) && isInUse(port));
  }

  #at(address: string): readonly DevicePort[] {
    return this.#byAddress.get(cidrKey(address)) ?? [];
  }

  #subportsOf(server: string): ReadonlySet<string> {
    return new Set(subportIdsOf(this.#byDevice.get(server) ?? []));
  }
}

/** Whether a device uses the port. Only an admin sees the ports of floating IPs, whose device is the floating IP. */
function isInUse({ device_id: device = '', device_owner: owner = '' }: DevicePort): boolean {
  return owner !== 'network:floatingip' && (device !== '' || owner.startsWith('trunk:'));
}

function hasPair({ allowed_address_pairs: pairs }: DevicePort, address: string): boolean {
  return (pairs ?? []).some(({ ip_address: cidr }) => isWithin(cidrKey(address), cidrKey(cidr)));
}

function fixedIPs({ fixed_ips: fixed }: NeutronPort): readonly string[] {
  return (fixed ?? []).map(({ ip_address }) => cidrKey(ip_address));
}
