import { CONTROLLER, behaviourOf, isMadeForService } from '../../../model/load-balancer/other-controllers.ts';
import type { Dialect, ReadOtherwise } from '../../../model/load-balancer/other-controllers.ts';
import type { AwaitingApproval, Change } from '../../../model/plan.ts';
import type { Address } from '../../../model/address.ts';
import type { DesiredResource, ObservedResource, ResourceKind } from '../../../model/resources.ts';
import type { ApprovalGate } from '../../../plan/approval.ts';
import { recordedIn, TAG_PREFIX, withoutRecordOf } from '../../../model/ownership.ts';
import { compare } from '../../../plan/compare.ts';
import { isUserTag } from '../../../model/load-balancer/user-tags.ts';

export interface GateInput {
  readonly desired: readonly DesiredResource[];
  readonly observed: readonly ObservedResource[];
  /** The UID of the Service. */
  readonly uid: string;
  readonly approved: readonly string[];
  /** The addresses in the Service's status. */
  readonly published: readonly string[];
  /** All addresses of every node that can be a member, by the node's name. */
  readonly nodes: ReadonlyMap<string, readonly string[]>;
  /** No node is eligible, so the pools keep their members. */
  readonly keepMembers: boolean;
  /** Present if the Go provider made the load balancer. */
  readonly byGo?: ReadOtherwise;
  /** False: levelset writes not even its tags to resources that others made. */
  readonly tags: boolean;
}

export interface Gated {
  readonly desired: readonly DesiredResource[];
  readonly observed: readonly ObservedResource[];
  readonly awaitingApproval: readonly AwaitingApproval[];
}

/** A load balancer that another controller made, as the gates see it. */
export interface Adopted extends GateInput {
  readonly dialect: Dialect;
  readonly gate: ApprovalGate;
  readonly there: ReadonlyMap<Address, ObservedResource>;
  readonly wanted: ReadonlyMap<Address, DesiredResource>;
}

/** The desired resource, with the present value of each attribute that waits for approval. */
export function gateAttributes(
  wanted: DesiredResource,
  adopted: Adopted,
  behaviour?: readonly string[],
): DesiredResource {
  const observed = adopted.there.get(wanted.address);
  if (!observed) return wanted;
  const desired = withOurTags(wanted, adopted);
  const changes = gatedChanges(desired, observed, adopted, behaviour);
  return isAwaitingApproval(desired, changes, adopted) ? asObserved(desired, observed, changes) : desired;
}

export function isAwaitingApproval(
  { kind, address }: Pick<DesiredResource, 'kind' | 'address'>,
  changes: readonly Change[],
  { dialect, gate }: Adopted,
): boolean {
  if (changes.length === 0) return false;
  const speaksProxy = changes.some(({ to }) => String(to).startsWith('PROXY'));
  const warning = speaksProxy ? '; the backends must speak the PROXY protocol then' : '';
  const reason = `${CONTROLLER[dialect]} made it with these values and would keep them${warning}`;
  return !gate.allows({ verb: 'update', kind, address, changes, reason });
}

/** The attributes that need none: the old controller would change them, and reads as levelset does what sets them. */
export function freeOf(kind: ResourceKind, { dialect, byGo }: Adopted): readonly string[] {
  return behaviourOf(dialect, kind).filter((name) => !byGo?.targets.has(`${kind}.${name}`));
}

/**
 * The differences that need an approval. None is needed for an attribute that the old controller would change as well,
 * or for one that levelset has recorded as set.
 */
export function gatedChanges(
  desired: DesiredResource,
  observed: ObservedResource,
  adopted: Adopted,
  behaviour: readonly string[] = freeOf(desired.kind, adopted),
): readonly Change[] {
  const recorded = recordedIn(observed.wire['tags']);
  const free = ['tags', ...behaviour, ...recorded];
  const differences = [...compare(desired, observed, adopted.there)].filter(([rule]) => rule !== 'refuse');
  // a controller that changed a monitor's type replaced the monitor with all attributes that belong to the type
  const again = differences.flatMap(([, changes]) => changes).filter(({ attribute }) => attribute === 'type');
  if (again.some(({ attribute }) => free.includes(attribute))) return [];
  return differences.flatMap(([, changes]) => changes).filter(({ attribute }) => !free.includes(attribute));
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

/**
 * The desired resource without the Go provider's tags, which the Go provider adds itself when it takes over. levelset's
 * tags and the user's stay, and pools and monitors keep all tags. If levelset may write no tags, pools and monitors
 * lose the user's tags and the records of set attributes, and every other kind has no tags. A new resource keeps all
 * tags.
 */
export function withOurTags(desired: DesiredResource, { there, tags: written }: Adopted): DesiredResource {
  const { tags, ...others } = desired.attributes as { readonly tags?: readonly string[] };
  if (!tags || !there.has(desired.address)) return desired;
  if (desired.kind === 'pool' || desired.kind === 'healthmonitor') {
    const left = tags.filter((tag) => written || (recordedIn([tag]).length === 0 && !isUserTag(tag, tags)));
    return { ...desired, attributes: { ...others, tags: left } };
  }
  const isUsersOwn = desired.kind === 'loadbalancer' && isOfUser(there.get(desired.address));
  const ours = tags.filter((tag) => isUsersOwn || tag.startsWith(TAG_PREFIX) || isUserTag(tag, tags));
  return { ...desired, attributes: written ? { ...others, tags: ours } : others };
}

/** Whether a person made the load balancer: no controller that takes over has put its tag there. */
function isOfUser(loadBalancer: ObservedResource | undefined): boolean {
  return loadBalancer !== undefined && !isMadeForService(loadBalancer.wire);
}
