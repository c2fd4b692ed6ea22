import type { Node } from '../../model/kubernetes.ts';
import {
  memberSubnetOf,
  type Family,
  type NetworkFacts,
  type Subnet,
} from '../../model/network/network-facts.ts';
import {
  nodeSet,
  isEligible,
  type ReachableNode,
  isSelected,
  renderNodeSelector,
} from '../../model/node/node-set.ts';
import { onceFor, onceForEach } from '../../model/once-for.ts';
import type { Problem } from '../../model/plan.ts';
import { isLocked } from '../../model/load-balancer/octavia.ts';
import { cidrContains } from '../../model/network/cidr.ts';
import type { JudgedNodes } from '../../model/node/judged-nodes.ts';
import type { ObservedResource, WireResource } from '../../model/resources.ts';
import type { Depth } from '../../model/service-object.ts';

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
  ): { readonly nodes: readonly Node[]; readonly mistake?: Omit<Problem, 'field'> } => {
    const [label] = Object.entries(selector);
    const candidates = label ? labelled(nodes, label) : nodes;
    const selected = candidates.filter((node) => isSelected(node.metadata.labels ?? {}, selector));
    const eligible = eligibleOf(nodes).length;
    if (eligible === 0 || selected.some(isEligible)) return { nodes: selected };
    const message = `matches none of ${eligible} nodes: correct it, or label a node; until then levelset adds no member, and keeps those that are there`;
    return { nodes: selected, mistake: { value: renderNodeSelector(selector), message } };
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

/** The addresses at which no member is added, and one that is there stays. What the look shows as a member is not among them. */
export function addressesKeptOut(
  judged: JudgedNodes,
  resources: readonly ObservedResource[],
): ReadonlySet<string> {
  const members = new Set(
    resources.flatMap(({ kind, wire }) => (kind === 'member' ? [String(wire['address'])] : [])),
  );
  return new Set(doubtful(judged).filter((address) => !members.has(address)));
}

/** Whether the look shows the members. A shallow one, and one at a locked load balancer, shows none. */
export function showsMembers(loadBalancer: WireResource | undefined, depth: Depth): boolean {
  return depth === 'deep' && !(loadBalancer && isLocked(loadBalancer));
}

export function portsKeptOut(
  keptOut: ReadonlySet<string>,
  resources: readonly ObservedResource[],
): ReadonlySet<string> {
  const group = resources.find(({ address }) => address === 'securitygroup');
  const having = new Set(
    resources.flatMap(({ kind, address, wire }) =>
      kind === 'port' && group && [wire['security_groups']].flat().includes(group.id) ? [address] : [],
    ),
  );
  return new Set([...keptOut].map((address) => `port/${address}`).filter((port) => !having.has(port)));
}

/** The addresses at which none joins: those that another device may have, and all while the ports could not be listed. */
export function doubtful({ unseen, disputed, unlisted }: JudgedNodes): readonly string[] {
  return [...(unlisted === undefined ? [] : unseen), ...disputed.keys()];
}

/** Problems of Nodes' addresses that are another device's, and of those that nothing proves. `reached` are the members'. */
export function addressProblems(judged: JudgedNodes, reached: readonly string[]): readonly Problem[] {
  const problem = (addresses: readonly string[], message: string): readonly Problem[] =>
    addresses.length === 0 ? [] : [{ ...addressesOfMembers(addresses), message, passing: true }];
  const another = [
    ...judged.refused.map(({ node, address, because }): Problem => ({
      field: `status.addresses of Node ${node}`,
      value: address,
      message: `${because}; levelset does not make it a member`,
      passing: true,
    })),
    ...reached.flatMap((address) => {
      const because = judged.disputed.get(address);
      return because === undefined
        ? []
        : problem([address], `${because}, and the project sees no port of that server; ${KEPT_OUT}`);
    }),
  ];
  if (judged.unlisted !== undefined) return another;
  return [
    ...another,
    ...problem(
      reached.filter((address) => judged.unseen.has(address)),
      'is a member, though nothing proves that it is the Node’s: the project sees it on no port of the server that the Node names',
    ),
  ];
}

/** The Problem of ExternalIPs in the subnet that somebody named for the members, at which no member is. */
export function notTaken(
  nodes: readonly Node[],
  subnet: Subnet | undefined,
  reached: readonly string[],
): readonly Problem[] {
  const inside = subnet?.asked
    ? nodes.filter(isEligible).flatMap(({ status }) => status?.addresses ?? [])
    : [];
  const addresses = inside
    .filter(({ type, address }) => type === 'ExternalIP' && cidrContains(subnet?.cidr ?? '', address))
    .flatMap(({ address, onPort }) => (onPort || reached.includes(address) ? [] : [address]));
  const message = `is not taken, although it lies in ${subnet?.cidr ?? ''}, the subnet named for the members: no port of its Node’s server that the project sees has it`;
  return addresses.length === 0 ? [] : [{ ...addressesOfMembers(addresses), message, passing: true }];
}

const KEPT_OUT = 'levelset adds no member at this address, and keeps one that exists';

export function waitingProblem({ unlisted }: JudgedNodes, waiting: readonly string[]): readonly Problem[] {
  if (unlisted === undefined || waiting.length === 0) return [];
  const message = `waits: whose it is cannot be looked up, since ${unlisted}; members that are there stay`;
  return [{ ...addressesOfMembers(waiting), message, momentary: true }];
}

/** So many addresses are shown one by one, since a condition has a limited length. */
const MOST_SHOWN = 5;

export function someAddresses(addresses: readonly string[], count = addresses.length): string {
  const more = count > MOST_SHOWN ? [`and ${count - MOST_SHOWN} more`] : [];
  return [...[...addresses].sort().slice(0, MOST_SHOWN), ...more].join(', ');
}

function addressesOfMembers(addresses: readonly string[]): Pick<Problem, 'field' | 'value'> {
  return { field: 'address of a member', value: someAddresses([...new Set(addresses)]) };
}
