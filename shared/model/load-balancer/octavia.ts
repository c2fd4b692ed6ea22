import { isOfNode } from '../node/node.ts';
import type { ResourceKind } from '../resources.ts';

/** GET /v2.0/lbaas/loadbalancers/{id}/status: what is on a load balancer, and its state, in one call (Octavia API). */
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

/** Flavors and availability zones of Octavia: what its operator offers for new load balancers. */
export interface Offer {
  /** Of a zone its name. */
  readonly id: string;
  readonly name: string;
  readonly enabled: boolean;
}

export interface OfferQuestion {
  readonly flavors: boolean;
  readonly zones: boolean;
}

/** What was looked up; absent: nobody asked, or this Octavia has none. */
export interface Offers {
  /** The load balancer is there: what it was made with it keeps. */
  readonly isMade?: boolean;
  readonly flavors?: readonly Offer[];
  readonly zones?: readonly Offer[];
}

/** What is not Octavia's, beside the load balancer: its lock does not hold them, its status tree does not show them. */
export function isOutsideOctavia(kind: ResourceKind): boolean {
  const isOfNetwork = kind === 'floatingip' || kind === 'router' || isOfSecurityGroup(kind);
  return isOfNetwork || kind === 'secret' || isOfNode(kind);
}

export function isOfSecurityGroup(kind: ResourceKind): boolean {
  return kind === 'securitygroup' || kind === 'securitygrouprule' || kind === 'port';
}
