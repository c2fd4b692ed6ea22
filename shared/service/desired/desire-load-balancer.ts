import type { Config } from '../../config/config.ts';
import {
  describe,
  clusterTag,
  loadBalancerDescription,
  loadBalancerName,
  nameTag,
  serviceTag,
} from '../../model/ownership.ts';
import type { Service } from '../../model/kubernetes.ts';
import type { ClusterIdentity } from '../../model/ownership.ts';
import { familyOf, hasAdditionalVips } from '../../model/network/network-facts.ts';
import type { Family, NetworkFacts, Subnet } from '../../model/network/network-facts.ts';
import { keyOf } from '../../model/request.ts';
import type { DesiredResource, LoadBalancer } from '../../model/resources.ts';
import type { AdditionalVip } from '../../model/attributes/load-balancer.ts';
import { userTags } from '../../model/load-balancer/user-tags.ts';
import { withSetRecord } from './set-record.ts';
import type { ServiceIntent } from '../intent/service-intent.ts';
import { isIP } from 'node:net';
import { canonicalAddress, cidrContains } from '../../model/network/cidr.ts';
import type { Problem } from '../../model/plan.ts';

/** The load balancer. `placed` has its VIPs, its flavor and its availability zone. */
export function desireLoadBalancer(
  { service, annotated }: ServiceIntent,
  placed: Partial<LoadBalancer>,
  { cluster, facts }: { readonly cluster: ClusterIdentity; readonly facts: NetworkFacts },
  config: Config,
): DesiredResource<'loadbalancer'> {
  const { vip_qos_policy_id, vip_sg_ids } = annotated.loadbalancer;
  const { description, tags } = annotated.Service;
  const key = keyOf(service);
  const name = loadBalancerName(cluster.name, key);
  return withSetRecord<'loadbalancer'>({
    kind: 'loadbalancer',
    address: 'lb',
    attributes: {
      name,
      description: describe(description, loadBalancerDescription(cluster.name, key)),
      provider: config.loadBalancer.lbProvider,
      admin_state_up: true,
      ...placed,
      ...(vip_qos_policy_id === undefined || facts.noQosPolicy ? {} : { vip_qos_policy_id }),
      ...(vip_sg_ids === undefined ? {} : { vip_sg_ids }),
      tags: [
        clusterTag(cluster),
        serviceTag(service.metadata.uid),
        nameTag(key),
        name,
        ...userTags(key, tags),
      ],
    },
  });
}

interface DesiredVips {
  readonly attributes: Partial<LoadBalancer>;
  readonly problems: readonly Problem[];
}

/**
 * Subnets and IP addresses of the VIPs. If the Service names a port, that is the VIP port, but Octavia also wants the
 * subnet.
 */
export function desireVips(
  intent: ServiceIntent,
  facts: NetworkFacts,
  octavia: { readonly minor: number },
): DesiredVips {
  const { vip_port_id, vip_network_id } = intent.annotated.loadbalancer;
  const { vipSubnet } = facts;
  const additional = hasAdditionalVips(octavia) ? (facts.additionalSubnets ?? []) : [];
  const requested = requestedAddress(intent, vipSubnet, additional);
  return {
    attributes: {
      ...(vip_port_id === undefined ? {} : { vip_port_id }),
      ...(vipSubnet ? { vip_subnet_id: vipSubnet.id } : {}),
      ...(vip_port_id !== undefined || vip_network_id === undefined ? {} : { vip_network_id }),
      ...requested.attributes,
      ...(additional.length === 0
        ? {}
        : {
            additional_vips: additional.map(({ id }) => ({ subnet_id: id, ...requested.additional.get(id) })),
          }),
    },
    problems: requested.problems,
  };
}

interface RequestedAddress extends DesiredVips {
  readonly additional: ReadonlyMap<string, Pick<AdditionalVip, 'ip_address'>>;
}

/**
 * spec.loadBalancerIP as a VIP: of an internal Service, or if it is an IPv6 address. Otherwise it names a floating IP.
 * A value that cannot be a VIP blocks.
 */
function requestedAddress(
  { service, internal, families, annotated }: ServiceIntent,
  vipSubnet: Subnet | undefined,
  additional: readonly Subnet[],
): RequestedAddress {
  const { loadBalancerIP: value = '' } = service.spec;
  const none = { attributes: {}, additional: new Map(), problems: [] };
  if (value === '') return none;
  const problems = loadBalancerIPProblems(service, families);
  if (problems.length > 0) return { ...none, problems };
  const family = familyOf(value);
  if (!internal && family === 4) return none;
  const ip_address = canonicalAddress(value);
  const isFitting = ({ cidr }: Subnet): boolean => familyOf(cidr) === family;
  const subnets = [...(vipSubnet ? [vipSubnet] : []), ...additional].filter(isFitting);
  const subnet = subnets.find(({ cidr }) => cidrContains(cidr, value)) ?? subnets[0];
  if (subnet?.slaac)
    return {
      ...none,
      problems: wrongAddress(
        value,
        `cannot be requested: in the subnet ${subnet.id} (${subnet.cidr}) ports make their own addresses`,
      ),
    };
  if (!subnet || subnet === vipSubnet || annotated.loadbalancer.vip_port_id !== undefined)
    return { ...none, attributes: { vip_address: ip_address } };
  return { ...none, additional: new Map([[subnet.id, { ip_address }]]) };
}

/** What is wrong with spec.loadBalancerIP by itself. */
export function loadBalancerIPProblems({ spec }: Service, families: readonly Family[]): readonly Problem[] {
  const { loadBalancerIP: value = '' } = spec;
  if (value === '') return [];
  if (isIP(value) === 0) return wrongAddress(value, 'must be an IP address');
  if (families.includes(familyOf(value))) return [];
  return wrongAddress(value, `must be of a family of the Service: IPv${families.join(' or IPv')}`);
}

function wrongAddress(value: string, what: string): readonly Problem[] {
  const message = `${what}; levelset changes nothing until then`;
  return [{ field: 'spec.loadBalancerIP', value, message, blocking: true }];
}
