import type { LoadBalancerConfig } from '../../config/config.ts';
import type { Node } from '../../model/kubernetes.ts';
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
import { desireRules } from './security-group-rules.ts';
import { selectNodes } from './node-selection.ts';
import type { ServiceIntent } from '../intent/service-intent.ts';

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
  { service, family, nodeSelector }: ServiceIntent,
  endpoints?: Endpoints,
): readonly string[] {
  const selected = subnet && !hasOnlyPods(service) ? selectNodes(nodes, nodeSelector).nodes : [];
  const reached = nodeSet(selected, subnet, family).reachable.map(({ address }) => address);
  return subnet ? [...new Set([...reached, ...podAddresses(endpoints, subnet)])] : [];
}

/** Whether source ranges hold at the nodes, which see the addresses of the clients behind this provider. */
export function rulesHoldSourceRanges(config: LoadBalancerConfig): boolean {
  return config.lbProvider === 'ovn' && config.manageSecurityGroups;
}

/** None of the source ranges is of a family at which members are reached: no rule at all, and that is meant. */
function letsNobodyIn({ allowed_cidrs, families }: ServiceIntent, config: LoadBalancerConfig): boolean {
  if (!rulesHoldSourceRanges(config) || allowed_cidrs === null) return false;
  return !allowed_cidrs.some((cidr) => families.includes(familyOf(cidr)));
}

/**
 * The security group of a Service on the ports of its members (openstack-ccm.md, 4.7): what the load balancer needs, and
 * nothing else, comes in. Names and rules are the Go provider's, so that a takeover either way changes only our tags.
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

/** Only a port that is there: nodes come with theirs. */
export function desirePortOf(address: string): DesiredResource<'port'> {
  return {
    kind: 'port',
    address: `port/${address}`,
    ifPresent: true,
    attributes: { security_groups: [{ $ref: 'securitygroup.id' }] },
  };
}

/** Rules are all that holds the source ranges. */
function isStrict(intent: ServiceIntent, config: LoadBalancerConfig): boolean {
  return rulesHoldSourceRanges(config) && intent.allowed_cidrs !== null;
}

/** Where rules are all that holds source ranges, nothing is opened without them. */
function noSubnet(strict: boolean): Problem {
  const field = 'loadbalancer.openstack.org/member-subnet-id';
  const why = 'the subnet of the members is not known';
  return strict
    ? {
        field,
        value: '',
        message: `is needed for the rules that hold the source ranges, so nothing is opened: ${why}`,
        blocking: true,
      }
    : {
        field,
        value: '',
        message: `is needed for the rules of the security group, which stays as it is: ${why}`,
      };
}

/** A port that is not found is told of. Where rules are all that holds source ranges, nothing is opened around them. */
function portProblems(
  intent: ServiceIntent,
  facts: NetworkFacts,
  config: LoadBalancerConfig,
): readonly Problem[] {
  const { withoutPort = [], unfiltered = [] } = facts;
  const problems: Problem[] = [];
  if (withoutPort.length > 0) {
    const message =
      'no port of the project has this address in the member subnet, so the security group cannot be put on it';
    problems.push({ field: 'address of a member', value: withoutPort.join(', '), message });
  }
  const open = isStrict(intent, config) ? [...withoutPort, ...unfiltered] : [];
  if (open.length > 0) {
    const message = `cannot be enforced at ${open.join(', ')}, where no security group is in force, so nothing is opened`;
    const value = (intent.allowed_cidrs ?? []).join(',');
    problems.push({ field: 'spec.loadBalancerSourceRanges', value, message, blocking: true });
  }
  return problems;
}
