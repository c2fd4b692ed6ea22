import type { Node } from '../model/kubernetes.ts';
import type { NetworkFacts, NetworkQuestion, Subnet } from '../model/network.ts';
import type { WireResource } from '../model/resources.ts';
import type { Cloud, Clock } from '../ports.ts';
import { observeFloatingNetworks } from './floating-networks.ts';
import { remember } from './memo.ts';

interface Source {
  readonly cloud: Cloud;
  readonly clock: Clock;
}

/**
 * Subnets and external networks for what the Services ask. The VIP subnet is the one asked for, else that of the load
 * balancer that exists, else that of the first node whose address is on a port of the project.
 */
export async function observeNetwork(
  question: NetworkQuestion,
  loadBalancer: WireResource | undefined,
  nodes: readonly Node[],
  source: Source,
): Promise<NetworkFacts> {
  const missing: string[] = [];
  const subnet = async (id: string): Promise<Subnet | undefined> => {
    const found = await readSubnet(id, source);
    if (!found) missing.push(id);
    return found;
  };
  const present = loadBalancer?.['vip_subnet_id'];
  const vipId =
    question.vip_subnet_id ??
    (typeof present === 'string' ? present : undefined) ??
    (question.vip_network_id === undefined ? await subnetOfNodes(nodes, question.family, source) : undefined);
  const vipSubnet = vipId === undefined ? undefined : await subnet(vipId);
  const memberId = question.member_subnet_id ?? vipId;
  const memberSubnet = memberId === vipId || memberId === undefined ? vipSubnet : await subnet(memberId);
  return {
    ...(vipSubnet ? { vipSubnet } : {}),
    ...(memberSubnet ? { memberSubnet } : {}),
    ...(await observeFloatingNetworks(question, source)),
    missing,
  };
}

async function readSubnet(id: string, { cloud, clock }: Source): Promise<Subnet | undefined> {
  const wire = await remember(cloud, clock, `subnet ${id}`, () => cloud.get('subnet', id));
  return wire && { id, cidr: String(wire['cidr']), network_id: String(wire['network_id']) };
}

/** How many nodes are asked for their subnet before giving up. */
const TRIES = 3;

async function subnetOfNodes(
  nodes: readonly Node[],
  family: 4 | 6,
  source: Source,
): Promise<string | undefined> {
  const addresses = [...nodes]
    .sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))
    .flatMap((node) => node.status?.addresses ?? [])
    .filter(({ type, address }) => type === 'InternalIP' && address.includes(':') === (family === 6))
    .map(({ address }) => address);
  for (const address of addresses.slice(0, TRIES)) {
    const found = await remember(source.cloud, source.clock, `port ${address}`, () =>
      source.cloud.list('port', { fixed_ips: `ip_address=${address}` }),
    );
    const subnets = found.flatMap((port) => port['fixed_ips'] as readonly FixedIP[]);
    const match = subnets.find((fixed) => fixed.ip_address === address);
    if (match) return match.subnet_id;
  }
  return undefined;
}

interface FixedIP {
  readonly ip_address: string;
  readonly subnet_id: string;
}
