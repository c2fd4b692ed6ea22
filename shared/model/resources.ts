import type { Address } from './address.ts';
import type { ATTRIBUTES } from './attributes.ts';
import type { ResourceOf } from './attributes/attribute-row.ts';

export type ResourceTypes = { [K in keyof typeof ATTRIBUTES]: ResourceOf<(typeof ATTRIBUTES)[K]> };

export type LoadBalancer = ResourceTypes['loadbalancer'];
export type Listener = ResourceTypes['listener'];
export type Pool = ResourceTypes['pool'];
export type Member = ResourceTypes['member'];
export type HealthMonitor = ResourceTypes['healthmonitor'];
export type NodeObject = ResourceTypes['node'];
export type NodeStatus = ResourceTypes['nodestatus'];

export type ResourceKind = keyof ResourceTypes;

export type NodeKind = 'node' | 'nodestatus';

export type CloudKind = Exclude<ResourceKind, NodeKind>;

export type Attributes = Readonly<Record<string, unknown>>;

/** One resource as it should be. levelset sets only the attributes in `attributes` (decision 2). */
export interface DesiredResource<K extends ResourceKind = ResourceKind> {
  readonly kind: K;
  readonly address: Address;
  /** Plan address of the resource whose removal removes this one, too. */
  readonly parent?: Address;
  readonly because?: string;
  /** The resource is changed if it exists, and never created. */
  readonly ifPresent?: true;
  /** A pool of Pods without members (decision 63), or a security group without rules (decision 420), is intended. */
  readonly mayBeEmpty?: true;
  /** Ports of the Service for which a rule of a security group is desired, such as `tcp/80`. */
  readonly portKeys?: readonly string[];
  readonly attributes: Partial<ResourceTypes[K]>;
  /** Attributes that nobody asked for. A create sets them, and later differences do not count (decision 2). */
  readonly unasked?: readonly string[];
  readonly alternatives?: readonly Partial<ResourceTypes[K]>[];
}

/**
 * Whose a resource is. Observing answers that once, and nobody asks again.
 *
 * - `ours`: it has levelset's tag, or is of what has it. It is changed, and goes with its Service.
 * - `adoptable`: another controller made it for this Service, and its changes may wait for approval; or a user's floating IP that the
 *   Service uses, which is given back.
 * - `foreign`: somebody else's. It is reported, and neither changed nor deleted, but for the tags of a load balancer that its Services
 *   share, and for a floating IP that a Service asks for.
 */
export type Whose = 'ours' | 'adoptable' | 'foreign';

export interface ObservedResource<K extends ResourceKind = ResourceKind> {
  readonly kind: K;
  readonly address: Address;
  readonly id: string;
  readonly parent?: Address;
  readonly whose: Whose;
  /** The whole object as the API answered it. */
  readonly wire: WireResource;
}

/** An object as OpenStack answers it. Only `id` is certain. */
export type WireResource = Attributes & { readonly id: string };
