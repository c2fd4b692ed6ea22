import { isOfNode } from '../node/node.ts';
import type { ResourceKind, WireResource } from '../resources.ts';

/** The status tree of a load balancer: what is on it, in which state (Octavia API, "Get the Load Balancer status tree"). */
interface StatusNode {
  readonly id: string;
  readonly provisioning_status: string;
}

export interface StatusMember extends StatusNode {
  readonly address: string;
  readonly protocol_port: number;
}

export interface StatusPool extends StatusNode {
  readonly health_monitor?: StatusNode;
  readonly members: readonly StatusMember[];
}

export interface StatusListener extends StatusNode {
  readonly pools: readonly StatusPool[];
}

export interface StatusTree extends StatusNode {
  readonly listeners: readonly StatusListener[];
}

/** A flavor or availability zone of Octavia. */
export interface Offer {
  /** The name, for an availability zone. */
  readonly id: string;
  readonly name: string;
  readonly enabled: boolean;
}

/** Which of them to look up. */
export interface OfferQuestion {
  readonly flavors: boolean;
  readonly zones: boolean;
}

/** What was looked up; absent where nobody asked or this Octavia has none. */
export interface Offers {
  /** The load balancer exists already, and keeps the flavor and zone that it has. */
  readonly isMade?: boolean;
  readonly flavors?: readonly Offer[];
  readonly zones?: readonly Offer[];
}

/** Whether a kind is outside of Octavia: its lock does not cover the resource, and its status tree does not show it. */
export function isOutsideOctavia(kind: ResourceKind): boolean {
  const isOfNetwork = kind === 'floatingip' || kind === 'router' || isOfSecurityGroup(kind);
  return isOfNetwork || kind === 'secret' || isOfNode(kind);
}

export function isOfSecurityGroup(kind: ResourceKind): boolean {
  return kind === 'securitygroup' || kind === 'securitygrouprule' || kind === 'port';
}

/** Octavia holds its lock on the load balancer: every write would be a 409. */
export function isLocked({ provisioning_status: status }: WireResource): boolean {
  return String(status).startsWith('PENDING_');
}
