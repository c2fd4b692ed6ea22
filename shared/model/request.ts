/** What caused a request. A trigger says where to look and never what to do. */
export type Trigger = 'audit' | 'events' | 'watch' | 'sweep' | 'resync' | 'requeue' | 'command';

/** Whether a run must not rely on what this process expects after its own writes. */
export function readsInFull(trigger: Trigger): boolean {
  return trigger === 'sweep' || trigger === 'resync' || trigger === 'command';
}

/** Whether a person asked for the run, and expects it to see what is there now. */
export function isByPerson({ trigger }: Pick<ReconcileRequest, 'trigger'>): boolean {
  return trigger === 'resync' || trigger === 'command';
}

/** Whether an event, an audit message or a watch caused the request. Most of these concern nothing of ours. */
export function isByEvent({ trigger }: Pick<ReconcileRequest, 'trigger'>): boolean {
  return trigger === 'audit' || trigger === 'events' || trigger === 'watch';
}

/**
 * What to look at. A run answers Services, Nodes and `routes`; a sweep `namespace/NAMESPACE`, `nodeset` (the members
 * of all load balancers) and `all`.
 */
export type Key =
  | `service/${string}/${string}`
  | `node/${string}`
  | 'routes'
  | `namespace/${string}`
  | 'nodeset'
  | 'all';

export interface ReconcileRequest {
  readonly key: Key;
  readonly cluster?: string;
  readonly trigger: Trigger;
  /** The id of an audit event or a request. Of two requests for one key and cause SQS may drop one. */
  readonly cause?: string;
  readonly dryRun?: boolean;
  /** It is this Service's turn among all of the cluster that share load balancers: no two of them are worked on at once. */
  readonly inGroup?: boolean;
}

type Named = Pick<ReconcileRequest, 'cluster' | 'key'>;

/** What queues tell work apart by: the key, after the name of its cluster if it has one, such as `prod-a:service/shop/web`. */
type QueueKey = Key | `${string}:${Key}`;

export function queueKeyOf({ cluster, key }: Named): QueueKey {
  return cluster === undefined ? key : `${cluster}:${key}`;
}

export function requestOf(world: { readonly cluster?: string }, request: ReconcileRequest): ReconcileRequest {
  return world.cluster === undefined ? request : { ...request, cluster: world.cluster };
}

export interface ServiceKey {
  readonly namespace: string;
  readonly name: string;
}

export function serviceKey(namespace: string, name: string): Key {
  return `service/${namespace}/${name}`;
}

const LABEL = /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/;

/** Whether a text can be the name of a Service, a Node, a namespace or a Secret. */
function isObjectName(text: string): boolean {
  return text.length <= 253 && LABEL.test(text);
}

/** Whether a text can be the name of a cluster: one label of DNS, so that it has neither a colon nor a slash. */
export function isClusterName(text: string): boolean {
  return text.length <= 63 && !text.includes('.') && LABEL.test(text);
}

/** The key in a text that a person or another program wrote; undefined for anything else. */
export function parseKey(text: string): Key | undefined {
  if (text === 'all' || text === 'nodeset' || text === 'routes') return text;
  const [kind, ...names] = text.split('/');
  if (!names.every(isObjectName)) return undefined;
  const [first, second] = names;
  if (kind === 'service' && first && second && names.length === 2) return `service/${first}/${second}`;
  if (kind === 'node' && first && names.length === 1) return `node/${first}`;
  if (kind === 'namespace' && first && names.length === 1) return `namespace/${first}`;
  return undefined;
}

/** What kubectl lets a person write for a kind. */
// prettier-ignore
const KINDS: Readonly<Record<string, string>> = {
  svc: 'service', services: 'service', no: 'node', nodes: 'node', ns: 'namespace', namespaces: 'namespace',
};

/** The key of an object as levelset or kubectl writes it: `svc/web` is a Service of `namespace`. Undefined for anything else. */
export function parseObject(text: string, namespace = 'default'): Key | undefined {
  const [written = '', ...names] = text.split('/');
  const kind = KINDS[written] ?? written;
  const isNamed = kind === 'service' && names.length === 1;
  return parseKey([kind, ...(isNamed ? [namespace] : []), ...names].join('/'));
}

export function asServiceKey(key: Key): ServiceKey | undefined {
  const [kind, namespace, name] = key.split('/');
  return kind === 'service' && namespace && name ? { namespace, name } : undefined;
}

export function asNodeKey(key: Key): string | undefined {
  return key.startsWith('node/') ? key.slice('node/'.length) : undefined;
}

export function isObjectKey(key: Key): boolean {
  return key === 'routes' || asServiceKey(key) !== undefined || asNodeKey(key) !== undefined;
}

/** What a sweep looks at. Without any field: all Services, Nodes and routes. */
export interface SweepScope {
  readonly namespace?: string;
  readonly servicesOnly?: true;
  /** The sweep changes nothing, not even the state of objects that are gone. */
  readonly readOnly?: true;
  /** The sweep trusts no settled record: it compares every Service with everything on its load balancer. */
  readonly deep?: true;
  /** The keys of all Services are found, also of those that are settled. */
  readonly everyService?: true;
}

export function scopeOf(key: Key): SweepScope {
  if (key === 'nodeset') return { servicesOnly: true };
  const namespace = /^namespace\/(.+)$/.exec(key)?.[1];
  return namespace === undefined ? {} : { namespace };
}

export function isEverything({ namespace, servicesOnly }: SweepScope): boolean {
  return namespace === undefined && !servicesOnly;
}

export function widen(one: SweepScope, other: SweepScope): SweepScope {
  if (isEverything(one) || isEverything(other)) return {};
  return one.namespace === other.namespace ? one : { servicesOnly: true };
}

export function keyOf(service: { readonly metadata: ServiceKey }): ServiceKey {
  return { namespace: service.metadata.namespace, name: service.metadata.name };
}

interface CausedKey {
  readonly key: Key;
  readonly cause: string;
}

/** Counts of the events of one delivery. Their sum is the number of events. */
export interface TriggerCounts {
  readonly accepted: number;
  /** Events that could not be read. */
  readonly skipped: number;
  readonly ignored: number;
}

export interface Triggered extends TriggerCounts {
  readonly keys: readonly CausedKey[];
}

/** Keys of what depends on all Nodes: the members of load balancers, and the routes to pods. */
export const OF_ALL_NODES = ['nodeset', 'routes'] as const satisfies readonly Key[];
