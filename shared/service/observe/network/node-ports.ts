import type { Node } from '../../../model/kubernetes.ts';
import type { Subnet } from '../../../model/network/network-facts.ts';
import type { Address } from '../../../model/address.ts';
import type { ObservedResource, WireResource } from '../../../model/resources.ts';
import type { Cloud } from '../../../ports.ts';
import { listPorts } from '../../../observe/list-ports.ts';

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
export function portsAt(
  addresses: readonly string[],
  cloud: Pick<Cloud, 'list'>,
): Promise<readonly WireResource[]> {
  const wanted = addresses.map((address) => `ip_address=${address}`);
  return listPorts('fixed_ips', wanted, FIELDS, cloud);
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
