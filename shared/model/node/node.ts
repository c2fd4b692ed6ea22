/** Nodes as resources of a plan: their marks, the two halves in which they are compared, and the patches to them. */
import type { Node, NodeCondition, NodeAddress, Taint } from '../kubernetes.ts';
import { ANNOTATION_PREFIX } from '../ownership.ts';
import type { Attributes, NodeKind, ObservedResource, ResourceKind, WireResource } from '../resources.ts';
import { readUuid } from '../text/text.ts';

/**
 * Taint of a new Node. A kubelet that waits for a cloud provider puts it there; nothing runs on the Node until it goes
 * (docs/sources/kubernetes.md, "Node initialisation").
 */
export const UNINITIALIZED_TAINT = 'node.cloudprovider.kubernetes.io/uninitialized';

/** Taint of a Node whose server is shut down (docs/sources/kubernetes.md, "Node lifecycle"). */
export const SHUTDOWN_TAINT = 'node.cloudprovider.kubernetes.io/shutdown';

/** What a kubelet was told with --node-ip: one address, or one of each family, separated by a comma. */
export const PROVIDED_NODE_IP = 'alpha.kubernetes.io/provided-node-ip';

/** When a server was first found gone, and where: `<seconds since 1970> <project> <region> <server>` (decision 27). */
export const SERVER_GONE = `${ANNOTATION_PREFIX}server-gone`;

export const nodeAt = (name: string): string => `node/${name}`;
export const nodeStatusAt = (name: string): string => `nodestatus/${name}`;

export function isOfNode(kind: ResourceKind): kind is NodeKind {
  return kind === 'node' || kind === 'nodestatus';
}

/** A Node as the two resources that it is in plans. */
export function observedNode(node: Node): readonly ObservedResource[] {
  const { name, uid } = node.metadata;
  const wire = wireOf(node);
  return [
    { kind: 'node', address: nodeAt(name), id: uid, owned: true, wire },
    { kind: 'nodestatus', address: nodeStatusAt(name), id: uid, owned: true, wire },
  ];
}

/** The attributes of both halves of a Node, as they are compared. */
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

/** The status of the condition Ready; `Unknown` without one (docs/sources/kubernetes.md, "Node lifecycle"). */
export function readyStatus(node: Node): NodeCondition['status'] {
  return node.status?.conditions?.find(({ type }) => type === 'Ready')?.status ?? 'Unknown';
}

export function hasTaint(node: Node, key: string): boolean {
  return node.spec?.taints?.some((taint) => taint.key === key) ?? false;
}

/** The UUID that the firmware tells the kubelet: with Nova the id of the server. Undefined where it is no UUID. */
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

/** A patch of a Node's status. */
export interface NodeStatusPatch {
  readonly addresses?: readonly NodeAddress[];
  /** Conditions of other types stay. */
  readonly conditions?: readonly NodeCondition[];
}

/** Where Nova was asked for which server. */
export interface Place {
  readonly projectId: string;
  readonly region: string;
  readonly serverId: string;
}

/** The text of the annotation SERVER_GONE. */
export function noteGone(now: number, { projectId, region, serverId }: Place): string {
  return [Math.ceil(now / 1_000), projectId, region, serverId].join(' ');
}

/** When the server was first found gone, in milliseconds since 1970. Undefined without a note about this place. */
export function goneSince(
  note: string | undefined,
  { projectId, region, serverId }: Place,
): number | undefined {
  const [seconds = '', ...place] = (note ?? '').split(' ');
  const isHere = place.join(' ') === [projectId, region, serverId].join(' ');
  return isHere && /^\d{1,12}$/.test(seconds) ? Number(seconds) * 1_000 : undefined;
}
