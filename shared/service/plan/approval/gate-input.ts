import type { Dialect } from '../../../model/load-balancer/other-controllers.ts';
import type { AwaitingApproval } from '../../../model/plan.ts';
import type { Address } from '../../../model/address.ts';
import type { DesiredResource, ObservedResource } from '../../../model/resources.ts';
import type { ApprovalGate } from '../../../plan/approval-hash.ts';

export interface GateInput {
  readonly desired: readonly DesiredResource[];
  readonly observed: readonly ObservedResource[];
  /** UID of the Service. */
  readonly uid: string;
  readonly approved: readonly string[];
  /** The addresses in the Service's status. */
  readonly published: readonly string[];
  /** All addresses of every node that can be a member, by name. */
  readonly nodes: ReadonlyMap<string, readonly string[]>;
  /** No node can be used just now: the pools keep what they have. */
  readonly keepMembers: boolean;
  /** False: not even our tags are written to what others made. */
  readonly tags: boolean;
}

export interface Gated {
  readonly desired: readonly DesiredResource[];
  readonly observed: readonly ObservedResource[];
  readonly awaitingApproval: readonly AwaitingApproval[];
}

/** What the parts below know of a load balancer that another controller made. */
export interface Adopted extends GateInput {
  readonly dialect: Dialect;
  readonly gate: ApprovalGate;
  readonly there: ReadonlyMap<Address, ObservedResource>;
  readonly wanted: ReadonlyMap<Address, DesiredResource>;
}
