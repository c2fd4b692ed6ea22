/** Nodes as resources of a plan: what levelset writes to them, and how they are seen. */
import type { Node, NodeCondition, NodeAddress, Taint } from '../kubernetes.ts';
import { ANNOTATION_PREFIX } from '../ownership.ts';
import type { Attributes, NodeKind, ObservedResource, ResourceKind, WireResource } from '../resources.ts';
import { readUuid } from '../text/text.ts';

/**
 * A kubelet that waits for a cloud provider puts it there; nothing runs on the Node until it goes
 * (docs/sources/kubernetes.md, "Node initialisation").
 */
export const UNINITIALIZED_TAINT = 'node.cloudprovider.kubernetes.io/uninitialized';

/** Of a Node whose server is switched off (docs/sources/kubernetes.md, "Node lifecycle"). */
export const SHUTDOWN_TAINT = 'node.cloudprovider.kubernetes.io/shutdown';

/** What a kubelet was told with --node-ip: one address, or one of each family with a comma. */
export const PROVIDED_NODE_IP = 'alpha.kubernetes.io/provided-node-ip';

/** When the server was first found gone, and where: `<seconds since 1970> <project> <region> <server>` (decision 27). */
export const SERVER_GONE = `${ANNOTATION_PREFIX}server-gone`;

export const nodeAt = (name: string): string => `node/${name}`;
export const nodeStatusAt = (name: string): string => `nodestatus/${name}`;

export function isOfNode(kind: ResourceKind): kind is NodeKind {
  return kind === 'node' || kind === 'nodestatus';
}

/** One Node as the two resources that it is. */
export function observedNode(node: Node): readonly ObservedResource[] {
  const { name, uid } = node.metadata;
  const wire = wireOf(node);
  return [
    { kind: 'node', address: nodeAt(name), id: uid, owned: true, wire },
    { kind: 'nodestatus', address: nodeStatusAt(name), id: uid, owned: true, wire },
  ];
}

/** What a PATCH of either half answers, as both are compared. */
export function wireOf(node: Node): WireResource {
  const { metadata, spec, status } = node;
  const wire: Attributes = {
    node,
    providerID: spec?.providerID ?? '',
    labels: metadata.labels ?? {},
    annotations: metadata.annotations ?? {},
    taints: spec?.taints ?? [],
    podCIDRs: spec?.podCIDRs ?? [],
    addresses: status?.addresses ?? [],
    conditions: status?.conditions ?? [],
  };
  return { ...wire, id: metadata.uid };
}

/** `Unknown` where the kubelet never said it (docs/sources/kubernetes.md, "Node lifecycle"). */
export function readyStatus(node: Node): NodeCondition['status'] {
  return node.status?.conditions?.find(({ type }) => type === 'Ready')?.status ?? 'Unknown';
}

export function hasTaint(node: Node, key: string): boolean {
  return node.spec?.taints?.some((taint) => taint.key === key) ?? false;
}

/** What the firmware says, which is the id of a server of Nova's; undefined where it says no UUID. */
export function systemUUID(node: Node): string | undefined {
  return readUuid(node.status?.nodeInfo?.systemUUID ?? '');
}

/** A merge patch of a Node's metadata and spec. */
export interface NodePatch {
  readonly metadata?: {
    readonly labels?: Readonly<Record<string, string | null>>;
    readonly annotations?: Readonly<Record<string, string | null>>;
  };
  readonly spec?: {
    readonly providerID?: string;
    readonly taints?: readonly Taint[];
    readonly podCIDR?: string;
    readonly podCIDRs?: readonly string[];
  };
}

export interface NodeStatusPatch {
  readonly addresses?: readonly NodeAddress[];
  /** The other ones stay. */
  readonly conditions?: readonly NodeCondition[];
}

/**
 * The note on a Node that its server was not there: when, in seconds since 1970, and where Nova was asked for which
 * server.
 */
export interface Place {
  readonly projectId: string;
  readonly region: string;
  readonly serverId: string;
}

export function noteGone(now: number, { projectId, region, serverId }: Place): string {
  return [Math.ceil(now / 1_000), projectId, region, serverId].join(' ');
}

/** Milliseconds since 1970; undefined where there is no note, or it is about another place. */
export function goneSince(
  note: string | undefined,
  { projectId, region, serverId }: Place,
): number | undefined {
  const [seconds = '', ...place] = (note ?? '').split(' ');
  const isHere = place.join(' ') === [projectId, region, serverId].join(' ');
  return isHere && /^\d{1,12}$/.test(seconds) ? Number(seconds) * 1_000 : undefined;
}
