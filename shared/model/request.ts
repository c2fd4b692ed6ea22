/** What a trigger yields: only where to look, never what to do. */
export type Trigger = 'audit' | 'events' | 'sweep' | 'resync' | 'requeue' | 'command';

/** The sweep and people want to know what really is there, not what was expected to be. */
export function readsInFull(trigger: Trigger): boolean {
  return trigger === 'sweep' || trigger === 'resync' || trigger === 'command';
}

/** Somebody wrote something, which is mostly no matter of ours; a key that comes back was not done with. */
export function isHint({ trigger }: Pick<ReconcileRequest, 'trigger'>): boolean {
  return trigger === 'audit' || trigger === 'events';
}

/**
 * Units of work are `service/NS/NAME`, `node/NAME` and `routes`; `namespace/NS`, `nodeset` (the load balancers' members) and
 * `all` are for a sweep to look through.
 */
export type Key =
  `service/${string}/${string}` | `node/${string}` | 'routes' | `namespace/${string}` | 'nodeset' | 'all';

export interface ReconcileRequest {
  readonly key: Key;
  readonly trigger: Trigger;
  /** What caused it, for the log line: an audit id, a request id. */
  readonly cause?: string;
  readonly dryRun?: boolean;
}

export interface ServiceKey {
  readonly namespace: string;
  readonly name: string;
}

export function serviceKey(namespace: string, name: string): Key {
  return `service/${namespace}/${name}`;
}

const LABEL = /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/;

/** Reads a key that a person or another program wrote. Returns undefined for anything that is not one. */
export function parseKey(text: string): Key | undefined {
  if (text === 'all' || text === 'nodeset' || text === 'routes') return text;
  const [kind, ...names] = text.split('/');
  if (!names.every((name) => name.length <= 253 && LABEL.test(name))) return undefined;
  const [first, second] = names;
  if (kind === 'service' && first && second && names.length === 2) return `service/${first}/${second}`;
  if (kind === 'node' && first && names.length === 1) return `node/${first}`;
  if (kind === 'namespace' && first && names.length === 1) return `namespace/${first}`;
  return undefined;
}

/** The Service a key names, or undefined when it names something else. */
export function asServiceKey(key: Key): ServiceKey | undefined {
  const [kind, namespace, name] = key.split('/');
  return kind === 'service' && namespace && name ? { namespace, name } : undefined;
}

/** The name of the Node that a key names, or undefined. */
export function asNodeKey(key: Key): string | undefined {
  return key.startsWith('node/') ? key.slice('node/'.length) : undefined;
}

/** Whether a key is worked on by itself; the others are answered by a sweep, which finds what is. */
export function isUnit(key: Key): boolean {
  return key === 'routes' || asServiceKey(key) !== undefined || asNodeKey(key) !== undefined;
}

/** What a sweep looks at: one namespace's Services, all Services, or (nothing said) Nodes and routes as well. */
export interface SweepScope {
  readonly namespace?: string;
  readonly servicesOnly?: true;
  /** Somebody wants to know, and no more: what units left behind that are no more stays. */
  readonly readOnly?: true;
}

/** Of a key that is no unit. Which Nodes an event is about it says itself: all that hangs on them is the members of Services. */
export function scopeOf(key: Key): SweepScope {
  if (key === 'nodeset') return { servicesOnly: true };
  const namespace = /^namespace\/(.+)$/.exec(key)?.[1];
  return namespace === undefined ? {} : { namespace };
}

export function isEverything({ namespace, servicesOnly }: SweepScope): boolean {
  return namespace === undefined && !servicesOnly;
}

/** What one sweep looks at in the place of two. */
export function widen(one: SweepScope, other: SweepScope): SweepScope {
  if (isEverything(one) || isEverything(other)) return {};
  return one.namespace === other.namespace ? one : { servicesOnly: true };
}

export function keyOf(service: { readonly metadata: ServiceKey }): ServiceKey {
  return { namespace: service.metadata.namespace, name: service.metadata.name };
}
