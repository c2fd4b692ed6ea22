import type { Config } from '../../config/config.ts';
import type { Node, Taint } from '../../model/kubernetes.ts';
import {
  hasTaint,
  nodeAt,
  nodeStatusAt,
  PROVIDED_NODE_IP,
  UNINITIALIZED_TAINT,
  formatProviderID,
  readyStatus,
  SERVER_GONE,
  SHUTDOWN_TAINT,
  goneSince,
  noteGone,
  type Place,
} from '../../model/node/node.ts';
import type { NodeObject, DesiredResource } from '../../model/resources.ts';
import type { NeutronPort, Server, Subport, ServerFlavor } from '../../model/node/nova.ts';
import type { Problem } from '../../model/plan.ts';
import { nodeAddresses } from './node-addresses.ts';

interface NodeIntent {
  readonly node: Node;
  readonly server: Server;
  readonly ports: readonly NeutronPort[];
  readonly subports?: readonly Subport[];
  readonly config: Pick<Config, 'networking' | 'nodes' | 'openstack'>;
}

export interface DesiredNode {
  /** The status comes first, since a Node is used as soon as its taint is gone. */
  readonly resources: readonly DesiredResource<'node' | 'nodestatus'>[];
  readonly problems: readonly Problem[];
}

/**
 * A Node with the uninitialized taint gets providerID, labels and addresses and loses the taint, but not while its
 * addresses are unknown. Labels and addresses follow the server later, too (decision 104).
 */
export function desireNode(intent: NodeIntent): DesiredNode {
  const { node, server, config } = intent;
  const { name, annotations } = node.metadata;
  const provided = annotations?.[PROVIDED_NODE_IP];
  const { addresses, problems, incomplete } = nodeAddresses({
    ...intent,
    existing: node.status?.addresses ?? [],
    ...(provided === undefined ? {} : { providedNodeIPs: provided }),
    options: config.networking,
  });
  const isNew = hasTaint(node, UNINITIALIZED_TAINT);
  if (isNew && incomplete) return { resources: [], problems };
  const attributes: Partial<NodeObject> = {
    ...(isNew ? initialisation(intent) : {}),
    ...(isNew || isInitialised(node) ? { labels: nodeLabels(server, config.openstack.region) } : {}),
  };
  const status = {
    kind: 'nodestatus',
    address: nodeStatusAt(name),
    attributes: { addresses },
    ifPresent: true,
  } as const;
  const object = { kind: 'node', address: nodeAt(name), attributes, ifPresent: true } as const;
  return { resources: [...(addresses.length === 0 ? [] : [status]), object], problems };
}

/** What an uninitialized Node gets. Kubernetes refuses to change a providerID, so one that is set stays. */
function initialisation({ node, server, config }: NodeIntent): Partial<NodeObject> {
  const { nodes, openstack } = config;
  const region = nodes.regionalProviderID ? openstack.region : undefined;
  return {
    ...(isInitialised(node) ? {} : { providerID: formatProviderID(server.id, region) }),
    taints: (node.spec?.taints ?? []).filter(({ key }) => key !== UNINITIALIZED_TAINT),
  };
}

/** A Node with neither providerID nor taint is of a kubelet that asked for no cloud provider. */
function isInitialised({ spec }: Node): boolean {
  return (spec?.providerID ?? '') !== '';
}

/** Each label has two spellings, which always have the same value (docs/sources/kubernetes.md, "Node labels"). */
const INSTANCE_TYPE = ['node.kubernetes.io/instance-type', 'beta.kubernetes.io/instance-type'];
const ZONE = ['topology.kubernetes.io/zone', 'failure-domain.beta.kubernetes.io/zone'];
const REGION = ['topology.kubernetes.io/region', 'failure-domain.beta.kubernetes.io/region'];

const LONGEST = 63;
const VALID = /^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/;

/** docs/sources/occm.md, "Instance type, zone and region". Unknown values are left out. */
export function nodeLabels(server: Server, region: string | undefined): Readonly<Record<string, string>> {
  const values: readonly (readonly [readonly string[], string | undefined])[] = [
    [INSTANCE_TYPE, instanceType(server.flavor ?? {})],
    [ZONE, labelValue(server['OS-EXT-AZ:availability_zone'] ?? '')],
    [REGION, labelValue(region ?? '')],
  ];
  return Object.fromEntries(
    values.flatMap(([keys, value]) => (value === undefined ? [] : keys.map((key) => [key, value]))),
  );
}

/** The region of a Node, as the label says that its initialisation set. */
export function regionOf({ metadata }: Node): string | undefined {
  return REGION.map((key) => metadata.labels?.[key]).find((value) => value !== undefined);
}

/** The flavor's name; if it is no valid label, its id as with OCCM, or its name made valid. */
function instanceType({ original_name = '', id = '' }: ServerFlavor): string | undefined {
  return [original_name, id].find(isValid) ?? labelValue(original_name) ?? labelValue(id);
}

/** Text as the value of a label; undefined if nothing is left. */
export function labelValue(text: string): string | undefined {
  const value = text
    .replace(/[^-A-Za-z0-9_.]+/g, '-')
    .replace(/^[-_.]+/, '')
    .slice(0, LONGEST)
    .replace(/[-_.]+$/, '');
  return value === '' ? undefined : value;
}

function isValid(text: string): boolean {
  return text.length <= LONGEST && VALID.test(text);
}

interface LifecycleInput {
  readonly node: Node;
  /** gone: Nova answered 404 for its providerID. unknown: nobody knows which it is. unmanaged: another controller looks after it. */
  readonly server: Server | 'gone' | 'unknown' | 'unmanaged';
  readonly place: Place;
  readonly now: number;
}

export interface NodeLife {
  readonly taints: readonly Taint[];
  readonly annotations: Readonly<Record<string, string | null>>;
  /** The server was gone a minute ago and still is, so the Node is to be deleted. */
  readonly leaves: boolean;
  readonly againInMs?: number;
}

/** Between two answers that a server is gone: one can be wrong, because of a proxy, a cell that is down, or a changed credential. */
const CONFIRM_MS = 60_000;

/**
 * What becomes of a Node whose server stops, starts or is gone (docs/sources/kubernetes.md, "Node lifecycle";
 * decision 27). A Ready Node is never deleted or tainted.
 */
export function nodeLife({ node, server, place, now }: LifecycleInput): NodeLife {
  const taints = node.spec?.taints ?? [];
  // a Node that is being deleted waits for finalizers of others, and the deletion budget has counted it
  if (server === 'unmanaged' || node.metadata.deletionTimestamp !== undefined)
    return { taints, annotations: {}, leaves: false };
  const noted = node.metadata.annotations?.[SERVER_GONE];
  const back = noted === undefined ? {} : { [SERVER_GONE]: null };
  const others = taints.filter(({ key }) => key !== SHUTDOWN_TAINT);
  if (readyStatus(node) === 'True') return { taints: others, annotations: back, leaves: false };
  if (server === 'unknown') return { taints, annotations: {}, leaves: false };
  if (server === 'gone') {
    const since = goneSince(noted, place);
    const againInMs = since === undefined ? CONFIRM_MS : since + CONFIRM_MS - now;
    if (since !== undefined && againInMs <= 0) return { taints, annotations: {}, leaves: true };
    const note = since === undefined ? { [SERVER_GONE]: noteGone(now, place) } : {};
    return { taints, annotations: note, leaves: false, againInMs };
  }
  const isShutDown = server.status === 'SHUTOFF';
  const shutdown = { key: SHUTDOWN_TAINT, effect: 'NoSchedule' };
  const tainted = others.length < taints.length ? taints : [...taints, shutdown];
  return { taints: isShutDown ? tainted : taints, annotations: back, leaves: false };
}
