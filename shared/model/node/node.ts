/** Nodes as resources of a plan, and the servers that their providerIDs name. */
import { fingerprint } from '../json.ts';
import type { Node, NodeCondition, NodeAddress, Taint } from '../kubernetes.ts';
import { ANNOTATION_PREFIX } from '../annotation-prefixes.ts';
import type { Attributes, NodeKind, ObservedResource, ResourceKind, WireResource } from '../resources.ts';
import { readUuid } from '../text/text.ts';

/** A kubelet that waits for a cloud provider sets it (docs/sources/kubernetes.md, "Node initialisation"). */
export const UNINITIALIZED_TAINT = 'node.cloudprovider.kubernetes.io/uninitialized';

/** Taint of a Node whose server is shut down (docs/sources/kubernetes.md, "Node lifecycle"). */
export const SHUTDOWN_TAINT = 'node.cloudprovider.kubernetes.io/shutdown';

/** Annotation with a kubelet's --node-ip: one IP address, or one of each family, separated by a comma. */
export const PROVIDED_NODE_IP = 'alpha.kubernetes.io/provided-node-ip';

/** When a server was first found gone, and where: `<seconds since 1970> <project> <region> <server>` (decision 27). */
export const SERVER_GONE = `${ANNOTATION_PREFIX}server-gone`;

export const nodeAt = (name: string): string => `node/${name}`;
export const nodeStatusAt = (name: string): string => `nodestatus/${name}`;

export function isOfNode(kind: ResourceKind): kind is NodeKind {
  return kind === 'node' || kind === 'nodestatus';
}

export function observedNode(node: Node): readonly ObservedResource[] {
  const { name, uid } = node.metadata;
  const wire = wireOf(node);
  return [
    { kind: 'node', address: nodeAt(name), id: uid, whose: 'ours', wire },
    { kind: 'nodestatus', address: nodeStatusAt(name), id: uid, whose: 'ours', wire },
  ];
}

export function wireOf(node: Node): WireResource {
  const { metadata, spec, status } = node;
  const wire: Attributes = {
    node,
    providerID: spec?.providerID ?? '',
    labels: metadata.labels ?? {},
    annotations: metadata.annotations ?? {},
    taints: spec?.taints ?? [],
    addresses: status?.addresses ?? [],
    conditions: status?.conditions ?? [],
  };
  return { ...wire, id: metadata.uid };
}

/** The status of the condition Ready; `Unknown` without one (docs/sources/kubernetes.md, "Node lifecycle"). */
export function readyStatus(node: Node): NodeCondition['status'] {
  return node.status?.conditions?.find(({ type }) => type === 'Ready')?.status ?? 'Unknown';
}

export function internalIPs({ status }: Node): readonly string[] {
  return (status?.addresses ?? []).flatMap(({ type, address }) => (type === 'InternalIP' ? address : []));
}

export function hasTaint(node: Node, key: string): boolean {
  return node.spec?.taints?.some((taint) => taint.key === key) ?? false;
}

/** The UUID that the firmware tells the kubelet, which with Nova is the server's id. Undefined if it is no UUID. */
export function systemUUID(node: Node): string | undefined {
  return readUuid(node.status?.nodeInfo?.systemUUID ?? '');
}

export interface NodePatch {
  readonly metadata?: {
    readonly labels?: Readonly<Record<string, string | null>>;
    readonly annotations?: Readonly<Record<string, string | null>>;
  };
  readonly spec?: {
    readonly providerID?: string;
    readonly taints?: readonly Taint[];
  };
}

export interface NodeStatusPatch {
  readonly addresses?: readonly NodeAddress[];
  readonly conditions?: readonly NodeCondition[];
}

export interface Place {
  readonly projectId: string;
  readonly region: string;
  readonly serverId: string;
}

export function noteGone(now: number, { projectId, region, serverId }: Place): string {
  return [Math.ceil(now / 1_000), projectId, region, serverId].join(' ');
}

/** In milliseconds since 1970; undefined if the note is not about this server here. */
export function goneSince(
  note: string | undefined,
  { projectId, region, serverId }: Place,
): number | undefined {
  const [seconds = '', ...place] = (note ?? '').split(' ');
  const isHere = place.join(' ') === [projectId, region, serverId].join(' ');
  return isHere && /^\d{1,12}$/.test(seconds) ? Number(seconds) * 1_000 : undefined;
}

/** A text that changes with what load balancers may depend on of Nodes: no heartbeats, running Pods or annotations of others. */
export function fingerprintOf(nodes: readonly Node[]): string {
  return fingerprint(
    nodes.map(({ metadata: { uid, labels, annotations, deletionTimestamp }, spec, status }) => [
      ...[uid, labels, annotations?.[SERVER_GONE], deletionTimestamp, spec, status?.addresses],
      status?.conditions?.map(({ type, status: is }) => [type, is]),
    ]),
  );
}

/** spec.providerID (docs/sources/occm.md, "providerID"; docs/sources/kinx.md, "providerID of kinx"). */
interface ProviderID {
  /** `bare` is an id without a scheme, as old clusters have it, with a region before it or none. */
  readonly scheme: 'openstack' | 'kinx' | 'bare';
  readonly region?: string;
  readonly serverId: string;
}

const UUID = '[\\da-fA-F]{8}(?:-[\\da-fA-F]{4}){3}-[\\da-fA-F]{12}';
const WITH_SCHEME = new RegExp(`^(openstack|kinx)://([^/]*)/(${UUID})$`);
const BARE = new RegExp(`^(?:([^/:]*)/)?(${UUID})$`);

/** Undefined for other clouds and ids that are no UUIDs: Nova answers those with 404, as if the server were gone. */
export function parseProviderID(text: string): ProviderID | undefined {
  const [, scheme, region = '', id] = WITH_SCHEME.exec(text) ?? [];
  if (scheme === 'openstack' && id !== undefined) return named(scheme, region, id);
  if (scheme === 'kinx' && region === '' && id !== undefined) return named(scheme, region, id);
  const [, before = '', bare] = BARE.exec(text) ?? [];
  return bare === undefined ? undefined : named('bare', before, bare);
}

function named(scheme: ProviderID['scheme'], region: string, id: string): ProviderID {
  return { scheme, ...(region === '' ? {} : { region }), serverId: id.toLowerCase() };
}

/** The id of the server that a Node names by its providerID. */
export function serverOf({ spec }: Node): string | undefined {
  return parseProviderID(spec?.providerID ?? '')?.serverId;
}

/** The providerID to write. `region` is given only if providerIDs are regional (OS_CCM_REGIONAL). */
export function formatProviderID(serverId: string, region: string | undefined): string {
  return `openstack://${region ?? ''}/${serverId}`;
}
