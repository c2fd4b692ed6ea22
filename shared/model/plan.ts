import type { ErrorCode } from './errors.ts';
import type { Address, Ref } from './address.ts';
import type { Attributes, ResourceKind } from './resources.ts';

/** One attribute that differs. */
export interface Change {
  readonly attribute: string;
  readonly from: unknown;
  readonly to: unknown;
}

interface StepBase {
  readonly address: Address;
  readonly kind: ResourceKind;
  /** Why, when the address and the changes do not say it. */
  readonly because?: string;
}

/** POST. The create of a load balancer carries its whole tree in `attributes.listeners`. */
export interface CreateStep extends StepBase {
  readonly verb: 'create';
  readonly attributes: Attributes;
  /** Tried in this order, in place of the attributes of the same names, while OpenStack has no free address. */
  readonly alternatives?: readonly Attributes[];
}

/** PUT of what differs. Never empty. */
export interface UpdateStep extends StepBase {
  readonly verb: 'update';
  readonly id: string;
  readonly changes: readonly Change[];
}

export interface DeleteStep extends StepBase {
  readonly verb: 'delete';
  /** A reference for what OpenStack makes unasked together with something of the same plan. */
  readonly id: string | Ref;
  /** Only for a load balancer: with everything on it. */
  readonly cascade?: true;
}

/**
 * Several members of one pool in one call: PUT /pools/{id}/members. With `additive` the list holds only what is new or
 * different and nothing is removed; without it the list is the whole pool (Octavia API 2.11).
 */
export interface MembersStep extends StepBase {
  readonly verb: 'members';
  readonly kind: 'pool';
  readonly additive: boolean;
  readonly members: readonly Attributes[];
  readonly added: readonly string[];
  readonly removed: readonly string[];
  /** With what changes: `10.0.0.5:30080 monitor_port null -> 31000`. */
  readonly changed: readonly string[];
}

/** One API call. */
export type Step = CreateStep | UpdateStep | DeleteStep | MembersStep;

/** A change that would take something away that people depend on: not made, but said. */
export interface Refusal {
  readonly address: Address;
  readonly kind: ResourceKind;
  readonly changes: readonly Change[];
  readonly reason: string;
  /** What the annotation `approve` must name so that it is made after all: good for once. */
  readonly approval?: string;
}

/** A change to what another controller made, which waits for an approval on the Service (decision 6). */
export interface AwaitingApproval {
  readonly verb: 'create' | 'update' | 'delete';
  readonly address: Address;
  readonly kind: ResourceKind;
  readonly changes: readonly Change[];
  readonly reason: string;
  /** What the annotation `approve` must name: a hash of this change and of the Service's UID. */
  readonly approval: string;
}

/** A user's mistake, or a wish that cannot be met: names the field, the value and what is allowed. */
export interface Problem {
  readonly field: string;
  readonly value: string;
  readonly message: string;
  /** Nothing of this unit is changed while it stands: going on could open or move what must not be. */
  readonly blocking?: true;
  /** It may pass without any change that a sweep could see: nothing is remembered, so that the next one looks again. */
  readonly momentary?: true;
  /** Comes and goes without a change of the Service: the sweep has to look out for it. */
  readonly passing?: true;
  /** When it is not the Service that must change: the error whose disposition applies. */
  readonly code?: ErrorCode;
}

/** A member at weight 0, since its node leaves. */
export interface DrainingMember {
  readonly address: Address;
  /** When it has drained and is to go. */
  readonly goesInMs: number;
}

/** The difference between desired and observed, as a value: what is printed and reviewed is what is executed. */
export interface Plan {
  readonly unit: string;
  /** The Services of the unit, as `NS/NAME`. */
  readonly services: readonly string[];
  readonly steps: readonly Step[];
  readonly refused: readonly Refusal[];
  readonly awaitingApproval: readonly AwaitingApproval[];
  readonly problems: readonly Problem[];
  /** Foreign resources on a load balancer of ours: never touched, and they keep it alive. */
  readonly foreign: readonly Address[];
  /** Other Services on the load balancer, as `NS/NAME`. */
  readonly sharedWith?: readonly string[];
  /** Not one node can be used just now, and pools have members: these stay. */
  readonly keepsMembers?: true;
  /** Members that are kept, or come to weight 0, until they have drained; never empty. */
  readonly draining?: readonly DrainingMember[];
}

/** The address of a load balancer that is to take another one's place. */
export const REPLACEMENT = 'lb/replacement';

/** It makes one load balancer more, while the old one is still there. */
export function isAnother({ address, verb }: Step): boolean {
  return address === REPLACEMENT && verb === 'create';
}
