import { cidrContains } from '../../../model/network/cidr.ts';
import type { Node } from '../../../model/kubernetes.ts';
import { familyOf } from '../../../model/network/network-facts.ts';
import type {
  Family,
  NoVipSubnet,
  Subnet,
  NetworkFacts,
  NetworkQuestion,
} from '../../../model/network/network-facts.ts';
import type { WireResource } from '../../../model/resources.ts';
import type { CloudReader } from '../../../ports.ts';
import { onceAMinute } from '../../../observe/once-a-minute.ts';

interface FixedIP {
  readonly ip_address: string;
  readonly subnet_id: string;
}

/** The number of IP addresses to look up before giving up. */
const TRIES = 3;

/** Neutron's subnets for one evaluation. Each is read once a minute; the ids that the project cannot see are kept. */
export class Subnets {
  /** Ids of subnets and ports that the project cannot see. */
  readonly missing = new Set<string>();
  readonly #reader: CloudReader;

  constructor(reader: CloudReader) {
    this.#reader = reader;
  }

  async read(id: string): Promise<Subnet | undefined> {
    const wire = await this.#once(`subnet ${id}`, () => this.#reader.cloud.get('subnet', id));
    if (!wire) this.missing.add(id);
    return wire && asSubnet(wire);
  }

  /** The subnets of a network, in the order of their ids. */
  async ofNetwork(id: string): Promise<readonly Subnet[]> {
    const found = await this.#once(`subnets of ${id}`, () =>
      this.#reader.cloud.list('subnet', { network_id: id }),
    );
    return found.map(asSubnet).sort((a, b) => (a.id < b.id ? -1 : 1));
  }

  /** Ids of the subnets in which a port has its IP addresses. */
  async ofPort(id: string): Promise<readonly string[]> {
    const port = await this.#once(`port ${id}`, () => this.#reader.cloud.get('port', id));
    if (!port) this.missing.add(id);
    return port ? fixedIps(port).map(({ subnet_id }) => subnet_id) : [];
  }

  /** The subnet of the first node whose internal IP address of this family is on a port of the project. */
  ofNodes(nodes: readonly Node[], family: Family): Promise<string | undefined> {
    const sorted = [...nodes].sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
    return this.ofAddresses(internalAddresses(sorted, family));
  }

  /** The subnet of the first IP address that is on a port of the project. Only the first few are looked up. */
  async ofAddresses(addresses: readonly string[]): Promise<string | undefined> {
    for (const address of addresses.slice(0, TRIES)) {
      const found = await this.#once(`port ${address}`, () =>
        this.#reader.cloud.list('port', { fixed_ips: `ip_address=${address}` }),
      );
      const match = found.flatMap(fixedIps).find((fixed) => fixed.ip_address === address);
      if (match) return match.subnet_id;
    }
    return undefined;
  }

  #once<T>(key: string, ask: () => Promise<T>): Promise<T> {
    return onceAMinute(this.#reader, key, ask);
  }
}

export interface Choice {
  readonly subnet?: Subnet;
  readonly noVipSubnet?: NoVipSubnet;
}

/**
 * Chooses a subnet of this family in this network: a preferred one, else the only one, else the only one with nodes in
 * it.
 */
export async function chooseSubnet(
  family: Family,
  network_id: string,
  preferred: readonly Subnet[],
  nodes: readonly Node[],
  subnets: Subnets,
): Promise<Choice> {
  const isFitting = (one: Subnet): boolean => familyOf(one.cidr) === family && one.network_id === network_id;
  const known = preferred.find(isFitting);
  if (known) return { subnet: known };
  const fitting = (await subnets.ofNetwork(network_id)).filter(isFitting);
  const addresses = internalAddresses(nodes, family);
  const withNodes = fitting.filter(({ cidr }) => addresses.some((address) => cidrContains(cidr, address)));
  const [subnet, ...others] = fitting.length > 1 ? withNodes : fitting;
  if (subnet && others.length === 0) return { subnet };
  return { noVipSubnet: { family, network_id, candidates: fitting.map(({ id }) => id) } };
}

function internalAddresses(nodes: readonly Node[], family: Family): readonly string[] {
  return nodes
    .flatMap((node) => node.status?.addresses ?? [])
    .filter(({ type, address }) => type === 'InternalIP' && familyOf(address) === family)
    .map(({ address }) => address);
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

function fixedIps(port: WireResource): readonly FixedIP[] {
  return (port['fixed_ips'] ?? []) as readonly FixedIP[];
}

type VipSubnets = Pick<NetworkFacts, 'vipSubnet' | 'noVipSubnet'> & {
  readonly additionalSubnets: readonly Subnet[];
};

/**
 * The subnets of the VIP port.
 *
 * The primary subnet is the named one, else the load balancer's, else that of the named port, else the nodes'. If it is
 * of a family that the Service does not have, it only says in which network to choose one. If the Service names only a
 * network, Octavia chooses an IPv4 subnet itself.
 *
 * The second family takes a named additional subnet, else the load balancer's, else one of the same network.
 */
export async function observeVipSubnets(
  question: NetworkQuestion,
  loadBalancer: WireResource | undefined,
  nodes: readonly Node[],
  subnets: Subnets,
): Promise<VipSubnets> {
  const { families, vip_network_id: named } = question;
  const [first = 4] = families;
  const start = await primarySubnet(question, loadBalancer, nodes, subnets);
  const further = await readAll(question.additional_vip_subnet_ids ?? [], subnets);
  const network = start?.network_id ?? named;
  if (network === undefined) return { additionalSubnets: further };
  const own = await readAll(additionalSubnetIds(loadBalancer), subnets);
  const choose = (family: Family): Promise<Choice> =>
    chooseSubnet(family, network, [...further, ...own], nodes, subnets);

  const stays = start ? families.includes(familyOf(start.cidr)) : first === 4;
  const primary: Choice = stays ? (start ? { subnet: start } : {}) : await choose(first);
  if (primary.noVipSubnet) return { additionalSubnets: further, noVipSubnet: primary.noVipSubnet };
  const vipSubnet = primary.subnet;
  const there = [vipSubnet ? familyOf(vipSubnet.cidr) : first, ...further.map(({ cidr }) => familyOf(cidr))];
  const lacking = families.find((family) => !there.includes(family));
  const second: Choice = lacking === undefined ? {} : await choose(lacking);
  const additional = [...further, ...(second.subnet ? [second.subnet] : [])];
  return {
    ...(vipSubnet ? { vipSubnet } : {}),
    additionalSubnets: additional.filter(({ id }) => id !== vipSubnet?.id),
    ...(second.noVipSubnet ? { noVipSubnet: second.noVipSubnet } : {}),
  };
}

async function primarySubnet(
  question: NetworkQuestion,
  loadBalancer: WireResource | undefined,
  nodes: readonly Node[],
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
  const id = await subnets.ofNodes(nodes, first);
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
