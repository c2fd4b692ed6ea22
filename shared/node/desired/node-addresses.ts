import { isIP } from 'node:net';
import type { NodeAddress } from '../../model/kubernetes.ts';
import type { Problem } from '../../model/plan.ts';
import type { NetworkingConfig } from '../../config/config.ts';
import { compareText } from '../../model/text/text.ts';
import { familyOf } from '../../model/network/network-facts.ts';
import type { NeutronPort, Server, Subport } from '../../model/node/nova.ts';
import { cidrContains, compareAddresses, canonicalAddress } from '../../model/network/cidr.ts';
import { PROVIDED_NODE_IP } from '../../model/node/node.ts';

export interface NodeAddressInput extends ServerReading {
  readonly providedNodeIPs?: string;
}

interface DesiredAddresses {
  /** The addresses. If there are none, the Node keeps its own, and a Problem says why. */
  readonly addresses: readonly NodeAddress[];
  readonly problems: readonly Problem[];
  /** The server's addresses are not known yet, so the Node must not be used. */
  readonly incomplete?: true;
}

/**
 * status.addresses: those of the server, the Node's own Hostname if the cloud has none, and first those that its
 * kubelet was told (docs/sources/occm.md, "Node addresses"). A Node never loses its last InternalIP (decision 104).
 * If [Networking] names networks, what Nova does not list counts only for a Node that has, or would have, no address.
 */
export function nodeAddresses(input: NodeAddressInput): DesiredAddresses {
  const { publicNetworkName, internalNetworkName } = input.options;
  const isNamed = [...publicNetworkName, ...internalNetworkName].length > 0;
  const found = addressesFor(input, !isNamed || input.existing.every(isHostname));
  const { addresses } = found;
  return addresses.length > 0 && addresses.every(isHostname) ? addressesFor(input, true) : found;
}

function addressesFor(input: NodeAddressInput, countsUnlisted: boolean): DesiredAddresses {
  const { existing, providedNodeIPs, options } = input;
  if (isDoubtful(input)) {
    const why = 'Nova lists no address of its server, although Neutron has ports with addresses';
    return { ...nothing(why), incomplete: true };
  }
  const sorted = sortAddresses(serverAddresses(input, countsUnlisted), options.addressSortOrder);
  if (sorted.length === 0 && providedNodeIPs === undefined)
    return nothing('its server has no address that [Networking] lets through');
  const hostnames = sorted.some(isHostname) ? [] : existing.filter(isHostname);
  const named = [...sorted, ...hostnames];
  if (providedNodeIPs === undefined) return withInternalIP(named, existing);
  const { addresses, problems } = preferNodeIPs(named, providedNodeIPs);
  return problems.length > 0
    ? { addresses, problems, incomplete: true }
    : withInternalIP(addresses, existing);
}

/** Nova's cache is empty now and then. A Node without an address has none to lose. */
function isDoubtful({ server, ports, existing }: ServerReading): boolean {
  const isListed = Object.values(server.addresses ?? {}).some((addresses) => (addresses ?? []).length > 0);
  const hasSome = existing.some((one) => !isHostname(one));
  return hasSome && !isListed && ports.some(({ fixed_ips }) => (fixed_ips ?? []).length > 0);
}

/** With the present InternalIPs if there would be none, unless they are ExternalIPs now. */
function withInternalIP(
  addresses: readonly NodeAddress[],
  existing: readonly NodeAddress[],
): DesiredAddresses {
  if (addresses.some(isInternal)) return { addresses, problems: [] };
  const kept = existing.filter(
    (one) =>
      isInternal(one) &&
      !addresses.some(({ type, address }) => type === 'ExternalIP' && address === one.address),
  );
  if (kept.length === 0) return { addresses, problems: [] };
  const message = 'stays: the server has no InternalIP that [Networking] lets through, and a Node needs one';
  return {
    addresses: [...kept, ...addresses],
    problems: [problem(kept.map(({ address }) => address).join(','), message)],
  };
}

function nothing(why: string): DesiredAddresses {
  return { addresses: [], problems: [problem('', `${why}; the Node keeps its addresses`)] };
}

function problem(value: string, message: string): Problem {
  return { field: 'status.addresses', value, message, momentary: true };
}

function isInternal({ type }: NodeAddress): boolean {
  return type === 'InternalIP';
}

function isHostname({ type }: NodeAddress): boolean {
  return type === 'Hostname';
}

interface ServerReading {
  readonly server: Server;
  readonly ports: readonly NeutronPort[];
  /** The sub-ports of trunks whose parents are among the ports. */
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
 * In OCCM's order (docs/sources/occm.md, "Node addresses", steps 1 to 6). A port that is not ACTIVE counts only for
 * addresses that Nova lists or the Node has (decision 104); with `countsUnlisted` an ACTIVE one also for others.
 */
function serverAddresses(reading: ServerReading, countsUnlisted: boolean): readonly NodeAddress[] {
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

/** The type of an address. Undefined for a network that gives Nodes no address. */
function typeOf({ network, floating }: Listed, options: NetworkingConfig): string | undefined {
  if (floating || options.publicNetworkName.includes(network)) return 'ExternalIP';
  const { internalNetworkName } = options;
  return internalNetworkName.length === 0 || internalNetworkName.includes(network) ? 'InternalIP' : undefined;
}

/** By the names of their networks. Nova does not know sub-ports, so theirs come last. */
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

/**
 * An address is sure if Nova lists it, or with `countsUnlisted` if its port is ACTIVE. Another one counts with the
 * type that the Node has for it.
 */
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

function byId<T>(ports: readonly T[], id: (port: T) => string): readonly T[] {
  return [...ports].sort((a, b) => compareText(id(a), id(b)));
}

/** By address-sort-order of [Networking] (docs/sources/occm.md, "Node addresses", step 7); addresses in no CIDR come last. */
function sortAddresses(addresses: readonly NodeAddress[], cidrs: readonly string[]): readonly NodeAddress[] {
  const place = ({ address }: NodeAddress): number => {
    const index = isIP(address) === 0 ? -1 : cidrs.findIndex((cidr) => cidrContains(cidr, address));
    return index === -1 ? cidrs.length : index;
  };
  return [...addresses].sort((a, b) => {
    const [left, right] = [place(a), place(b)];
    return left === right && left < cidrs.length ? compareAddresses(a.address, b.address) : left - right;
  });
}

interface Preferred {
  readonly addresses: readonly NodeAddress[];
  readonly problems: readonly Problem[];
}

/**
 * Those of --node-ip first, without others of their types (docs/sources/kubernetes.md, "Addresses that a kubelet was
 * told"). None while the cloud does not know one of them.
 */
function preferNodeIPs(addresses: readonly NodeAddress[], provided: string): Preferred {
  const refuse = (message: string): Preferred => ({
    addresses: [],
    problems: [
      { field: PROVIDED_NODE_IP, value: provided, message: `${message}; levelset changes no address` },
    ],
  });
  const nodeIPs = provided.split(',');
  const families = nodeIPs.map((nodeIP) => isIP(nodeIP));
  if (families.includes(0) || new Set(families).size < families.length)
    return refuse('must be one IP address, or one of each family, separated by a comma');
  const matches = nodeIPs.map((nodeIP) => addresses.filter(({ address }) => isSame(address, nodeIP)));
  const unknown = nodeIPs.filter((_, index) => matches[index]?.length === 0);
  if (unknown.length > 0)
    return refuse(
      `names an address that the server does not have, or that [Networking] filters out: ${unknown.join(', ')}`,
    );
  const first = matches.flat();
  const types = first.map(({ type }) => type);
  return { addresses: [...first, ...addresses.filter(({ type }) => !types.includes(type))], problems: [] };
}

function isSame(address: string, nodeIP: string): boolean {
  return isIP(address) === isIP(nodeIP) && canonicalAddress(address) === canonicalAddress(nodeIP);
}
