import { behaviourOf, type OtherController } from '../../../model/load-balancer/makers-and-sharers.ts';
import { withoutRecordOf } from '../../../model/ownership.ts';
import type { AwaitingApproval, Change } from '../../../model/plan.ts';
import type { ServiceKey } from '../../../model/request.ts';
import type { DesiredResource, ObservedResource, ResourceKind } from '../../../model/resources.ts';
import { compare } from '../../../plan/compare-and-plan.ts';

export interface HeldInput {
  readonly desired: readonly DesiredResource[];
  readonly observed: readonly ObservedResource[];
  readonly key: ServiceKey;
  readonly uid: string;
  readonly approved: readonly string[];
  readonly published: readonly string[];
  readonly nodes: ReadonlyMap<string, readonly string[]>;
  /** No node is eligible, so the pools keep their members. */
  readonly keepMembers: boolean;
  /** The attributes that OCCM, which made the load balancer, read otherwise, such as `pool.protocol`. */
  readonly readOtherwise?: ReadonlySet<string> | undefined;
  readonly internalByConfig?: boolean | undefined;
  /** Octavia is at work, so nobody knows what is on the load balancer, and so whose it was. */
  readonly isUnread?: boolean;
}

/** Desired and observed, so that their comparison yields nothing that waits. */
export interface DesiredAndObserved {
  readonly desired: readonly DesiredResource[];
  readonly observed: readonly ObservedResource[];
}

export interface Held extends DesiredAndObserved {
  readonly awaitingApproval: readonly AwaitingApproval[];
}

/** A change that waits, before all of them have their hash. */
export type Waiting = Omit<AwaitingApproval, 'approval'>;

export interface Adopted extends HeldInput {
  readonly controller: OtherController;
  readonly there: ReadonlyMap<string, ObservedResource>;
  readonly wanted: ReadonlyMap<string, DesiredResource>;
  readonly hold: (change: Waiting) => void;
}

/** The attributes that do not wait: the old controller would change them, and reads as levelset does what sets them. */
export function freeOf(kind: ResourceKind, { controller, readOtherwise }: Adopted): readonly string[] {
  return ['tags', ...behaviourOf(controller, kind).filter((name) => !readOtherwise?.has(`${kind}.${name}`))];
}

/** The differences that wait. A controller that changed a monitor's type replaced it with all attributes that belong to the type. */
export function heldChanges(
  desired: DesiredResource,
  adopted: Adopted,
  free: readonly string[] = freeOf(desired.kind, adopted),
): readonly Change[] {
  const observed = adopted.there.get(desired.address);
  if (!observed) return [];
  const changes = [...compare(desired, observed, adopted.there)].flatMap(([rule, all]) =>
    rule === 'refuse' ? [] : all,
  );
  if (free.includes('type') && changes.some(({ attribute }) => attribute === 'type')) return [];
  return changes.filter(({ attribute }) => !free.includes(attribute));
}

export function asObserved(
  desired: DesiredResource,
  { wire }: ObservedResource,
  changes: readonly Change[],
): DesiredResource {
  const names = changes.map(({ attribute }) => attribute);
  const present = Object.fromEntries(names.map((name) => [name, wire[name] ?? null]));
  const { tags } = desired.attributes as { readonly tags?: readonly string[] };
  const record = tags && { tags: withoutRecordOf(tags, names) };
  return { ...desired, attributes: { ...desired.attributes, ...present, ...record } };
}
