import type { Node } from '../../../model/kubernetes.ts';
import {
  memberSubnetOf,
  type Family,
  type NetworkFacts,
  type Subnet,
} from '../../../model/network/network-facts.ts';
import { nodeSet, isEligible, type ReachableNode } from '../../../model/node/node-set.ts';
import { isSelected, renderNodeSelector } from '../../../model/node/node-selector.ts';
import { onceFor, onceForEach } from '../../../model/once-for.ts';
import type { Problem } from '../../../model/plan.ts';

/** Nodes with their IP addresses of one family, and the subnet of these. */
export interface NodesOfFamily {
  readonly nodes: readonly ReachableNode[];
  readonly memberSubnet: Subnet | undefined;
}

/**
 * The reachable nodes with their IP addresses of the Service's second family; undefined for a Service of one family.
 */
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
  return { nodes: second, memberSubnet: subnet };
}

/**
 * Whether a VIP reaches only members of its own family. OVN does not translate between families, nor does LVS, which
 * the amphora uses for UDP and SCTP. haproxy does: it uses the members of the first family for both VIPs.
 */
export function keepsFamily(protocol: string | undefined, provider: string): boolean {
  return provider === 'ovn' || protocol === 'UDP' || protocol === 'SCTP';
}

/**
 * The nodes with the labels of a node-selector. If nodes are eligible and none of them has the labels, a Problem says
 * so and pools keep their members (decision 420): a mistyped label must not be an outage.
 */
export const selectNodes = onceForEach(
  renderNodeSelector,
  (
    nodes: readonly Node[],
    selector,
  ): { readonly nodes: readonly Node[]; readonly problems: readonly Problem[] } => {
    const [label] = Object.entries(selector);
    const candidates = label ? labelled(nodes, label) : nodes;
    const selected = candidates.filter((node) => isSelected(node.metadata.labels ?? {}, selector));
    const eligible = eligibleOf(nodes).length;
    if (eligible === 0 || selected.some(isEligible)) return { nodes: selected, problems: [] };
    const message = `matches none of ${eligible} nodes; levelset adds no member, and keeps those that are there`;
    const field = 'loadbalancer.openstack.org/node-selector';
    return { nodes: selected, problems: [{ field, value: renderNodeSelector(selector), message }] };
  },
);

const eligibleOf = onceFor((nodes: readonly Node[]) => nodes.filter(isEligible));

function labelled(nodes: readonly Node[], [key, value]: readonly [string, string]): readonly Node[] {
  const byValue = nodesByLabel(nodes, key);
  return value === '' ? [...byValue.values()].flat() : (byValue.get(value) ?? []);
}

/** The Nodes that have a label, by its value. */
const nodesByLabel = onceForEach(
  (key: string) => key,
  (nodes: readonly Node[], key): ReadonlyMap<string, readonly Node[]> => {
    const having = nodes.filter(({ metadata }) => Object.hasOwn(metadata.labels ?? {}, key));
    return Map.groupBy(having, ({ metadata }) => metadata.labels?.[key] ?? '');
  },
);
