import { cidrContains } from '../../../model/network/cidr.ts';
import type { Node } from '../../../model/kubernetes.ts';
import { familyOf, vipsOf } from '../../../model/network/network-facts.ts';
import type { Family, NetworkFacts, NetworkQuestion, Subnet } from '../../../model/network/network-facts.ts';
import type { WireResource } from '../../../model/resources.ts';
import type { CloudReader } from '../../../ports.ts';
import { observeFloatingNetworks } from './floating-networks.ts';
import { onceAMinute } from '../../../observe/once-a-minute.ts';
import { chooseSubnet, Subnets } from './subnets.ts';
import { observeVipSubnets } from './vip-subnets.ts';

/** Subnets and external networks for what the Services ask, and what the load balancer has of addresses. */
export async function observeNetwork(
  question: NetworkQuestion,
  loadBalancer: WireResource | undefined,
  nodes: readonly Node[],
  source: CloudReader,
): Promise<NetworkFacts> {
  const subnets = new Subnets(source);
  const vip = await observeVipSubnets(question, loadBalancer, nodes, subnets);
  const vips = [...(vip.vipSubnet ? [vip.vipSubnet] : []), ...vip.additionalSubnets];
  const memberSubnetId = question.member_subnet_id ?? (await subnetOfPods(question, vips, subnets));
  const named = memberSubnetId === undefined ? undefined : await subnets.read(memberSubnetId);
  const members = async (family: Family): Promise<Subnet | undefined> => {
    const isFitting = ({ cidr }: Subnet): boolean => familyOf(cidr) === family;
    if (!named || isFitting(named)) return named ?? vips.find(isFitting);
    return (await chooseSubnet(family, named.network_id, vips, nodes, subnets)).subnet;
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

/** Where only Pods are members and nobody named their subnet: that of a port that has the address of one of them. */
async function subnetOfPods(
  { pod_addresses = [] }: NetworkQuestion,
  vips: readonly Subnet[],
  subnets: Subnets,
): Promise<string | undefined> {
  const isNear = (address: string): boolean => vips.some(({ cidr }) => cidrContains(cidr, address));
  return pod_addresses.some(isNear) ? undefined : subnets.ofAddresses(pod_addresses);
}

/** Neutron without its QoS plugin says that there is no such thing, just as of a policy that cannot be seen. */
async function isWithoutQosPolicy(
  { vip_qos_policy_id: id }: NetworkQuestion,
  source: CloudReader,
): Promise<boolean> {
  if (id === undefined) return false;
  return !(await onceAMinute(source, `QoS policy ${id}`, () => source.cloud.get('qos_policy', id)));
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
