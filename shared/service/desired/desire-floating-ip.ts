import { requestedFloatingIP } from '../../model/kubernetes.ts';
import { familyOf, type NetworkFacts, type FloatingSubnet } from '../../model/network/network-facts.ts';
import { chooseByName, chooseByTags, type Choice } from '../../model/text/subnet-choice.ts';
import {
  clusterTag,
  floatingIPDescription,
  keptTag,
  serviceTag,
  type ClusterIdentity,
} from '../../model/ownership.ts';
import { withoutUndefined } from '../../model/json.ts';
import type { Problem } from '../../model/plan.ts';
import type { DesiredResource, ResourceTypes } from '../../model/resources.ts';
import { keyOf } from '../../model/request.ts';
import { fieldOf } from '../intent/effective-values.ts';
import { wantsFloatingIP, type ServiceIntent } from '../intent/service-intent.ts';
import { OCCM } from '../../model/annotation-prefixes.ts';

/**
 * A Service that wants none has the kept one, detached, with keep-floatingip. Nothing is desired if spec.loadBalancerIP names an unusable one. Without
 * exactly one external network, a fitting subnet and a known VIP none is made, and only one that is there is desired.
 */
export function desireFloatingIP(
  intent: ServiceIntent,
  facts: NetworkFacts,
  cluster: ClusterIdentity,
): { readonly resources: readonly DesiredResource[]; readonly problems: readonly Problem[] } {
  if (!wantsFloatingIP(intent)) {
    return { resources: intent.keepFloatingip ? [keptFloatingIP(intent, cluster)] : [], problems: [] };
  }
  const { service } = intent;
  const { loadBalancerIPTaken: message, floatingNetworks } = facts;
  if (message !== undefined) {
    const { loadBalancerIP: value = '' } = service.spec;
    const field = value === '' ? 'floating IP' : 'spec.loadBalancerIP';
    return { resources: [], problems: [{ field, value, message }] };
  }
  // the one that is there keeps serving even if none may be made now
  const attributes = {
    port_id: { $ref: 'lb.vip_port_id' } as const,
    ...fixedAddress(intent, facts),
    tags: [clusterTag(cluster), serviceTag(service.metadata.uid)],
  };
  const inUse: DesiredResource<'floatingip'> = {
    kind: 'floatingip',
    address: 'floatingip',
    ifPresent: true,
    attributes,
  };
  const [network] = floatingNetworks;
  if (network === undefined || floatingNetworks.length > 1)
    return { resources: [inUse], problems: [noNetwork(floatingNetworks.length)] };
  const { subnets, problems } = desireFloatingSubnets(intent, network, facts);
  if (!subnets || !isAddressKnown(facts)) return { resources: [inUse], problems };
  const [subnet, ...others] = subnets;
  const made: DesiredResource<'floatingip'> = {
    kind: 'floatingip',
    address: 'floatingip',
    attributes: {
      floating_network_id: network,
      ...withoutUndefined({ subnet_id: subnet, floating_ip_address: requestedFloatingIP(service) }),
      ...attributes,
      description: floatingIPDescription(cluster, keyOf(service)),
    },
    ...(others.length > 0 ? { alternatives: others.map((id) => ({ subnet_id: id })) } : {}),
  };
  return { resources: [made], problems };
}

function noNetwork(count: number): Problem {
  const message =
    count === 0
      ? 'is needed: the project sees no external network with IPv4, so levelset makes no floating IP and publishes the VIP; name one, or make the Service internal'
      : `is needed: there are ${count} external networks; levelset makes no floating IP until one is named here or in cloud.conf`;
  return { field: `${OCCM}floating-network-id`, value: '', message };
}

/** Whether the VIP port has several IPv4 VIPs: then Neutron must know for which of them the floating IP is. */
function hasSeveral({ vips, vipSubnet, additionalSubnets = [] }: NetworkFacts): boolean {
  const cidrs = [vipSubnet?.cidr ?? '0.0.0.0/0', ...additionalSubnets.map(({ cidr }) => cidr)];
  return (vips ?? cidrs).filter((text) => familyOf(text) === 4).length > 1;
}

/** Whether the IPv4 VIP is known: not while Octavia has yet to choose it beside an IPv6 VIP. */
function isAddressKnown(facts: NetworkFacts): boolean {
  const { vips, vipSubnet } = facts;
  return vips !== undefined || !hasSeveral(facts) || !vipSubnet || familyOf(vipSubnet.cidr) === 4;
}

/** Neutron refuses a floating IP on a port with several IPv4 addresses without the one it is for. */
function fixedAddress(
  { annotated }: ServiceIntent,
  facts: NetworkFacts,
): Partial<ResourceTypes['floatingip']> {
  // a port of the user's may have addresses that are no VIPs
  if (!hasSeveral(facts) && annotated.loadbalancer.vip_port_id === undefined) return {};
  const first = facts.vips?.find((vip) => familyOf(vip) === 4);
  return { fixed_ip_address: first ?? { $ref: 'lb.vip_address' } };
}

/** The kept floating IP stays, detached, with a tag for this namespace (decision 161). None is created. */
export function keptFloatingIP(
  intent: ServiceIntent,
  cluster: ClusterIdentity,
): DesiredResource<'floatingip'> {
  return {
    kind: 'floatingip',
    address: 'floatingip',
    ifPresent: true,
    because: 'keep-floatingip: it stays for Services of this namespace',
    attributes: {
      port_id: null,
      tags: [clusterTag(cluster), keptTag(cluster, intent.service.metadata.namespace)],
    },
  };
}

/** Whether name or tags choose the floating IP's subnet. A subnet's id goes first, and so does an IP address in spec.loadBalancerIP. */
export function choosesFloatingSubnet(intent: Pick<ServiceIntent, 'annotated' | 'service'>): boolean {
  const { floatingip, Service } = intent.annotated;
  const { floatingSubnet = '', floatingSubnetTags = '' } = Service;
  if (floatingip.subnet_id || requestedFloatingIP(intent.service) !== undefined) return false;
  return floatingSubnet + floatingSubnetTags !== '';
}

/** So many subnets are tried, one after the other, for a free address. */
const MOST_TRIES = 10;

interface FloatingSubnets {
  /** Ids in the order in which they are tried; empty: Neutron chooses. Absent: no floating IP may be made. */
  readonly subnets?: readonly string[];
  readonly problems: readonly Problem[];
}

/** The subnets that may give the floating IP. In doubt levelset makes none, since a floating IP cannot move later. */
function desireFloatingSubnets(
  intent: ServiceIntent,
  network: string,
  { floatingSubnets: there = [] }: NetworkFacts,
): FloatingSubnets {
  const { floatingip, Service } = intent.annotated;
  const id = floatingip.subnet_id;
  if (id) {
    // of a subnet that the project cannot see, Neutron checks whether it exists
    const stray = there.find((subnet) => subnet.id === id && subnet.network_id !== network);
    if (!stray) return { subnets: [id], problems: [] };
    const message = `is a subnet of network ${stray.network_id}, not of the external network ${network}; levelset makes no floating IP`;
    return { problems: [{ field: fieldOf(`${OCCM}floating-subnet-id`, intent), value: id, message }] };
  }
  if (!choosesFloatingSubnet(intent)) return { subnets: [], problems: [] };
  const { floatingSubnet: name = '', floatingSubnetTags: tags = '' } = Service;
  const byName = name === '' ? undefined : chooseByName(name);
  const byTags = tags === '' ? undefined : chooseByTags(tags);
  const subnets = there
    .filter((subnet) => isChosen(subnet.name, byName) && isChosen(subnet.tags, byTags))
    .slice(0, MOST_TRIES);
  if (subnets.length > 0) return { subnets: subnets.map(({ id: chosen }) => chosen), problems: [] };
  const field = fieldOf(`${OCCM}${name === '' ? 'floating-subnet-tags' : 'floating-subnet'}`, intent);
  const value = [name, tags].filter((text) => text !== '').join(' and tags ');
  const message = `matches no IPv4 subnet of the external network ${network}, ${listOf(there)}; levelset makes no floating IP`;
  return { problems: [{ field, value, message }] };
}

function isChosen<T>(value: T, choice: Choice<T> | undefined): boolean {
  return choice === undefined || ('matches' in choice && choice.matches(value));
}

function listOf(subnets: readonly FloatingSubnet[]): string {
  if (subnets.length === 0) return 'and the project can see none of its subnets';
  const words = subnets.map(({ name, tags }) => [name, ...tags.map((tag) => `#${tag}`)].join(' '));
  const shown = words.slice(0, MOST_TRIES);
  return `which has ${shown.join(', ')}${subnets.length > MOST_TRIES ? ', ...' : ''}`;
}
