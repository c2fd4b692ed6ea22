import type { LoadBalancerConfig } from '../config/config.ts';
import type { Node, ServicePort } from '../model/kubernetes.ts';
import { familyOf, memberSubnetOf } from '../model/network.ts';
import type { NetworkFacts, Subnet } from '../model/network.ts';
import {
  clusterTag,
  nameTag,
  securityGroupDescription,
  securityGroupName,
  serviceTag,
} from '../model/ownership.ts';
import type { ClusterIdentity } from '../model/ownership.ts';
import type { Problem } from '../model/plan.ts';
import { keyOf } from '../model/request.ts';
import type { DesiredResource } from '../model/resources.ts';
import { openingAddress } from '../model/security-group.ts';
import type { Opening } from '../model/security-group.ts';
import { keepsFamily, nodeSet } from './members.ts';
import type { ReachableNode } from './members.ts';
import { localHealthPort } from './monitors.ts';
import { selectNodes } from './node-selection.ts';
import { EVERYBODY } from './source-ranges.ts';
import type { Wishes } from './wishes.ts';

export interface DesiredSecurityGroup {
  readonly resources: readonly DesiredResource[];
  readonly problems: readonly Problem[];
  /** What it should open cannot be said just now: what there is stays as it is. */
  readonly keep: boolean;
}

/** At which addresses the group has to be on a port: those of the members. */
export function memberAddresses(
  nodes: readonly Node[],
  subnet: Subnet | undefined,
  { family, nodeSelector }: Wishes,
): readonly string[] {
  const selected = subnet ? selectNodes(nodes, nodeSelector).nodes : [];
  return nodeSet(selected, subnet, family).reachable.map(({ address }) => address);
}

/** Whether source ranges hold at the nodes, which see the addresses of the clients behind this provider. */
export function rulesHoldSourceRanges(config: LoadBalancerConfig): boolean {
  return config.lbProvider === 'ovn' && config.manageSecurityGroups;
}

/**
 * The security group of a Service on the ports of its members (openstack-ccm.md, 4.7): what the load balancer needs, and
 * nothing else, comes in. Names and rules are the Go provider's, so that a takeover either way changes only our tags.
 */
export function desireSecurityGroup(
  wishes: Wishes,
  nodes: readonly ReachableNode[],
  facts: NetworkFacts,
  cluster: ClusterIdentity,
  config: LoadBalancerConfig,
): DesiredSecurityGroup {
  if (!config.manageSecurityGroups) return { resources: [], problems: [], keep: false };
  if (!memberSubnetOf(facts, wishes.family)) return { resources: [], problems: [noSubnet()], keep: true };
  const key = keyOf(wishes.service);
  const { uid } = wishes.service.metadata;
  const group: DesiredResource<'securitygroup'> = {
    kind: 'securitygroup',
    address: 'securitygroup',
    attributes: {
      name: securityGroupName(uid, key),
      description: securityGroupDescription(cluster.name, key),
      tags: [clusterTag(cluster), serviceTag(uid), nameTag(key)],
    },
  };
  const rules = openings(wishes, facts, config).map(desireRule);
  return {
    resources: [group, ...rules, ...nodes.map(({ address }) => desirePortOf(address))],
    problems: portProblems(wishes, facts, config),
    keep: false,
  };
}

/** By the families at which each port's members are reached. */
function openings(wishes: Wishes, facts: NetworkFacts, config: LoadBalancerConfig): readonly Opening[] {
  const { service, families, allowed_cidrs } = wishes;
  const { lbProvider } = config;
  const subnets = families.flatMap((family) => memberSubnetOf(facts, family)?.cidr ?? []);
  const everybody = families.map((family) => EVERYBODY[family]);
  const ranges = (allowed_cidrs ?? everybody).filter((cidr) => families.includes(familyOf(cidr)));
  const clients = lbProvider === 'ovn' ? ranges : subnets;
  const ports = service.spec.ports ?? [];
  const isOfAll = ({ protocol }: ServicePort): boolean => keepsFamily(protocol, lbProvider);
  const ofFirst = (cidr: string): boolean => familyOf(cidr) === wishes.family;
  const health = localHealthPort(wishes);
  const checked = ports.some(isOfAll) ? subnets : subnets.filter(ofFirst);
  const all = [
    ...ports.flatMap((port) =>
      (isOfAll(port) ? clients : clients.filter(ofFirst)).flatMap((cidr) =>
        port.nodePort
          ? [{ protocol: (port.protocol ?? 'TCP').toLowerCase(), port: port.nodePort, cidr }]
          : [],
      ),
    ),
    ...(health === undefined ? [] : checked.map((cidr) => ({ protocol: 'tcp', port: health, cidr }))),
  ];
  return [...new Map(all.map((opening) => [openingAddress(opening), opening])).values()];
}

function desireRule(opening: Opening): DesiredResource<'securitygrouprule'> {
  const { protocol, port, cidr } = opening;
  return {
    kind: 'securitygrouprule',
    address: openingAddress(opening),
    parent: 'securitygroup',
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

/** Only a port that is there: nodes come with theirs. */
function desirePortOf(address: string): DesiredResource<'port'> {
  return {
    kind: 'port',
    address: `port/${address}`,
    ifPresent: true,
    attributes: { security_groups: [{ $ref: 'securitygroup.id' }] },
  };
}

function noSubnet(): Problem {
  const message =
    'is needed for the rules of the security group, which stays as it is: the subnet of the members is not known';
  return { field: 'loadbalancer.openstack.org/member-subnet-id', value: '', message };
}

/** A port that is not found is told of. Where rules are all that holds source ranges, nothing is opened around them. */
function portProblems(wishes: Wishes, facts: NetworkFacts, config: LoadBalancerConfig): readonly Problem[] {
  const { withoutPort = [], unfiltered = [] } = facts;
  const strict = rulesHoldSourceRanges(config) && wishes.allowed_cidrs !== null;
  const problems: Problem[] = [];
  if (withoutPort.length > 0) {
    const message =
      'no port of the project has this address in the member subnet, so the security group cannot be put on it';
    problems.push({ field: 'address of a node', value: withoutPort.join(', '), message });
  }
  const open = strict ? [...withoutPort, ...unfiltered] : [];
  if (open.length > 0) {
    const message = `cannot be enforced at ${open.join(', ')}, where no security group is in force, so nothing is opened`;
    const value = (wishes.allowed_cidrs ?? []).join(',');
    problems.push({ field: 'spec.loadBalancerSourceRanges', value, message, blocking: true });
  }
  return problems;
}
