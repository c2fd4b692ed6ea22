import type { Node } from '../../../model/kubernetes.ts';
import { familyOf } from '../../../model/network/network-facts.ts';
import type { Family, NetworkFacts, NetworkQuestion, Subnet } from '../../../model/network/network-facts.ts';
import type { WireResource } from '../../../model/resources.ts';
import { chooseSubnet } from './subnets.ts';
import type { Choice, Subnets } from './subnets.ts';

type VipSubnets = Pick<NetworkFacts, 'vipSubnet' | 'noVipSubnet'> & {
  readonly additionalSubnets: readonly Subnet[];
};

/**
 * The subnets of the VIP port. The primary one is the one that is asked for, else that of the load balancer that exists,
 * else that of the nodes; if it is of no family of the Service, it only says in which network to look. A second family
 * has the subnet that is named, else the one that the load balancer has, else one of the same network. In a network that
 * is named alone Octavia takes an IPv4 subnet itself.
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
