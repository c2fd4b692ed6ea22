import type { Node } from '../model/kubernetes.ts';
import { memberSubnetOf } from '../model/network.ts';
import type { Family, NetworkFacts, Subnet } from '../model/network.ts';
import { isIP } from 'node:net';
import { cidrContains } from '../model/cidr.ts';

const EXCLUDED = 'node.kubernetes.io/exclude-from-external-load-balancers';
const LEAVING = 'ToBeDeletedByClusterAutoscaler';
const GO_FALSE = ['0', 'f', 'F', 'false', 'False', 'FALSE'];

/** The "stable node set" (kubernetes.md, 1.7): readiness is not asked, health monitors see to that. */
export function isEligible(node: Node): boolean {
  const label = node.metadata.labels?.[EXCLUDED];
  return (
    node.metadata.deletionTimestamp === undefined &&
    (label === undefined || GO_FALSE.includes(label)) &&
    !(node.spec?.taints ?? []).some((taint) => taint.key === LEAVING)
  );
}

/**
 * The address at which a node is reached (decision 25): an InternalIP inside the member subnet, else the first
 * InternalIP, else the first ExternalIP, always of the wanted family.
 */
export function memberAddress(node: Node, subnet: Subnet | undefined, family: Family): string | undefined {
  const addresses = (node.status?.addresses ?? []).filter(({ address }) => isIP(address) === family);
  const internal = addresses.filter(({ type }) => type === 'InternalIP').map(({ address }) => address);
  const inside = subnet && internal.find((address) => cidrContains(subnet.cidr, address));
  return inside ?? internal[0] ?? addresses.find(({ type }) => type === 'ExternalIP')?.address;
}

export interface ReachableNode {
  readonly name: string;
  readonly address: string;
}

export interface NodeSet {
  readonly reachable: readonly ReachableNode[];
  /** Eligible, but without an address yet: asked for again until they have one. */
  readonly withoutAddress: readonly string[];
}

/** Sorted by name, one node per address: a member listed twice locks Octavia for ever (openstack-lab.md). */
export function nodeSet(nodes: readonly Node[], subnet: Subnet | undefined, family: Family): NodeSet {
  const reachable = new Map<string, ReachableNode>();
  const withoutAddress: string[] = [];
  const eligible = nodes.filter(isEligible).sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
  for (const node of eligible) {
    const { name } = node.metadata;
    const address = memberAddress(node, subnet, family);
    if (address === undefined) withoutAddress.push(name);
    else if (!reachable.has(address)) reachable.set(address, { name, address });
  }
  return { reachable: [...reachable.values()], withoutAddress };
}

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
