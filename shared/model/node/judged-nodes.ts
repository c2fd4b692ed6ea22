/** Whose the addresses are that Nodes name. A kubelet writes what it likes; Neutron knows the device of a port (decision 160). */
import { isIP } from 'node:net';
import type { Node, NodeAddress } from '../kubernetes.ts';
import { cidrContains } from '../network/cidr.ts';
import { onceFor } from '../once-for.ts';
import { SERVER_GONE, serverOf } from './node.ts';
import { statusAddresses } from './node-set.ts';
import { SeenPorts, type DevicePort } from './seen-ports.ts';

interface RefusedAddress {
  readonly node: string;
  readonly address: string;
  readonly because: string;
}

export interface JudgedNodes {
  /** The Nodes without the addresses that are refused. A Node of which no IP address is left is not among them. */
  readonly nodes: readonly Node[];
  readonly refused: readonly RefusedAddress[];
  /** Addresses of Nodes with a providerID on no port that the project sees; all addresses if the ports could not be listed. */
  readonly unseen: ReadonlySet<string>;
  /**
   * Addresses that another device has, of ready Nodes of whose servers no port is seen, by the reason. None joins
   * there, and who is there stays.
   */
  readonly disputed: ReadonlyMap<string, string>;
  /** By address of a Node with a providerID: the ids of its server's ports there. */
  readonly ports: ReadonlyMap<string, readonly string[]>;
  /** The subnets in which a Node's server has this address; undefined if the project sees no port of a server. */
  readonly subnetsOf: (node: Node, address: string) => readonly string[] | undefined;
  /** The servers that Nodes name. */
  readonly servers: ReadonlySet<string>;
  /** Why the ports could not be listed, so that nothing is known of Nodes with a providerID. */
  readonly unlisted?: string;
}

/** The ids of the servers that Nodes name by their providerID, each once. */
export const serversOf = onceFor((nodes: readonly Node[]): readonly string[] => [
  ...new Set(nodes.flatMap((node) => serverOf(node) ?? [])),
]);

/** Addresses of Nodes with a providerID that no port of their server has. */
export function unknownAddresses(nodes: readonly Node[], ports: readonly DevicePort[]): readonly string[] {
  const seen = new SeenPorts(ports);
  const found = nodes.flatMap((node) => {
    const server = serverOf(node);
    const isOwn = ({ address }: NodeAddress): boolean => seen.fixedOn(server ?? '', address).length > 0;
    return server === undefined ? [] : memberAddresses(node).filter((one) => !isOwn(one));
  });
  return [...new Set(found.map(({ address }) => address))];
}

/**
 * Judges each address at which a Node could be a member. `ports` is the reason of a failure if they could not be
 * listed. `others`: servers that are Nodes of other clusters.
 */
export function judgeNodes(
  nodes: readonly Node[],
  ports: readonly DevicePort[] | string,
  others: ReadonlySet<string> = NONE,
): JudgedNodes {
  return typeof ports === 'string' ? judge(nodes, ports, others) : judgedBy(ports)(others)(nodes);
}

const NONE: ReadonlySet<string> = new Set([]);

const judgedBy = onceFor((ports: readonly DevicePort[]) =>
  onceFor((others: ReadonlySet<string>) => onceFor((nodes: readonly Node[]) => judge(nodes, ports, others))),
);

function judge(
  nodes: readonly Node[],
  ports: readonly DevicePort[] | string,
  others: ReadonlySet<string>,
): JudgedNodes {
  const isUnlisted = typeof ports === 'string';
  const seen = new SeenPorts(isUnlisted ? [] : ports);
  const servers = new Set(serversOf(nodes).filter((server) => !others.has(server)));
  const claimed = new Set([...servers, ...others]);
  const refused: RefusedAddress[] = [];
  const unseen = new Set<string>();
  const disputed = new Map<string, string>();
  const own = new Map<string, readonly string[]>();
  const judged = nodes.flatMap((told) => {
    const server = serverOf(told);
    const node = withPorts(told, (address) => seen.subnetsOf(server ?? '', address) ?? []);
    const lost = provenAddresses(node).flatMap(({ address }) => {
      const found = server === undefined ? [] : seen.ofServer(server, address);
      const elsewhere = seen.elsewhere(address, server);
      const taken = whyNot(elsewhere, found, claimed, server);
      const isStrange = server !== undefined && !seen.hasPortsOf(server) && !isDown(node);
      const isDisputed = taken !== undefined && isStrange && !claimed.has(elsewhere?.device_id ?? '');
      if (isDisputed) disputed.set(address, taken);
      const because =
        unreachable(address) ?? whyOfAnother(server, others) ?? (isDisputed ? undefined : taken);
      if (because !== undefined) {
        refused.push({ node: node.metadata.name, address, because });
        return [address];
      }
      if (server !== undefined) own.set(address, [...new Set([...(own.get(address) ?? []), ...found])]);
      else if (isUnlisted) unseen.add(address);
      return [];
    });
    return lost.length === 0 ? [node] : withoutFamilies(node, lost);
  });
  for (const [address, ids] of own) if (ids.length === 0 && !disputed.has(address)) unseen.add(address);
  return {
    nodes: judged,
    refused,
    unseen,
    disputed,
    ports: own,
    servers,
    subnetsOf: (node, address) => seen.subnetsOf(serverOf(node) ?? '', address),
    ...(isUnlisted ? { unlisted: ports } : {}),
  };
}

/** The Node with `onPort` at each IP address that a port of its server has; a kubelet's own word does not count. */
function withPorts(node: Node, subnetsOf: (address: string) => readonly string[]): Node {
  const addresses = statusAddresses(node).map(({ type, address }): NodeAddress => {
    const onPort = isIP(address) === 0 ? [] : subnetsOf(address);
    return { type, address, ...(onPort.length > 0 ? { onPort } : {}) };
  });
  return { ...node, status: { ...node.status, addresses } };
}

/** Whether a Node does not work, so that somebody else may have got its address. */
function isDown({ metadata, status }: Node): boolean {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready')?.status ?? 'True';
  return ready !== 'True' || metadata.annotations?.[SERVER_GONE] !== undefined;
}

/** An address with the subnets in which its server has it; without them only the project's ports can tell. */
export interface LocatedAddress {
  readonly address: string;
  readonly subnets?: readonly string[] | undefined;
}

export function locateNodes(nodes: readonly Node[], judged: JudgedNodes): readonly LocatedAddress[] {
  return nodes
    .toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))
    .flatMap((node) =>
      memberAddresses(node).map(({ address }) => ({ address, subnets: judged.subnetsOf(node, address) })),
    );
}

export type HasAddress = (node: string, address: string) => boolean;

/** Whether an address that a Node names is refused to nobody, for Pods in the Node's own network. */
export function namedAddresses({ nodes }: JudgedNodes): HasAddress {
  // most Services have no such Pod, and a sweep looks at thousands of them
  let named: ReadonlyMap<string, readonly NodeAddress[]> | undefined;
  return (node, address) => {
    named ??= new Map(nodes.map((one) => [one.metadata.name, memberAddresses(one)]));
    return named.get(node)?.some((one) => one.address === address) ?? false;
  };
}

/** Without these addresses, and others of the same family in their place, which nobody judged. A Node without any IP address left goes. */
export function withoutAddresses(nodes: readonly Node[], lost: ReadonlySet<string>): readonly Node[] {
  return nodes.flatMap((node) => {
    const own = provenAddresses(node).flatMap(({ address }) => (lost.has(address) ? [address] : []));
    return own.length === 0 ? [node] : withoutFamilies(node, own);
  });
}

/** The addresses at which a Node may be a member, with ExternalIPs on ports beside an InternalIP. */
function provenAddresses(node: Node): readonly NodeAddress[] {
  const onPort = statusAddresses(node).filter((one) => one.onPort && one.type === 'ExternalIP');
  return [...new Set([...memberAddresses(node), ...onPort])];
}

/** The addresses at which a Node may be a member: of each family the InternalIPs, else the ExternalIPs. */
function memberAddresses(node: Node): readonly NodeAddress[] {
  return [4, 6].flatMap((family) => {
    const all = statusAddresses(node).filter(({ address }) => isIP(address) === family);
    const internal = all.filter(({ type }) => type === 'InternalIP');
    return internal.length > 0 ? internal : all.filter(({ type }) => type === 'ExternalIP');
  });
}

/** Ranges in which an address means whoever uses it, or nobody. */
const UNREACHABLE = [
  '0.0.0.0/8',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '224.0.0.0/3',
  '::/127',
  'fe80::/10',
  'ff00::/8',
];

function unreachable(address: string): string | undefined {
  const range = UNREACHABLE.find((cidr) => cidrContains(cidr, address));
  return range && `lies in ${range}, where no load balancer can reach a Node`;
}

/** Why no address of a Node is its own that names the server of another cluster's Node. */
function whyOfAnother(server: string | undefined, others: ReadonlySet<string>): string | undefined {
  if (server === undefined || !others.has(server)) return undefined;
  return `is of server ${server}, which is a Node of another cluster of the project that levelset serves`;
}

/** Why an address is not the Node's; undefined if it is, or if nobody is known to have it. */
function whyNot(
  elsewhere: DevicePort | undefined,
  own: readonly string[],
  claimed: ReadonlySet<string>,
  server: string | undefined,
): string | undefined {
  if (!elsewhere || own.length > 0) return undefined;
  const { device_id: device = '', device_owner: owner = '', id } = elsewhere;
  // of a Node that names no server only what other Nodes prove is known
  if (server === undefined && !claimed.has(device)) return undefined;
  const whose = device === '' ? owner : `${owner.startsWith('compute:') ? 'server' : owner} ${device}`;
  return `is on port ${id} of ${whose}, and on no port of ${server === undefined ? 'the Node, which names no server' : `server ${server}`}`;
}

/** The Node without its addresses of the families of these, except for what other addresses it has there. */
function withoutFamilies(node: Node, lost: readonly string[]): readonly Node[] {
  const families = new Set(lost.map(isIP));
  const kept = new Set(
    memberAddresses(node)
      .map(({ address }) => address)
      .filter((one) => !lost.includes(one)),
  );
  const addresses = statusAddresses(node).filter(
    ({ address }) => !families.has(isIP(address)) || kept.has(address),
  );
  return withAddresses(node, addresses);
}

function withAddresses(node: Node, addresses: readonly NodeAddress[]): readonly Node[] {
  if (addresses.every(({ address }) => isIP(address) === 0)) return [];
  return [{ ...node, status: { ...node.status, addresses } }];
}
