/** The ports: everything that controllers need from outside. Only functions/world.ts knows what stands behind them. */
import type { OctaviaVersion, StatusTree } from './model/load-balancer/octavia.ts';
import type {
  EndpointSlice,
  Node,
  Pod,
  Secret,
  Service,
  ObjectEvent,
  ServicePatch,
} from './model/kubernetes.ts';
import type {
  Deletion,
  RecordedDeletions,
  RecordedRepairs,
  Repair,
  ProjectAndRegion,
} from './model/records.ts';
import type { NodePatch, NodeStatusPatch } from './model/node/node.ts';
import type { Attributes, CloudKind, WireResource } from './model/resources.ts';
import type { Problem } from './model/plan.ts';
import type { Route, RouteRecords } from './model/network/routes.ts';
import type { ServiceState } from './model/service-object.ts';
import type { Config } from './config/config.ts';
import type { Memory } from './memory/memory.ts';
import type { RunContext } from './deadline.ts';

export interface Kube {
  /** The same for requests in the time that `run` has. A write may end a run whose time is over. */
  during(run: Partial<RunContext>): Kube;
  /** The UID of the namespace kube-system: the cluster's identity. */
  clusterId(): Promise<string>;
  hasNamespace(name: string): Promise<boolean>;
  getService(namespace: string, name: string): Promise<Service | undefined>;
  /** Returns all pages, or throws: never a part. */
  listServices(namespace?: string): Promise<readonly Service[]>;
  getNode(name: string): Promise<Node | undefined>;
  listNodes(): Promise<readonly Node[]>;
  /** Merge patch of metadata and spec under the resourceVersion that was read; throws KUBE_CONFLICT. */
  patchNode(node: Node, patch: NodePatch): Promise<Node>;
  /** Merge patch of `/status` under the resourceVersion that was read; throws KUBE_CONFLICT. Conditions not in the patch stay. */
  patchNodeStatus(node: Node, patch: NodeStatusPatch): Promise<Node>;
  /** Deletes the Node as it was read; throws KUBE_CONFLICT when it has changed since. */
  deleteNode(node: Node): Promise<void>;
  listEndpointSlices(namespace: string, service: string): Promise<readonly EndpointSlice[]>;
  /** The Pods with all of these labels; without labels all Pods of the namespace. */
  listPods(namespace: string, labels: Readonly<Record<string, string>>): Promise<readonly Pod[]>;
  /** Undefined on 404; throws KUBE_FORBIDDEN. */
  getSecret(namespace: string, name: string): Promise<Secret | undefined>;
  /** Merge patch of `/status` (metadata included) under the resourceVersion that was read; throws KUBE_CONFLICT. */
  patchService(service: Service, patch: ServicePatch): Promise<Service>;
  /** Never throws: an Event that cannot be written goes to the log. */
  recordEvent(about: Service | Node, event: ObjectEvent): Promise<void>;
  deployment: DeploymentHold;
  state: StateStore;
  routes: RouteRecord;
  deletions: Deletions;
  repairs: RepairRecord;
  place: PlaceRecord;
}

/** Which deployment writes to the cluster. Both throw CLUSTER_HELD, which says whose it is, where it is another one. */
export interface DeploymentHold {
  /** For runs. Where nobody has the cluster this deployment has it from now on. */
  require(): Promise<void>;
  /** For sweeps: keeps the cluster, or claims it. */
  renew(): Promise<void>;
  /** For commands: gives it back, if this process has it from nobody. */
  release(): Promise<void>;
}

/** The record of what was deleted lately, of one kind. */
export interface DeletionRecord {
  load(): Promise<RecordedDeletions>;
  /** Replaces what was loaded. False: another writer was faster. */
  save(deletions: readonly Deletion[], loaded: RecordedDeletions): Promise<boolean>;
}

/** The record of what levelset repaired lately (decision 310). */
export interface RepairRecord {
  load(): Promise<RecordedRepairs>;
  save(repairs: readonly Repair[], loaded: RecordedRepairs): Promise<boolean>;
}

export interface Deletions {
  readonly nodes: DeletionRecord;
  /** What Services that have vanished left in OpenStack. */
  readonly left: DeletionRecord;
}

/** The record of where this cluster's load balancers are (decision 154). */
export interface PlaceRecord {
  load(): Promise<ProjectAndRegion | undefined>;
  /** Records the place, or the region of a record of the same project without one. What another writer recorded meanwhile stays. */
  save(place: ProjectAndRegion): Promise<void>;
}

/** The record of what levelset wrote to routers, in a ConfigMap of its own namespace (decision 112). */
export interface RouteRecord {
  load(): Promise<RouteRecords>;
  /** Replaces what was loaded for these routers; an empty record removes the entry. Throws KUBE_CONFLICT. */
  save(records: RouteRecords, loaded: RouteRecords): Promise<void>;
}

/** Settled records and counts. Losing them costs a deeper look, and the knowledge of drift and of the last node-selector (decision 34). */
export interface StateStore {
  load(): Promise<ReadonlyMap<string, ServiceState>>;
  /** The state of one object, as it is stored now; undefined if there is none. */
  find(object: string): Promise<ServiceState | undefined>;
  /** Undefined removes an entry. All changes are written together. */
  save(changes: ReadonlyMap<string, ServiceState | undefined>): Promise<void>;
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
  /** The same for requests that carry what `run` has, in the time that both have. */
  during(run: Partial<RunContext>): Cloud;
  /** All pages. `query` is sent as it is; a list value repeats the key. `parent` is a pool's id for members. */
  list(kind: ReadKind, query?: Query, parent?: string): Promise<readonly WireResource[]>;
  get(kind: ReadKind, id: string): Promise<WireResource | undefined>;
  create(kind: CloudKind, attributes: Attributes, parent?: string): Promise<WireResource>;
  update(kind: CloudKind, id: string, attributes: Attributes, parent?: string): Promise<void>;
  /** 404 is success. */
  remove(kind: CloudKind, id: string, options?: { cascade?: boolean; parent?: string }): Promise<void>;
  /** PUT /loadbalancers/{id}/failover. Throws FAILOVER_REFUSED where the cloud keeps it for administrators, or cannot do it. */
  failover(loadBalancer: string): Promise<void>;
  putMembers(pool: string, members: readonly Attributes[], additive: boolean): Promise<void>;
  /** PUT under the revision that was read; throws CHANGED_MEANWHILE. */
  updateAt(
    kind: 'port' | 'router',
    id: string,
    attributes: Attributes,
    revision: number,
  ): Promise<WireResource>;
  /** Leaves other routes alone; one that exists is no error. Needs the extension extraroute-atomic. */
  addRoutes(router: string, routes: readonly Route[]): Promise<WireResource>;
  removeRoutes(router: string, routes: readonly Route[]): Promise<WireResource>;
  networkExtensions(): Promise<ReadonlySet<string>>;
  /** Everything on a load balancer with its state, in one call; undefined on 404. */
  statuses(loadBalancer: string): Promise<StatusTree | undefined>;
  /** The payload of a secret of Barbican; undefined if it cannot be read. Never ask for one that may hold a private key. */
  certificateText(id: string): Promise<string | undefined>;
  /** The limits of the project by Octavia's names (loadbalancer, listener, ...); -1 is unlimited. */
  quota(): Promise<Readonly<Record<string, number>>>;
  /** The project of the token, in which everything is read and made. */
  projectId(): Promise<string>;
  /** The region of Octavia's endpoint; undefined if the catalog names none. */
  region(): Promise<string | undefined>;
  /** The newest Octavia API version, such as { major: 2, minor: 26 }. */
  octaviaVersion(): Promise<OctaviaVersion>;
}

export type Query = Readonly<Record<string, string | number | readonly string[]>>;

export interface Clock {
  /** Milliseconds: since 1970 in a World, since whenever where time that passes is measured. */
  now(): number;
}

export interface Log {
  debug(message: string, fields?: Attributes): void;
  info(message: string, fields?: Attributes): void;
  warn(message: string, fields?: Attributes): void;
  error(message: string, fields?: Attributes): void;
}

export interface Budget {
  remainingMs(): number;
  /** Takes a place for a load balancer that the run is to make. False: none is free. Absent: nothing bounds them. */
  mayCreate?(): boolean | Promise<boolean>;
}

/** Counts the OpenStack requests of one run, and collects the ids of those that failed. */
export interface CallRecorder {
  record<T>(
    run: () => Promise<T>,
  ): Promise<{ readonly value: T; readonly calls: number; readonly failedRequestIds: readonly string[] }>;
}

export interface World {
  /** The run, or the sweep, whose World this is; absent outside. */
  readonly run?: RunContext;
  readonly cluster?: string;
  readonly kube: Kube;
  readonly cloud: Cloud;
  readonly calls: CallRecorder;
  readonly clock: Clock;
  readonly log: Log;
  readonly config: Config;
  /** What this process remembers from one run to the next; another World has its own. */
  readonly memory: Memory;
}

/** The part of the World that reads of OpenStack take: the cloud, the time, and the answers that this process has. */
export type CloudReader = Pick<World, 'run' | 'cloud' | 'clock' | 'memory'> & {
  /** Takes the first failure of a read that the members of a Service can do without, and stops all else (decision 420). */
  readonly unread?: Problem[];
};
