import { isIP } from 'node:net';
import { cidrContains } from '../network/cidr.ts';
import type { Node, NodeAddress } from '../kubernetes.ts';
import type { Subnet, Family } from '../network/network-facts.ts';
import { onceFor, onceForEach } from '../once-for.ts';

const EXCLUDED = 'node.kubernetes.io/exclude-from-external-load-balancers';
const LEAVING = 'ToBeDeletedByClusterAutoscaler';
/** More than a server has. A kubelet can write thirty thousand, and each is compared with the subnet. */
const MOST_ADDRESSES = 1_000;
const GO_FALSE = ['0', 'f', 'F', 'false', 'False', 'FALSE'];

/** Whether a Node may be a member (docs/sources/kubernetes.md, "Stable node set"). Readiness is for health monitors. */
export function isEligible(node: Node): boolean {
  const label = node.metadata.labels?.[EXCLUDED];
  return (
    node.metadata.deletionTimestamp === undefined &&
    (label === undefined || GO_FALSE.includes(label)) &&
    !(node.spec?.taints ?? []).some((taint) => taint.key === LEAVING)
  );
}

export function toldAddresses({ status }: Node): readonly NodeAddress[] {
  return (status?.addresses ?? []).slice(0, MOST_ADDRESSES);
}

/**
 * Where a Node is a member (decision 25): an InternalIP in the member subnet, else one of its ports in a subnet that
 * somebody named, else the first InternalIP, else ExternalIP.
 */
export function memberAddress(node: Node, subnet: Subnet | undefined, family: Family): string | undefined {
  const addresses = toldAddresses(node).filter(({ address }) => isIP(address) === family);
  const internal = addresses.filter(({ type }) => type === 'InternalIP').map(({ address }) => address);
  // another network may have the same range
  const isInside = ({ address, onPort }: NodeAddress): boolean =>
    subnet !== undefined && (onPort?.includes(subnet.id) ?? cidrContains(subnet.cidr, address));
  const inside =
    addresses.find((one) => one.type === 'InternalIP' && isInside(one)) ??
    addresses.find((one) => one.onPort && subnet?.asked && isInside(one));
  return inside?.address ?? internal[0] ?? addresses.find(({ type }) => type === 'ExternalIP')?.address;
}

export interface ReachableNode {
  readonly name: string;
  readonly address: string;
}

interface NodeSet {
  readonly reachable: readonly ReachableNode[];
  readonly withoutAddress: readonly string[];
}

/** Sorted by name. Of Nodes with one IP address the first counts (docs/sources/openstack.md, "A member listed twice"). */
export const nodeSet = onceForEach(
  (subnet: Subnet | undefined, family: Family) => `${family} ${subnet?.id ?? ''} ${subnet?.asked ?? ''}`,
  (nodes: readonly Node[], subnet, family): NodeSet => {
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
  },
);

export const addressesOf = onceFor(
  (nodes: readonly Node[]): ReadonlyMap<string, readonly string[]> =>
    new Map(
      nodes
        .filter((node) => isEligible(node))
        .map((node) => [node.metadata.name, (node.status?.addresses ?? []).map(({ address }) => address)]),
    ),
);
