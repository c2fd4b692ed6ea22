import { cidrContains } from '../../../model/network/cidr.ts';
import type { LocatedAddress } from '../../../model/node/judged-nodes.ts';
import {
  familyOf,
  vipsOf,
  type Family,
  type NetworkFacts,
  type NetworkQuestion,
  type Subnet,
  type FloatingSubnet,
} from '../../../model/network/network-facts.ts';
import type { WireResource } from '../../../model/resources.ts';
import type { CloudReader } from '../../../ports.ts';
import { attempt, orUnread, onceAMinute } from '../../../observe/reads.ts';
import { foundIn } from '../project.ts';
import { chooseSubnet, Subnets, observeVipSubnets } from './subnets.ts';

export async function observeNetwork(
  question: NetworkQuestion,
  loadBalancer: WireResource | undefined,
  locate: () => readonly LocatedAddress[],
  source: CloudReader,
): Promise<NetworkFacts> {
  const subnets = new Subnets(source, locate);
  const vip = await observeVipSubnets(question, loadBalancer, subnets);
  const vips = [...(vip.vipSubnet ? [vip.vipSubnet] : []), ...vip.additionalSubnets];
  const memberSubnetId = question.member_subnet_id ?? (await subnetOfPods(question, vips, subnets));
  const named = memberSubnetId === undefined ? undefined : await subnets.read(memberSubnetId);
  const members = async (family: Family): Promise<Subnet | undefined> => {
    const isFitting = ({ cidr }: Subnet): boolean => familyOf(cidr) === family;
    if (memberSubnetId === undefined) return vips.find(isFitting);
    if (!named) return undefined;
    if (isFitting(named)) return question.member_subnet_id === named.id ? { ...named, asked: true } : named;
    return (await chooseSubnet(family, named.network_id, vips, subnets)).subnet;
  };
  const addresses = loadBalancer ? vipsOf(loadBalancer) : undefined;
  const served = question.families.filter((family) => addresses?.map(familyOf).includes(family));
  const [first = 4, second] = served.length > 0 ? served : question.families;
  const memberSubnet = await members(first);
  const secondMemberSubnet = second === undefined ? undefined : await members(second);
  return {
    ...vip,
    ...(addresses ? { vips: addresses } : {}),
    ...(memberSubnet ? { memberSubnet } : {}),
    ...(secondMemberSubnet ? { secondMemberSubnet } : {}),
    ...(await observeFloatingNetworks(question, source)),
    ...((await isWithoutQosPolicy(question, source)) ? { noQosPolicy: true as const } : {}),
    missing: [...subnets.missing, ...(await missingGroups(question, source))],
  };
}

/** The subnet of the Pods' ports. Undefined if a Pod is in the subnet of a VIP, or no port has such an address. */
async function subnetOfPods(
  { pod_addresses = [] }: NetworkQuestion,
  vips: readonly Subnet[],
  subnets: Subnets,
): Promise<string | undefined> {
  const isNear = (address: string): boolean => vips.some(({ cidr }) => cidrContains(cidr, address));
  if (pod_addresses.length === 0 || pod_addresses.some(isNear)) return undefined;
  return subnets.ofAddresses(pod_addresses);
}

/** Neutron without its QoS plugin answers as for a policy that the project cannot see. */
async function isWithoutQosPolicy(
  { vip_qos_policy_id: id }: NetworkQuestion,
  source: CloudReader,
): Promise<boolean> {
  if (id === undefined) return false;
  const read = onceAMinute(source, `QoS policy ${id}`, () => source.cloud.get('qos_policy', id));
  return (await orUnread(source, { id }, read)) === undefined;
}

async function missingGroups(
  { vip_sg_ids: ids = [] }: NetworkQuestion,
  source: CloudReader,
): Promise<readonly string[]> {
  if (ids.length === 0) return [];
  const found = await onceAMinute(source, `security groups ${ids.join()}`, () =>
    source.cloud.list('securitygroup', { id: ids }),
  );
  return ids.filter((id) => !found.some((group) => group.id === id));
}

/** Facts for a replacement: as without a load balancer, but in the same VIP subnet unless the Service names a subnet, network or port. */
export async function observeAsIfAnew(
  question: NetworkQuestion,
  loadBalancer: WireResource,
  locate: () => readonly LocatedAddress[],
  source: CloudReader,
): Promise<NetworkFacts> {
  const { vip_subnet_id: subnet, vip_network_id: network, vip_port_id: port } = question;
  const present = loadBalancer['vip_subnet_id'];
  const isAsked = [subnet, network, port].some((id) => id !== undefined);
  const place = isAsked || typeof present !== 'string' ? {} : { vip_subnet_id: present };
  return observeNetwork({ ...question, ...place }, undefined, locate, source);
}

/** The network that the Service names, else that of its subnet, else all. Subnets are read only to choose one in a single network. */
async function observeFloatingNetworks(
  question: NetworkQuestion,
  source: CloudReader,
): Promise<Pick<NetworkFacts, 'floatingNetworks' | 'floatingSubnets'>> {
  if (!question.external) return { floatingNetworks: [] };
  const id = question.floating_subnet_id;
  const named = id === undefined ? undefined : await readSubnet(id, source);
  const [network, ...others] =
    question.floating_network_id === undefined
      ? named
        ? [named.network_id]
        : await externalNetworks(source)
      : [question.floating_network_id];
  const floatingNetworks = network === undefined ? [] : [network, ...others];
  if (id !== undefined) return { floatingNetworks, floatingSubnets: named ? [named] : [] };
  if (!question.choose_floating_subnet || network === undefined || others.length > 0)
    return { floatingNetworks };
  return { floatingNetworks, floatingSubnets: await subnetsOf(network, source) };
}

/** The external networks that can give a floating IP: those with a subnet of IPv4. One that the project cannot see counts as such. */
async function externalNetworks(source: CloudReader): Promise<readonly string[]> {
  const found = await onceAMinute(source, 'external networks', async () => {
    const networks = await source.cloud.list('network', { 'router:external': 'true' });
    const ids = networks.map(({ id }) => id);
    const seen = ids.length === 0 ? [] : await attempt(source.cloud.list('subnet', { network_id: ids }));
    const six = new Set<unknown>(foundIn(seen).flatMap((one) => (one['ip_version'] === 6 ? [one.id] : [])));
    return networks.filter(({ subnets }) => [subnets].flat().some((id) => !six.has(id)));
  });
  return found.map(({ id }) => id);
}

/** The subnet; undefined if the project cannot see it, as is common for external networks. */
async function readSubnet(id: string, source: CloudReader): Promise<FloatingSubnet | undefined> {
  const wire = await onceAMinute(source, `subnet ${id}`, () => source.cloud.get('subnet', id));
  return wire && floatingSubnet(wire);
}

/** IPv4 subnets in a stable order, by name and id. Floating IPs are IPv4. */
async function subnetsOf(network: string, source: CloudReader): Promise<readonly FloatingSubnet[]> {
  const found = await onceAMinute(source, `subnets of ${network}`, () =>
    source.cloud.list('subnet', { network_id: network }),
  );
  return found
    .filter((wire) => wire['ip_version'] !== 6)
    .map(floatingSubnet)
    .sort((a, b) => (`${a.name} ${a.id}` < `${b.name} ${b.id}` ? -1 : 1));
}

function floatingSubnet(wire: WireResource): FloatingSubnet {
  const { name, tags } = wire;
  return {
    id: wire.id,
    name: typeof name === 'string' ? name : '',
    network_id: String(wire['network_id']),
    tags: Array.isArray(tags) ? tags.map(String) : [],
  };
}
