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

export interface NodesOfFamily {
  readonly nodes: readonly ReachableNode[];
  readonly memberSubnet: Subnet | undefined;
}

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

/** Neither OVN nor LVS, which the amphora uses for UDP and SCTP, translates between families. haproxy does, with members of the first one. */
export function keepsFamily(protocol: string | undefined, provider: string): boolean {
  return provider === 'ovn' || protocol === 'UDP' || protocol === 'SCTP';
}

/** If nodes are eligible and none has the labels, pools keep their members (decision 420): a mistyped label must not be an outage. */
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

const nodesByLabel = onceForEach(
  (key: string) => key,
  (nodes: readonly Node[], key): ReadonlyMap<string, readonly Node[]> => {
    const having = nodes.filter(({ metadata }) => Object.hasOwn(metadata.labels ?? {}, key));
    return Map.groupBy(having, ({ metadata }) => metadata.labels?.[key] ?? '');
  },
);
