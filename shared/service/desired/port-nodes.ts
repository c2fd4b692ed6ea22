import type { Node } from '../../model/kubernetes.ts';
import { memberSubnetOf } from '../../model/network/network-facts.ts';
import type { Family, NetworkFacts, Subnet } from '../../model/network/network-facts.ts';
import { nodeSet, isEligible } from '../../model/node/node-set.ts';
import type { ReachableNode } from '../../model/node/node-set.ts';
import { isSelected, renderNodeSelector } from '../../model/node/node-selector.ts';
import type { NodeSelector } from '../../model/node/node-selector.ts';
import type { Problem } from '../../model/plan.ts';

/** Nodes by the addresses of one family, and the subnet that these are in. */
export interface NodesOfFamily {
  readonly nodes: readonly ReachableNode[];
  readonly memberSubnet?: Subnet;
}

/** The nodes that can be members of a port. */
export interface PortNodes extends NodesOfFamily {
  /** The nodes again by their other addresses, where each VIP needs members of its own family. */
  readonly secondFamily?: NodesOfFamily;
  /** Nodes with a ready endpoint, where traffic must stay local; absent: all nodes are alike. */
  readonly localNodes?: readonly string[];
}

/** The same nodes by their addresses of the Service's second family; nothing for a Service of one. */
export function secondFamilyOf(
  { families }: { readonly families: readonly Family[] },
  nodes: readonly Node[],
  reachable: readonly ReachableNode[],
  facts: NetworkFacts,
): NodesOfFamily | undefined {
  const family = families[1];
  if (family === undefined) return undefined;
  const subnet = memberSubnetOf(facts, family);
  const names = new Set(reachable.map(({ name }) => name));
  const second = nodeSet(nodes, subnet, family).reachable.filter(({ name }) => names.has(name));
  return { nodes: second, ...(subnet ? { memberSubnet: subnet } : {}) };
}

/**
 * What comes to a VIP goes on to members of its own family only: LVS, which the amphora has for UDP and SCTP, and OVN
 * translate no IPv6. haproxy does, and takes the members of the first family for both.
 */
export function keepsFamily(protocol: string | undefined, provider: string): boolean {
  return provider === 'ovn' || protocol === 'UDP' || protocol === 'SCTP';
}

/**
 * The nodes whose labels a node-selector asks for. If it leaves none, that is said, and pools keep the members they have
 * (decision 57): a word mistyped in it must not be an outage.
 */
export function selectNodes(
  nodes: readonly Node[],
  selector: NodeSelector,
): { readonly nodes: readonly Node[]; readonly problems: readonly Problem[] } {
  const selected = nodes.filter((node) => isSelected(node.metadata.labels ?? {}, selector));
  const eligible = nodes.filter(isEligible).length;
  if (eligible === 0 || selected.some(isEligible)) return { nodes: selected, problems: [] };
  const message = `none of ${eligible} nodes has these labels, so there is no new member; those that are there stay`;
  const field = 'loadbalancer.openstack.org/node-selector';
  return { nodes: selected, problems: [{ field, value: renderNodeSelector(selector), message }] };
}
