/** What the pipeline needs from outside. Stages are given these; only functions/world.ts knows who stands behind them. */
import type {
  EndpointSlice,
  Node,
  Pod,
  Secret,
  Service,
  ObjectEvent,
  ServicePatch,
} from './model/kubernetes.ts';
import type { CidrClaim, NodeDeletion, RecordedDeletions } from './model/node/node-records.ts';
import type { NodePatch, NodeStatusPatch } from './model/node/node.ts';
import type { Attributes, CloudKind, WireResource } from './model/resources.ts';
import type { Route, RouteRecords } from './model/network/routes.ts';
import type { StatusTree } from './model/load-balancer/octavia.ts';
import type { UnitState } from './model/unit.ts';
import type { Config } from './config/config.ts';
import type { Memory } from './memory/memory.ts';

export interface Kube {
  /** The UID of the namespace kube-system: the cluster's identity. */
  clusterId(): Promise<string>;
  /** Undefined when the apiserver answers 404. */
  getService(namespace: string, name: string): Promise<Service | undefined>;
  /** All pages, or an error: never a part. */
  listServices(namespace?: string): Promise<readonly Service[]>;
  /** Undefined when the apiserver answers 404. */
  getNode(name: string): Promise<Node | undefined>;
  listNodes(): Promise<readonly Node[]>;
  /** Merge patch of metadata and spec under the resourceVersion that was read; throws KUBE_CONFLICT. */
  patchNode(node: Node, patch: NodePatch): Promise<Node>;
  /** The same of its status; conditions that are not named stay. */
  patchNodeStatus(node: Node, patch: NodeStatusPatch): Promise<Node>;
  /** This very Node, as it was read; throws KUBE_CONFLICT when it has changed since. */
  deleteNode(node: Node): Promise<void>;
  /** Those of one Service. */
  listEndpointSlices(namespace: string, service: string): Promise<readonly EndpointSlice[]>;
  /** Those with all of these labels; without labels all of the namespace. */
  listPods(namespace: string, labels: Readonly<Record<string, string>>): Promise<readonly Pod[]>;
  /** Undefined when the apiserver answers 404; throws KUBE_FORBIDDEN where the namespace did not opt in. */
  getSecret(namespace: string, name: string): Promise<Secret | undefined>;
  /** Merge patch of `/status` (metadata included) under the resourceVersion that was read; throws KUBE_CONFLICT. */
  patchService(service: Service, patch: ServicePatch): Promise<Service>;
  /** Never throws for a failed Event: it is told to the log. */
  recordEvent(about: Service | Node, event: ObjectEvent): Promise<void>;
  /** `holder` tells apart those of one process that want the same one: the UID of a Service that shares. */
  lease(name: string, holder?: string): Lease;
  /** Names of the Leases of ours, for the sweep. */
  listLeases(): Promise<readonly string[]>;
  state: StateStore;
  routes: RouteRecord;
  deletions: NodeDeletions;
  cidrs: CidrClaims;
}

/** A coordination.k8s.io Lease that keeps two runs off one unit while they write. */
export interface Lease {
  /**
   * Takes the lease for 15 s by the apiserver's clock. `fresh` is false when somebody else held it since
   * `observedAtMs` (what was read before may be stale). Throws LEASE_HELD when another holder is alive.
   */
  acquire(): Promise<{ readonly fresh: boolean }>;
  /** Before each write. Throws LEASE_LOST when it is no longer ours. Cheap while more than half of it is left. */
  renew(): Promise<void>;
  /** Gives it back; never throws. One that this acquire made, and under which nothing was written, goes with it. */
  release(unused?: boolean): Promise<void>;
  /** With its unit; never throws. */
  remove(): Promise<void>;
}

/** The Nodes that were deleted lately. */
export interface NodeDeletions {
  load(): Promise<RecordedDeletions>;
  /** In place of what was loaded; false: somebody else has written since. */
  save(deletions: readonly NodeDeletion[], loaded: RecordedDeletions): Promise<boolean>;
}

/** CIDRs that were taken for Nodes; each can be taken once (decision 29). */
export interface CidrClaims {
  list(): Promise<readonly CidrClaim[]>;
  /** False: it is taken already. */
  claim(cidr: string, node: Node): Promise<boolean>;
  /** As it was listed: one that was given back and taken again since stays. */
  release(claim: CidrClaim): Promise<void>;
}

/** What we wrote to routers, in a ConfigMap of our own namespace (decision 112). */
export interface RouteRecord {
  load(): Promise<RouteRecords>;
  /**
   * In place of what was loaded for these routers; an empty one goes. Throws KUBE_CONFLICT when somebody else has written
   * since.
   */
  save(records: RouteRecords, loaded: RouteRecords): Promise<void>;
}

/** Watermarks and counts in ConfigMaps of our own namespace. A hint: losing it costs a deeper look (decision 34). */
export interface StateStore {
  load(): Promise<ReadonlyMap<string, UnitState>>;
  /** Undefined removes an entry. Written together, at most once per call. */
  save(changes: ReadonlyMap<string, UnitState | undefined>): Promise<void>;
}

export type ReadKind =
  | CloudKind
  | 'network'
  | 'subnet'
  | 'qos_policy'
  | 'container'
  | 'flavor'
  | 'availabilityzone'
  | 'server'
  | 'compute_flavor';

/** OpenStack, one method per verb; paths and envelopes are in openstack/endpoints.ts. */
export interface Cloud {
  /** All pages. `query` is sent as it is; a list value repeats the key. `parent` is a pool's id for members. */
  list(kind: ReadKind, query?: Query, parent?: string): Promise<readonly WireResource[]>;
  /** Undefined on 404. */
  get(kind: ReadKind, id: string): Promise<WireResource | undefined>;
  create(kind: CloudKind, attributes: Attributes, parent?: string): Promise<WireResource>;
  update(kind: CloudKind, id: string, attributes: Attributes, parent?: string): Promise<void>;
  /** 404 is success. */
  remove(kind: CloudKind, id: string, options?: { cascade?: boolean; parent?: string }): Promise<void>;
  /** PUT /pools/{id}/members. */
  putMembers(pool: string, members: readonly Attributes[], additive: boolean): Promise<void>;
  /** PUT of what others write, too, if it still has this revision; else CHANGED_MEANWHILE. Answers it as it is then. */
  updateAt(
    kind: 'port' | 'router',
    id: string,
    attributes: Attributes,
    revision: number,
  ): Promise<WireResource>;
  /** Whatever other routes there are; one that is there already is no error. Only with the extension extraroute-atomic. */
  addRoutes(router: string, routes: readonly Route[]): Promise<WireResource>;
  removeRoutes(router: string, routes: readonly Route[]): Promise<WireResource>;
  /** What Neutron can do, by the aliases of its extensions; asked for once. */
  networkExtensions(): Promise<ReadonlySet<string>>;
  /** Everything on a load balancer with its state, in one call; undefined on 404. */
  statuses(loadBalancer: string): Promise<StatusTree | undefined>;
  /**
   * The payload of a secret of Barbican as text; undefined where it is none, or may not be read. Never for what may hold a
   * private key.
   */
  certificateText(id: string): Promise<string | undefined>;
  /** The limits of the project by Octavia's names (loadbalancer, listener, ...); -1 is unlimited. */
  quota(): Promise<Readonly<Record<string, number>>>;
  /** Of the token: where everything is asked for. */
  projectId(): Promise<string>;
  /** The newest Octavia API version, such as { major: 2, minor: 26 }. */
  octaviaVersion(): Promise<{ readonly major: number; readonly minor: number }>;
}

export type Query = Readonly<Record<string, string | number | readonly string[]>>;

export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
}

/** One structured line per call; `fields` never holds a secret. */
export interface Log {
  debug(message: string, fields?: Attributes): void;
  info(message: string, fields?: Attributes): void;
  warn(message: string, fields?: Attributes): void;
  error(message: string, fields?: Attributes): void;
}

/** How long this invocation may still run. */
export interface Budget {
  remainingMs(): number;
}

/** Notes every OpenStack request of one run, over all awaits in it. */
export interface CallRecorder {
  record<T>(
    run: () => Promise<T>,
  ): Promise<{ readonly value: T; readonly calls: number; readonly failedRequestIds: readonly string[] }>;
}

export interface World {
  readonly kube: Kube;
  readonly cloud: Cloud;
  readonly calls: CallRecorder;
  readonly clock: Clock;
  readonly log: Log;
  readonly config: Config;
  /** What this process remembers from one run to the next; another World has its own. */
  readonly memory: Memory;
}

/** What a read of OpenStack takes: who answers, the time, and what this process has read before. */
export type CloudReader = Pick<World, 'cloud' | 'clock' | 'memory'>;
