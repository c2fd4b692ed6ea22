import type { NetworkingConfig } from '../../config/config.ts';
import { compareText } from '../../model/text/text.ts';
import type { NodeAddress } from '../../model/kubernetes.ts';
import { familyOf } from '../../model/network/network-facts.ts';
import type { NeutronPort, Server, Subport } from '../../model/node/nova.ts';

/** What is known of a server's addresses, and what its Node has. */
export interface ServerReading {
  readonly server: Server;
  /** All that have the server as their device. */
  readonly ports: readonly NeutronPort[];
  /** Of the trunks whose parents are among the ports. */
  readonly subports?: readonly Subport[];
  readonly existing: readonly NodeAddress[];
  readonly options: NetworkingConfig;
}

interface Listed {
  readonly network: string;
  readonly address: string;
  readonly floating: boolean;
}

/**
 * The addresses of a server in the Go provider's order (openstack-ccm.md, 6.5, steps 1 to 6): those of its ports, the access
 * addresses, its hostname, and what Nova lists, network by network. A port that is not ACTIVE counts for what Nova lists,
 * or the Node has (decision 101); with `countsUnlisted`, so does one that is ACTIVE for what Nova does not list.
 */
export function serverAddresses(reading: ServerReading, countsUnlisted: boolean): readonly NodeAddress[] {
  const { server, options } = reading;
  const found: NodeAddress[] = [];
  const add = (type: string, address: string): void => {
    const isDisabled = options.ipv6SupportDisabled && type !== 'Hostname' && familyOf(address) === 6;
    const isThere = found.some((one) => one.type === type && one.address === address);
    if (address !== '' && !isDisabled && !isThere) found.push({ type, address });
  };
  const remove = (address: string): void => {
    found.splice(0, found.length, ...found.filter((one) => one.address !== address));
  };
  const listed = listedBy(reading);
  const { internal, external } = portAddresses(reading, listed, countsUnlisted);
  for (const address of internal) add('InternalIP', address);
  add('ExternalIP', server.accessIPv4 ?? '');
  add('ExternalIP', server.accessIPv6 ?? '');
  add('Hostname', server.metadata?.['hostname'] ?? '');
  for (const one of listed) {
    const type = typeOf(one, options);
    if (!one.floating && type !== 'InternalIP') remove(one.address);
    if (type) add(type, one.address);
  }
  for (const address of external) add('ExternalIP', address);
  return found;
}

/** Undefined: a network that gives no address to Nodes. */
function typeOf({ network, floating }: Listed, options: NetworkingConfig): string | undefined {
  if (floating || options.publicNetworkNames.includes(network)) return 'ExternalIP';
  const { internalNetworkNames } = options;
  return internalNetworkNames.length === 0 || internalNetworkNames.includes(network)
    ? 'InternalIP'
    : undefined;
}

/** By the names of the networks. Nova knows no sub-ports: theirs come after its own. */
function listedBy({ server, subports = [] }: ServerReading): readonly Listed[] {
  const ofNova = Object.entries(server.addresses ?? {}).flatMap(([network, addresses]) =>
    (addresses ?? []).map((one) => ({
      network,
      address: one.addr,
      floating: one['OS-EXT-IPS:type'] === 'floating',
    })),
  );
  const ofTrunks = byId(subports, ({ port }) => port.id).flatMap(({ port, networkName }) =>
    fixedIPs(port).map((address) => ({ network: networkName, address, floating: false })),
  );
  return [...ofNova, ...ofTrunks].sort((a, b) => compareText(a.network, b.network));
}

/** In the order of the ports: what is sure, and what the Node has while it is not. */
function portAddresses(
  { ports, existing }: ServerReading,
  listed: readonly Listed[],
  countsUnlisted: boolean,
): Readonly<Record<'internal' | 'external', readonly string[]>> {
  const active = ports.filter(({ status }) => status === 'ACTIVE').flatMap(fixedIPs);
  const sure = new Set([...(countsUnlisted ? active : []), ...listed.map(({ address }) => address)]);
  const has = (type: string, address: string): boolean =>
    existing.some((one) => one.type === type && one.address === address);
  const all = byId(ports, ({ id }) => id).flatMap(fixedIPs);
  return {
    internal: all.filter((address) => sure.has(address) || has('InternalIP', address)),
    external: all.filter((address) => !sure.has(address) && has('ExternalIP', address)),
  };
}

function fixedIPs(port: NeutronPort): readonly string[] {
  return (port.fixed_ips ?? []).map(({ ip_address }) => ip_address);
}

/** The order in which Neutron lists ports. */
function byId<T>(ports: readonly T[], id: (port: T) => string): readonly T[] {
  return [...ports].sort((a, b) => compareText(id(a), id(b)));
}
