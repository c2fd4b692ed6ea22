/** Rules of the security group of a Service: what comes from the load balancer to its members. */
import type { LoadBalancerConfig } from '../../config/config.ts';
import type { Address } from '../../model/address.ts';
import type { ServicePort } from '../../model/kubernetes.ts';
import { familyOf, memberSubnetOf } from '../../model/network/network-facts.ts';
import type { NetworkFacts } from '../../model/network/network-facts.ts';
import type { DesiredResource } from '../../model/resources.ts';
import { openingAddress } from '../../model/network/openings.ts';
import type { Opening } from '../../model/network/openings.ts';
import { keepsFamily } from './port-nodes.ts';
import { localHealthPort } from './port/monitors.ts';
import { hasOnlyPods } from '../../model/load-balancer/service-endpoints.ts';
import type { Endpoints } from '../../model/load-balancer/service-endpoints.ts';
import { EVERYBODY } from '../intent/source-ranges.ts';
import type { ServiceIntent } from '../intent/service-intent.ts';

export function desireRules(
  intent: ServiceIntent,
  endpoints: Endpoints,
  facts: NetworkFacts,
  config: LoadBalancerConfig,
): readonly DesiredResource<'securitygrouprule'>[] {
  const all = openings(intent, endpoints, facts, config);
  const places = Map.groupBy(all, openingAddress);
  return [...new Map(all.map((opening) => [openingAddress(opening), opening])).entries()].map(
    ([address, opening]) => desireRule(opening, address, places.get(address) ?? []),
  );
}

/** What one port of the Service, `tcp/80`, needs to be open. */
interface OpeningFor extends Opening {
  readonly place: string;
}

/** By the families at which each port's members are reached. */
function openings(
  intent: ServiceIntent,
  endpoints: Endpoints,
  facts: NetworkFacts,
  config: LoadBalancerConfig,
): readonly OpeningFor[] {
  const { service, families, allowed_cidrs } = intent;
  const { lbProvider } = config;
  const subnets = families.flatMap((family) => memberSubnetOf(facts, family)?.cidr ?? []);
  const everybody = families.map((family) => EVERYBODY[family]);
  const ranges = (allowed_cidrs ?? everybody).filter((cidr) => families.includes(familyOf(cidr)));
  const clients = lbProvider === 'ovn' ? ranges : subnets;
  const ports = service.spec.ports ?? [];
  const isOfAll = ({ protocol }: ServicePort): boolean => keepsFamily(protocol, lbProvider);
  const ofFirst = (cidr: string): boolean => familyOf(cidr) === intent.family;
  const health = hasOnlyPods(service) ? undefined : localHealthPort(intent);
  const checked = ports.some(isOfAll) ? subnets : subnets.filter(ofFirst);
  const placed = ports.map((port, index) => {
    const protocol = (port.protocol ?? 'TCP').toLowerCase();
    return {
      port,
      protocol,
      place: `${protocol}/${port.port}`,
      reached: memberPorts(port, endpoints[index]),
    };
  });
  return [
    ...placed.flatMap(({ port, protocol, place, reached }) =>
      (isOfAll(port) ? clients : clients.filter(ofFirst)).flatMap((cidr) =>
        reached.map((number) => ({ protocol, port: number, cidr, place })),
      ),
    ),
    ...placed.flatMap(({ place }) =>
      health === undefined ? [] : checked.map((cidr) => ({ protocol: 'tcp', port: health, cidr, place })),
    ),
  ];
}

/** At which the members of a port of the Service are reached. */
function memberPorts({ nodePort }: ServicePort, endpoints: Endpoints[number]): readonly number[] {
  return nodePort ? [nodePort] : [...new Set((endpoints?.pods ?? []).map(({ port }) => port))];
}

function desireRule(
  { protocol, port, cidr }: Opening,
  address: Address,
  same: readonly OpeningFor[],
): DesiredResource<'securitygrouprule'> {
  return {
    kind: 'securitygrouprule',
    address,
    parent: 'securitygroup',
    places: [...new Set(same.map(({ place }) => place))],
    attributes: {
      direction: 'ingress',
      ethertype: `IPv${familyOf(cidr)}`,
      protocol,
      port_range_min: port,
      port_range_max: port,
      remote_ip_prefix: cidr,
      security_group_id: { $ref: 'securitygroup.id' },
    },
  };
}
