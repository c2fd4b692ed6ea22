import { cidrContains, cidrKey } from '../../../model/network/cidr.ts';
import type { LocatedAddress } from '../../../model/node/judged-nodes.ts';
import { fingerprint } from '../../../model/json.ts';
import {
  familyOf,
  type Family,
  type NoVipSubnet,
  type Subnet,
  type NetworkFacts,
  type NetworkQuestion,
} from '../../../model/network/network-facts.ts';
import type { WireResource } from '../../../model/resources.ts';
import type { CloudReader } from '../../../ports.ts';
import { listPorts, onceAMinute } from '../../../observe/reads.ts';

interface FixedIP {
  readonly ip_address: string;
  readonly subnet_id: string;
}

/** Neutron's subnets for one comparison. Each is read once a minute; the ids that the project cannot see are kept. */
export class Subnets {
  readonly missing = new Set<string>();
  readonly #reader: CloudReader;
  readonly locate: () => readonly LocatedAddress[];

  constructor(reader: CloudReader, locate: () => readonly LocatedAddress[]) {
    this.#reader = reader;
    this.locate = locate;
  }

  async read(id: string): Promise<Subnet | undefined> {
    const wire = await this.#once(`subnet ${id}`, () => this.#reader.cloud.get('subnet', id));
    if (!wire) this.missing.add(id);
    return wire && asSubnet(wire);
  }

  async ofNetwork(id: string): Promise<readonly Subnet[]> {
    const found = await this.#once(`subnets of ${id}`, () =>
      this.#reader.cloud.list('subnet', { network_id: id }),
    );
    return found.map(asSubnet).sort((a, b) => (a.id < b.id ? -1 : 1));
  }

  async ofPort(id: string): Promise<readonly string[]> {
    const port = await this.#once(`port ${id}`, () => this.#reader.cloud.get('port', id));
    if (!port) this.missing.add(id);
    return port ? fixedIps(port).map(({ subnet_id }) => subnet_id) : [];
  }

  /** The subnet of the first Node that has an address of this family in exactly one. */
  ofNodes(family: Family): Promise<string | undefined> {
    return this.#first(this.locate().filter(({ address }) => familyOf(address) === family));
  }

  ofAddresses(addresses: readonly string[]): Promise<string | undefined> {
    const nodes = new Map(this.locate().map((one) => [cidrKey(one.address), one]));
    return this.#first(addresses.map((address) => nodes.get(cidrKey(address)) ?? { address }));
  }

  /** What servers' own ports prove goes first. Of the other addresses the project's ports tell, if exactly one subnet has it. */
  async #first(located: readonly LocatedAddress[]): Promise<string | undefined> {
    const only = (ids: readonly string[] = []): string | undefined =>
      new Set(ids).size === 1 ? ids[0] : undefined;
    const proven = located.map(({ subnets }) => only(subnets)).find((id) => id !== undefined);
    if (proven !== undefined) return proven;
    const unknown = located.filter(({ subnets }) => !subnets).map(({ address }) => address);
    const wanted = unknown.map((address) => `ip_address=${address}`);
    const found = await this.#once(`ports at ${fingerprint(wanted)}`, () =>
      listPorts('fixed_ips', wanted, ['id', 'device_owner', 'fixed_ips'], this.#reader.cloud),
    );
    const fixed = found.filter(({ device_owner: owner }) => owner !== 'network:floatingip').flatMap(fixedIps);
    const there = Map.groupBy(fixed, ({ ip_address }) => cidrKey(ip_address));
    const subnetsAt = (address: string) => there.get(cidrKey(address))?.map(({ subnet_id: id }) => id);
    return unknown.map((address) => only(subnetsAt(address))).find((id) => id !== undefined);
  }

  #once<T>(key: string, ask: () => Promise<T>): Promise<T> {
    return onceAMinute(this.#reader, key, ask);
  }
}

interface Choice {
  readonly subnet?: Subnet;
  readonly noVipSubnet?: NoVipSubnet;
}

/** A preferred subnet, else the only one, else the only one with nodes in it. */
export async function chooseSubnet(
  family: Family,
  network_id: string,
  preferred: readonly Subnet[],
  subnets: Subnets,
): Promise<Choice> {
  const isFitting = (one: Subnet): boolean => familyOf(one.cidr) === family && one.network_id === network_id;
  const known = preferred.find(isFitting);
  if (known) return { subnet: known };
  const fitting = (await subnets.ofNetwork(network_id)).filter(isFitting);
  const addresses = fitting.length > 1 ? subnets.locate() : [];
  const withNodes = fitting.filter(({ cidr }) =>
    addresses.some(({ address }) => cidrContains(cidr, address)),
  );
  const [subnet, ...others] = fitting.length > 1 ? withNodes : fitting;
  if (subnet && others.length === 0) return { subnet };
  return { noVipSubnet: { family, network_id, candidates: fitting.map(({ id }) => id) } };
}

function asSubnet(wire: WireResource): Subnet {
  const slaac = ['slaac', 'dhcpv6-stateless'].includes(String(wire['ipv6_address_mode']));
  return {
    id: wire.id,
    cidr: String(wire['cidr']),
    network_id: String(wire['network_id']),
    ...(slaac ? { slaac } : {}),
  };
}

export function fixedIps(port: WireResource): readonly FixedIP[] {
  return (port['fixed_ips'] ?? []) as readonly FixedIP[];
}

type VipSubnets = Pick<NetworkFacts, 'vipSubnet' | 'noVipSubnet'> & {
  readonly additionalSubnets: readonly Subnet[];
};

/**
 * The primary subnet is the named one, else the load balancer's, else that of the named port, else the nodes'. If it is of a family that the Service
 * does not have, it only says in which network to choose one. If only a network is named, Octavia chooses an IPv4 subnet itself.
 * The second family takes a named additional subnet, else the load balancer's, else one of the same network.
 */
export async function observeVipSubnets(
  question: NetworkQuestion,
  loadBalancer: WireResource | undefined,
  subnets: Subnets,
): Promise<VipSubnets> {
  const { families, vip_network_id: named } = question;
  const [first = 4] = families;
  const start = await primarySubnet(question, loadBalancer, subnets);
  const further = await readAll(question.additional_vip_subnet_ids ?? [], subnets);
  const network = start?.network_id ?? named;
  if (network === undefined) return { additionalSubnets: further };
  const own = await readAll(additionalSubnetIds(loadBalancer), subnets);
  const choose = (family: Family): Promise<Choice> =>
    chooseSubnet(family, network, [...further, ...own], subnets);

  const stays = start ? families.includes(familyOf(start.cidr)) : first === 4;
  const primary: Choice = stays ? (start ? { subnet: start } : {}) : await choose(first);
  if (primary.noVipSubnet) return { additionalSubnets: further, noVipSubnet: primary.noVipSubnet };
  const vipSubnet = primary.subnet;
  const there = [vipSubnet ? familyOf(vipSubnet.cidr) : first, ...further.map(({ cidr }) => familyOf(cidr))];
  const lacking = families.find((family) => !there.includes(family));
  const found: Choice = lacking === undefined ? {} : await choose(lacking);
  const isGiven = [...further, ...own].some(({ id }) => id === found.subnet?.id);
  const unasked =
    question.stays_inside && !isGiven && found.subnet && isGlobal(found.subnet) ? found.subnet : undefined;
  const second: Choice = unasked
    ? { noVipSubnet: { family: 6, network_id: network, candidates: [unasked.id] } }
    : found;
  const additional = [...further, ...(second.subnet ? [second.subnet] : [])];
  return {
    ...(vipSubnet ? { vipSubnet } : {}),
    additionalSubnets: additional.filter(({ id }) => id !== vipSubnet?.id),
    ...(second.noVipSubnet ? { noVipSubnet: second.noVipSubnet } : {}),
  };
}

/** Whether everybody may reach the addresses of an IPv6 subnet: global unicast. */
const isGlobal = ({ cidr }: Subnet): boolean => cidrContains('2000::/3', cidr.split('/')[0] ?? '');

async function primarySubnet(
  question: NetworkQuestion,
  loadBalancer: WireResource | undefined,
  subnets: Subnets,
): Promise<Subnet | undefined> {
  const { vip_subnet_id: asked, vip_port_id: port, families } = question;
  const [first = 4] = families;
  const present = loadBalancer?.['vip_subnet_id'];
  if (asked !== undefined) return subnets.read(asked);
  if (typeof present === 'string') return subnets.read(present);
  if (port !== undefined) {
    const found = await readAll(await subnets.ofPort(port), subnets);
    return found.find(({ cidr }) => familyOf(cidr) === first) ?? found[0];
  }
  if (question.vip_network_id !== undefined) return undefined;
  const id = await subnets.ofNodes(first);
  return id === undefined ? undefined : subnets.read(id);
}

function additionalSubnetIds(loadBalancer: WireResource | undefined): readonly string[] {
  const vips = (loadBalancer?.['additional_vips'] ?? []) as readonly { readonly subnet_id: string }[];
  return vips.map(({ subnet_id }) => subnet_id);
}

async function readAll(ids: readonly string[], subnets: Subnets): Promise<readonly Subnet[]> {
  const found = await Promise.all([...new Set(ids)].map((id) => subnets.read(id)));
  return found.flatMap((subnet) => (subnet ? [subnet] : []));
}
