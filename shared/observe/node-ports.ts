import type { Node } from '../model/kubernetes.ts';
import type { Subnet } from '../model/network.ts';
import type { Address } from '../model/address.ts';
import type { ObservedResource, WireResource } from '../model/resources.ts';
import type { Cloud } from '../ports.ts';

/** So many addresses in one URL: some servers take no more than 4 kB of it. */
const AT_ONCE = 50;
/** More lists than this are more than one of all ports of the project. */
const FEW = 4;

const FIELDS = ['id', 'fixed_ips', 'security_groups', 'revision_number', 'port_security_enabled'];

export interface NodePorts {
  readonly resources: readonly ObservedResource<'port'>[];
  /** Addresses with no port in the member subnet that the project can see. */
  readonly withoutPort: readonly string[];
  /** Addresses whose port has port security switched off: it takes no security group, and needs none. */
  readonly unfiltered: readonly string[];
}

/**
 * The ports that have one of the groups, and those of the members at these addresses in this subnet. Ports with the group
 * come first, with one call: when nothing changed they are all the members.
 */
export async function observeNodePorts(
  groups: readonly WireResource[],
  members: { readonly addresses: readonly string[]; readonly subnet: Subnet | undefined },
  cloud: Pick<Cloud, 'list'>,
): Promise<NodePorts> {
  const { addresses, subnet } = members;
  const holders = await holdersOf(groups, cloud);
  const isAt = (port: WireResource, address: string): boolean =>
    fixedIps(port).some((fixed) => fixed.ip_address === address && fixed.subnet_id === subnet?.id);
  const missing = addresses.filter((address) => !holders.some((port) => isAt(port, address)));
  const others = await portsAt(missing, cloud);
  const found = addresses.map((address) => ({
    address,
    port: [...holders, ...others].find((port) => isAt(port, address)),
  }));
  const used = new Set(found.flatMap(({ port }) => port?.id ?? []));
  const left = holders.filter(({ id }) => !used.has(id));
  const ports = new Map<Address, WireResource>();
  for (const { address, port } of found) if (port && isFiltered(port)) ports.set(`port/${address}`, port);
  for (const port of left) {
    const address = `port/${fixedIps(port)[0]?.ip_address ?? port.id}`;
    ports.set(ports.has(address) ? `port/${port.id}` : address, port);
  }
  return {
    resources: [...ports].map(([address, wire]) => ({
      kind: 'port',
      address,
      id: wire.id,
      owned: true,
      wire,
    })),
    withoutPort: found.flatMap(({ address, port }) => (port ? [] : [address])),
    unfiltered: found.flatMap(({ address, port }) => (port && !isFiltered(port) ? [address] : [])),
  };
}

/** Every address at which one of these nodes could be a member. */
export function addressesOf(nodes: readonly Node[]): readonly string[] {
  const addresses = nodes.flatMap(({ status }) => status?.addresses ?? []);
  return [
    ...new Set(addresses.flatMap(({ type, address }) => (type.endsWith('IP') && address ? [address] : []))),
  ];
}

/** Ports of the project with these addresses, in few calls however many there are. */
export async function portsAt(
  addresses: readonly string[],
  cloud: Pick<Cloud, 'list'>,
): Promise<readonly WireResource[]> {
  if (addresses.length > AT_ONCE * FEW) return cloud.list('port', { fields: FIELDS });
  const batches = Array.from({ length: Math.ceil(addresses.length / AT_ONCE) }, (_, at) =>
    addresses.slice(at * AT_ONCE, (at + 1) * AT_ONCE),
  );
  const lists = batches.map((batch) =>
    cloud.list('port', { fixed_ips: batch.map((address) => `ip_address=${address}`), fields: FIELDS }),
  );
  return (await Promise.all(lists)).flat();
}

/** Neutron before Train does not know this filter and lists all ports. */
async function holdersOf(
  groups: readonly WireResource[],
  cloud: Pick<Cloud, 'list'>,
): Promise<readonly WireResource[]> {
  if (groups.length === 0) return [];
  const ids = groups.map(({ id }) => id);
  const listed = await cloud.list('port', { security_groups: ids, fields: FIELDS });
  return listed.filter((port) =>
    ids.some((id) => (port['security_groups'] as readonly string[]).includes(id)),
  );
}

function isFiltered(port: WireResource): boolean {
  return port['port_security_enabled'] !== false;
}

function fixedIps(port: WireResource): readonly FixedIP[] {
  return (port['fixed_ips'] ?? []) as readonly FixedIP[];
}

interface FixedIP {
  readonly ip_address: string;
  readonly subnet_id: string;
}
