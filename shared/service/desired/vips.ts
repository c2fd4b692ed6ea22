import { isIP } from 'node:net';
import { canonicalAddress, cidrContains } from '../../model/network/cidr.ts';
import { familyOf, hasAdditionalVips } from '../../model/network/network-facts.ts';
import type { NetworkFacts, Subnet } from '../../model/network/network-facts.ts';
import type { Problem } from '../../model/plan.ts';
import type { AdditionalVip, LoadBalancer } from '../../model/resources.ts';
import type { ServiceIntent } from '../intent/service-intent.ts';

export interface DesiredVips {
  readonly attributes: Partial<LoadBalancer>;
  readonly problems: readonly Problem[];
}

/** Where the VIPs are: a port that is named is the VIP as it is, but has to be told apart which of its subnets count. */
export function desireVips(
  intent: ServiceIntent,
  facts: NetworkFacts,
  octavia: { readonly minor: number },
): DesiredVips {
  const { vip_port_id, vip_network_id } = intent.annotated.loadbalancer;
  const { vipSubnet } = facts;
  const additional = hasAdditionalVips(octavia) ? (facts.additionalSubnets ?? []) : [];
  const asked = askedAddress(intent, vipSubnet, additional);
  return {
    attributes: {
      ...(vip_port_id === undefined ? {} : { vip_port_id }),
      ...(vipSubnet ? { vip_subnet_id: vipSubnet.id } : {}),
      ...(vip_port_id !== undefined || vip_network_id === undefined ? {} : { vip_network_id }),
      ...asked.attributes,
      ...(additional.length === 0
        ? {}
        : { additional_vips: additional.map(({ id }) => ({ subnet_id: id, ...asked.additional.get(id) })) }),
    },
    problems: asked.problems,
  };
}

interface AskedAddress extends DesiredVips {
  readonly additional: ReadonlyMap<string, Pick<AdditionalVip, 'ip_address'>>;
}

/** spec.loadBalancerIP where it is a VIP, and not a floating IP: of an internal Service, and always of IPv6. */
function askedAddress(
  { service, internal, families, annotated }: ServiceIntent,
  vipSubnet: Subnet | undefined,
  additional: readonly Subnet[],
): AskedAddress {
  const { loadBalancerIP: value = '' } = service.spec;
  const none = { attributes: {}, additional: new Map(), problems: [] };
  const not = (message: string): AskedAddress => ({
    ...none,
    problems: [
      { field: 'spec.loadBalancerIP', value, message: `${message}; nothing is changed`, blocking: true },
    ],
  });
  if (value === '') return none;
  if (isIP(value) === 0) return not('must be an IP address');
  const family = familyOf(value);
  if (!families.includes(family))
    return not(`must be of a family of the Service, IPv${families.join(' or IPv')}`);
  if (!internal && family === 4) return none;
  const ip_address = canonicalAddress(value);
  const isFitting = ({ cidr }: Subnet): boolean => familyOf(cidr) === family;
  const subnets = [...(vipSubnet ? [vipSubnet] : []), ...additional].filter(isFitting);
  const subnet = subnets.find(({ cidr }) => cidrContains(cidr, value)) ?? subnets[0];
  if (subnet?.slaac)
    return not(
      `cannot be asked for: in the subnet ${subnet.id} (${subnet.cidr}) ports make their own addresses`,
    );
  if (!subnet || subnet === vipSubnet || annotated.loadbalancer.vip_port_id !== undefined)
    return { ...none, attributes: { vip_address: ip_address } };
  return { ...none, additional: new Map([[subnet.id, { ip_address }]]) };
}
