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

export function statusAddresses({ status }: Node): readonly NodeAddress[] {
  return (status?.addresses ?? []).slice(0, MOST_ADDRESSES);
}

/**
 * Where a Node is a member (decision 25): an InternalIP in the member subnet, else one of its ports in a subnet that
 * somebody named, else the first InternalIP, else ExternalIP.
 */
export function memberAddress(node: Node, subnet: Subnet | undefined, family: Family): string | undefined {
  const addresses = statusAddresses(node).filter(({ address }) => isIP(address) === family);
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

/** Labels such as `pool=edge,ssd` (docs/sources/occm.md, "Node selector"). One with an empty value only has to exist. */
export type NodeSelector = Readonly<Record<string, string>>;

export const NODE_SELECTOR = 'labels such as pool=edge,ssd; a label without a value only has to exist';

const NAME = /^[a-z0-9]([-a-z0-9_.]{0,61}[a-z0-9])?$/i;
const PREFIX = /^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/;

/** The selector in a text. The empty text selects every Node. Undefined if a part of the text is no label. */
export function parseNodeSelector(text: string): NodeSelector | undefined {
  const items = text.split(',').map((item) => item.trim());
  const pairs = items.filter((item) => item !== '').map(split);
  return pairs.every(isLabel) ? Object.fromEntries(pairs) : undefined;
}

export function isSelected(labels: Readonly<Record<string, string>>, selector: NodeSelector): boolean {
  return Object.entries(selector).every(
    ([key, value]) => Object.hasOwn(labels, key) && (value === '' || labels[key] === value),
  );
}

export function renderNodeSelector(selector: NodeSelector): string {
  return Object.entries(selector)
    .map(([key, value]) => (value === '' ? key : `${key}=${value}`))
    .join(',');
}

function split(item: string): readonly [string, string] {
  const at = item.indexOf('=');
  return at === -1 ? [item, ''] : [item.slice(0, at).trim(), item.slice(at + 1).trim()];
}

function isLabel([key, value]: readonly [string, string]): boolean {
  const [name = '', prefix, ...more] = key.split('/').reverse();
  return (
    NAME.test(name) &&
    (prefix === undefined || PREFIX.test(prefix)) &&
    more.length === 0 &&
    (value === '' || NAME.test(value))
  );
}
