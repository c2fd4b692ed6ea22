import { rulesHoldSourceRanges } from '../../model/load-balancer/octavia.ts';
import type { LoadBalancerConfig } from '../../config/config.ts';
import type { Node } from '../../model/kubernetes.ts';
import type { Port } from '../intent/ports.ts';
import {
  familyOf,
  memberSubnetOf,
  type NetworkFacts,
  type Subnet,
} from '../../model/network/network-facts.ts';
import {
  clusterTag,
  nameTag,
  securityGroupDescription,
  securityGroupName,
  serviceTag,
  type ClusterIdentity,
} from '../../model/ownership.ts';
import type { Problem } from '../../model/plan.ts';
import { keyOf } from '../../model/request.ts';
import type { DesiredResource } from '../../model/resources.ts';
import { nodeSet, type ReachableNode } from '../../model/node/node-set.ts';
import { hasOnlyPods, podAddresses, type Endpoints } from '../../model/load-balancer/observed-service.ts';
import { selectNodes, keepsFamily } from './member-nodes.ts';
import type { ServiceIntent } from '../intent/service-intent.ts';
import type { Address } from '../../model/address.ts';
import { openingAddress, type Opening } from '../../model/network/openings.ts';
import { EVERYBODY } from '../intent/source-ranges.ts';

interface DesiredSecurityGroup {
  readonly resources: readonly DesiredResource[];
  readonly problems: readonly Problem[];
  readonly keep: boolean;
}

/** The IP addresses of the members, on whose ports the group has to be. None if the member subnet is not known. */
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

/** Whether the rules alone enforce the Service's source ranges. False for a Service without any. */
function isStrict(intent: ServiceIntent, config: LoadBalancerConfig): boolean {
  return rulesHoldSourceRanges(config) && intent.allowed_cidrs !== null;
}

/** Names and rules are OCCM's, so that a takeover in either direction changes only our tags (docs/sources/occm.md, "Security groups"). */
export function desireSecurityGroup(
  intent: ServiceIntent,
  members: { readonly nodes: readonly ReachableNode[]; readonly endpoints?: Endpoints | undefined },
  facts: NetworkFacts,
  cluster: ClusterIdentity,
  config: LoadBalancerConfig,
): DesiredSecurityGroup {
  const subnet = memberSubnetOf(facts, intent.family);
  const strict = isStrict(intent, config);
  if (!subnet) {
    const field = 'loadbalancer.openstack.org/member-subnet-id';
    const then = strict
      ? ', and rules of the security group enforce the source ranges; until it is, the Service is blocked'
      : '; levelset leaves the security group as it is';
    const message = `is needed: the subnet of the members is not known${then}`;
    const problem = { field, value: '', message, ...(strict ? { blocking: true as const } : {}) };
    return { resources: [], problems: [problem], keep: true };
  }
  const key = keyOf(intent.service);
  const { uid } = intent.service.metadata;
  const group: DesiredResource<'securitygroup'> = {
    kind: 'securitygroup',
    address: 'securitygroup',
    // no range is of a family of the members
    ...(strict && rangesOf(intent).length === 0 ? { mayBeEmpty: true } : {}),
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
function desirePortOf(address: string): DesiredResource<'port'> {
  return {
    kind: 'port',
    address: `port/${address}`,
    ifPresent: true,
    attributes: { security_groups: [{ $ref: 'securitygroup.id' }] },
  };
}

/** Members without a port, at a strange server's, or at a port that filters nothing. They block if rules alone enforce the source ranges. */
function portProblems(
  intent: ServiceIntent,
  facts: NetworkFacts,
  config: LoadBalancerConfig,
): readonly Problem[] {
  const { withoutPort = [], onStrangeServer = [] } = facts;
  const ofMembers = (addresses: readonly string[], message: string): readonly Problem[] =>
    addresses.length > 0 ? [{ field: 'address of a member', value: addresses.join(', '), message }] : [];
  const open = unguarded(intent, facts, config);
  const message = `cannot be enforced at ${open.join(', ')}, where no security group is in force; until one is, the Service is blocked`;
  const value = (intent.allowed_cidrs ?? []).join(',');
  return [
    ...ofMembers(
      withoutPort,
      'has no port that the project sees: levelset looks at those of the server that its Node names or, if it names none, in the member subnet; levelset cannot put the security group on it',
    ),
    ...ofMembers(
      onStrangeServer,
      'is on a port of a server that no Node names; levelset does not put the security group on it',
    ),
    ...(open.length > 0
      ? [{ field: 'spec.loadBalancerSourceRanges', value, message, blocking: true as const }]
      : []),
  ];
}

/** The members at which nothing enforces the source ranges of the Service, although rules are to do it. */
export function unguarded(
  intent: ServiceIntent,
  { withoutPort = [], unfiltered = [], onStrangeServer = [] }: NetworkFacts,
  config: LoadBalancerConfig,
): readonly string[] {
  return isStrict(intent, config) ? [...withoutPort, ...onStrangeServer, ...unfiltered] : [];
}

function rangesOf({ families, allowed_cidrs }: ServiceIntent): readonly string[] {
  const everybody = families.map((family) => EVERYBODY[family]);
  return (allowed_cidrs ?? everybody).filter((cidr) => families.includes(familyOf(cidr)));
}

/** A rule for each port at which members are reached, from each range of IP addresses of a family at which they are. */
function desireRules(
  intent: ServiceIntent,
  endpoints: Endpoints,
  facts: NetworkFacts,
  { lbProvider }: LoadBalancerConfig,
): readonly DesiredResource[] {
  const { ports, families } = intent;
  const rules = new Map<Address, DesiredResource<'securitygrouprule'>>();
  const open = (opening: Opening, portKey: string): void => {
    const address = openingAddress(opening);
    const { protocol, port, cidr } = opening;
    rules.set(address, {
      kind: 'securitygrouprule',
      address,
      parent: 'securitygroup',
      portKeys: [...new Set([...(rules.get(address)?.portKeys ?? []), portKey])],
      attributes: {
        direction: 'ingress',
        ethertype: `IPv${familyOf(cidr)}`,
        protocol,
        port_range_min: port,
        port_range_max: port,
        remote_ip_prefix: cidr,
        security_group_id: { $ref: 'securitygroup.id' },
      },
    });
  };
  const subnets = families.flatMap((family) => memberSubnetOf(facts, family)?.cidr ?? []);
  const clients = lbProvider === 'ovn' ? rangesOf(intent) : subnets;
  const isOfAll = ({ transport }: Port): boolean => keepsFamily(transport, lbProvider);
  const ofFirst = (cidr: string): boolean => familyOf(cidr) === intent.family;
  for (const port of ports) {
    const { nodePort } = port.spec;
    const pods = endpoints[port.index]?.pods ?? [];
    const numbers = nodePort ? [nodePort] : pods.map(({ port: number }) => number);
    for (const cidr of isOfAll(port) ? clients : clients.filter(ofFirst))
      for (const number of new Set(numbers))
        open({ protocol: port.transport.toLowerCase(), port: number, cidr }, port.at);
  }
  const [health] = ports.flatMap(({ healthPort }) => healthPort ?? []);
  const checked = ports.some(isOfAll) ? subnets : subnets.filter(ofFirst);
  if (health !== undefined)
    for (const { at } of ports) for (const cidr of checked) open({ protocol: 'tcp', port: health, cidr }, at);
  return [...rules.values()];
}
