import type { LoadBalancerConfig } from '../../config/config.ts';
import type { Node } from '../../model/kubernetes.ts';
import type { Port } from '../intent/ports.ts';
import { familyOf, memberSubnetOf } from '../../model/network/network-facts.ts';
import type { NetworkFacts, Subnet } from '../../model/network/network-facts.ts';
import {
  clusterTag,
  nameTag,
  securityGroupDescription,
  securityGroupName,
  serviceTag,
} from '../../model/ownership.ts';
import type { ClusterIdentity } from '../../model/ownership.ts';
import type { Problem } from '../../model/plan.ts';
import { keyOf } from '../../model/request.ts';
import type { DesiredResource } from '../../model/resources.ts';
import { nodeSet } from '../../model/node/node-set.ts';
import type { ReachableNode } from '../../model/node/node-set.ts';
import { hasOnlyPods, podAddresses } from '../../model/load-balancer/service-endpoints.ts';
import type { Endpoints } from '../../model/load-balancer/service-endpoints.ts';
import { selectNodes, keepsFamily } from './nodes/port-nodes.ts';
import type { ServiceIntent } from '../intent/service-intent.ts';
import type { Address } from '../../model/address.ts';
import { openingAddress } from '../../model/network/openings.ts';
import type { Opening } from '../../model/network/openings.ts';
import { EVERYBODY } from '../intent/source-ranges.ts';

interface DesiredSecurityGroup {
  readonly resources: readonly DesiredResource[];
  readonly problems: readonly Problem[];
  /** The desired rules are not known now, so the group stays as it is. */
  readonly keep: boolean;
}

/**
 * The IP addresses of the members, on whose Neutron ports the group has to be. None if the member subnet is not known.
 */
export function memberAddresses(
  nodes: readonly Node[],
  subnet: Subnet | undefined,
  { service, family, nodeSelector }: ServiceIntent,
  endpoints?: Endpoints,
): readonly string[] {
  const selected = subnet && !hasOnlyPods(service) ? selectNodes(nodes, nodeSelector ?? {}).nodes : [];
  const reached = nodeSet(selected, subnet, family).reachable.map(({ address }) => address);
  return subnet ? [...new Set([...reached, ...podAddresses(endpoints, subnet)])] : [];
}

/**
 * Whether rules of the security group enforce source ranges: with the provider ovn nodes see the clients' IP addresses,
 * and levelset must manage security groups.
 */
export function rulesHoldSourceRanges(config: LoadBalancerConfig): boolean {
  return config.lbProvider === 'ovn' && config.manageSecurityGroups;
}

/**
 * Whether rules enforce the source ranges and no range is of a family of the members: then the group is meant to be
 * empty.
 */
function letsNobodyIn({ allowed_cidrs, families }: ServiceIntent, config: LoadBalancerConfig): boolean {
  if (!rulesHoldSourceRanges(config) || allowed_cidrs === null) return false;
  return !allowed_cidrs.some((cidr) => families.includes(familyOf(cidr)));
}

/**
 * The security group of a Service, with its rules, and the Neutron ports of its members that should have it
 * (docs/sources/occm.md, "Security groups"). The rules let in what the load balancer needs, and nothing else.
 * Names and rules are OCCM's, so that a takeover in either direction changes only our tags.
 */
export function desireSecurityGroup(
  intent: ServiceIntent,
  members: { readonly nodes: readonly ReachableNode[]; readonly endpoints?: Endpoints | undefined },
  facts: NetworkFacts,
  cluster: ClusterIdentity,
  config: LoadBalancerConfig,
): DesiredSecurityGroup {
  if (!config.manageSecurityGroups) return { resources: [], problems: [], keep: false };
  const subnet = memberSubnetOf(facts, intent.family);
  if (!subnet) return { resources: [], problems: [noSubnet(isStrict(intent, config))], keep: true };
  const key = keyOf(intent.service);
  const { uid } = intent.service.metadata;
  const group: DesiredResource<'securitygroup'> = {
    kind: 'securitygroup',
    address: 'securitygroup',
    ...(letsNobodyIn(intent, config) ? { mayBeEmpty: true } : {}),
    attributes: {
      name: securityGroupName(uid, key),
      description: securityGroupDescription(cluster.name, key),
      tags: [clusterTag(cluster), serviceTag(uid), nameTag(key)],
    },
  };
  const { endpoints = [] } = members;
  const rules = desireRules(intent, endpoints, facts, config);
  const nodes = hasOnlyPods(intent.service) ? [] : members.nodes.map(({ address }) => address);
  const addresses = new Set([...nodes, ...podAddresses(endpoints, subnet)]);
  return {
    resources: [group, ...rules, ...[...addresses].map(desirePortOf)],
    problems: portProblems(intent, facts, config),
    keep: false,
  };
}

/** Our group on the Neutron port with this IP address, if there is such a port: levelset makes none. */
export function desirePortOf(address: string): DesiredResource<'port'> {
  return {
    kind: 'port',
    address: `port/${address}`,
    ifPresent: true,
    attributes: { security_groups: [{ $ref: 'securitygroup.id' }] },
  };
}

/**
 * Whether the rules of the security group alone enforce the Service's source ranges. False for a Service without any.
 */
function isStrict(intent: ServiceIntent, config: LoadBalancerConfig): boolean {
  return rulesHoldSourceRanges(config) && intent.allowed_cidrs !== null;
}

/**
 * The Problem that the subnet of the members is not known. It blocks if rules alone enforce the source ranges
 * (`strict`).
 */
function noSubnet(strict: boolean): Problem {
  const field = 'loadbalancer.openstack.org/member-subnet-id';
  const why = 'the subnet of the members is not known';
  return strict
    ? {
        field,
        value: '',
        message: `is needed: ${why}, and rules of the security group enforce the source ranges; levelset changes nothing until it is`,
        blocking: true,
      }
    : {
        field,
        value: '',
        message: `is needed: ${why}; levelset leaves the security group as it is`,
      };
}

/**
 * Problems of members without a Neutron port, with a strange server's, or with a port that filters nothing. If rules
 * alone enforce the source ranges, one more Problem names all of these members and blocks.
 */
function portProblems(
  intent: ServiceIntent,
  facts: NetworkFacts,
  config: LoadBalancerConfig,
): readonly Problem[] {
  const { withoutPort = [], onStrangeServer = [] } = facts;
  const problems: Problem[] = [];
  if (withoutPort.length > 0) {
    const message =
      'is on no port of its Node’s server that the project sees, nor, where the Node names none, on one in the member subnet; levelset cannot put the security group on it';
    problems.push({ field: 'address of a member', value: withoutPort.join(', '), message });
  }
  if (onStrangeServer.length > 0) {
    const message =
      'is on a port of a server that no Node names; levelset does not put the security group on it';
    problems.push({ field: 'address of a member', value: onStrangeServer.join(', '), message });
  }
  const open = unguarded(intent, facts, config);
  if (open.length > 0) {
    const message = `cannot be enforced at ${open.join(', ')}, where no security group is in force; levelset changes nothing until one is`;
    const value = (intent.allowed_cidrs ?? []).join(',');
    problems.push({ field: 'spec.loadBalancerSourceRanges', value, message, blocking: true });
  }
  return problems;
}

/** The members at which nothing enforces the source ranges of the Service, although rules are to do it. */
export function unguarded(
  intent: ServiceIntent,
  { withoutPort = [], unfiltered = [], onStrangeServer = [] }: NetworkFacts,
  config: LoadBalancerConfig,
): readonly string[] {
  return isStrict(intent, config) ? [...withoutPort, ...onStrangeServer, ...unfiltered] : [];
}

function desireRules(
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

/** A range of IP addresses from which members must be reached for one port of the Service, `place` such as `tcp/80`. */
interface OpeningFor extends Opening {
  readonly place: string;
}

/** The openings for all ports of the Service, each for the families at which the port's members are reached. */
function openings(
  intent: ServiceIntent,
  endpoints: Endpoints,
  facts: NetworkFacts,
  config: LoadBalancerConfig,
): readonly OpeningFor[] {
  const { ports, families, allowed_cidrs } = intent;
  const { lbProvider } = config;
  const subnets = families.flatMap((family) => memberSubnetOf(facts, family)?.cidr ?? []);
  const everybody = families.map((family) => EVERYBODY[family]);
  const ranges = (allowed_cidrs ?? everybody).filter((cidr) => families.includes(familyOf(cidr)));
  const clients = lbProvider === 'ovn' ? ranges : subnets;
  const isOfAll = ({ transport }: Port): boolean => keepsFamily(transport, lbProvider);
  const ofFirst = (cidr: string): boolean => familyOf(cidr) === intent.family;
  const health = ports.flatMap(({ healthPort }) => healthPort ?? [])[0];
  const checked = ports.some(isOfAll) ? subnets : subnets.filter(ofFirst);
  return [
    ...ports.flatMap((port) =>
      (isOfAll(port) ? clients : clients.filter(ofFirst)).flatMap((cidr) =>
        memberPorts(port, endpoints).map((number) => ({
          protocol: port.transport.toLowerCase(),
          port: number,
          cidr,
          place: port.at,
        })),
      ),
    ),
    ...ports.flatMap(({ at }) =>
      health === undefined ? [] : checked.map((cidr) => ({ protocol: 'tcp', port: health, cidr, place: at })),
    ),
  ];
}

/** The port numbers at which the members of a port are reached. */
function memberPorts({ spec: { nodePort }, index }: Port, endpoints: Endpoints): readonly number[] {
  return nodePort ? [nodePort] : [...new Set((endpoints[index]?.pods ?? []).map(({ port }) => port))];
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
