import { dialectOf } from '../model/name-schemes.ts';
import { replacesTag, TAG_PREFIX, tagValue } from '../model/ownership.ts';
import type { Change, DeleteStep, Refusal, Step } from '../model/plan.ts';
import { REPLACEMENT } from '../model/replacement.ts';
import type { Address } from '../model/address.ts';
import type { DesiredResource, ObservedResource, WireResource } from '../model/resources.ts';
import { compare } from './compare.ts';
import { approvalOf } from './pending.ts';
import { createTree } from './tree.ts';

export interface ReplacementInput {
  /** UID of the Service. */
  readonly uid: string;
  /** Other Services on the load balancer. */
  readonly sharedWith?: readonly string[];
  /** Hashes that the Service names. */
  readonly approved: readonly string[];
  /** The load balancer that was made to take this one's place. */
  readonly replacement?: WireResource;
  readonly desired: readonly DesiredResource[];
  readonly observed: readonly ObservedResource[];
  /** No node can be used just now: a new load balancer would have no members. */
  readonly keepMembers: boolean;
}

export interface Replacement {
  readonly steps: readonly Step[];
  readonly refused: readonly Refusal[];
  /** It is complete: what is on the old load balancer goes with that one, and the floating IP turns to this VIP port. */
  readonly vip_port_id?: string;
  /** Why the old one has to go before the new one can be made. */
  readonly rebuild?: string;
}

/**
 * What Octavia cannot change on a load balancer needs another one. Refused, until the Service names the hash of that very
 * change; then the new one is made complete beside the old one, the floating IP turns to it, and the old one goes. It
 * carries the id of the old one in a tag, so that whichever of these writes was the last, the next run goes on from there.
 */
export function planReplacement(
  wanted: DesiredResource,
  lb: ObservedResource,
  there: ReadonlyMap<Address, ObservedResource>,
  input: ReplacementInput,
): Replacement {
  const { replacement } = input;
  const stray = removeReplacement(replacement, 'it is not wanted any more');
  const changes = compare(wanted, lb, there).get('refuse');
  if (!changes) return { steps: stray, refused: [] };
  const no = (reason: string, approval?: string): Replacement => ({
    steps: approval === undefined ? [] : stray,
    refused: [
      {
        address: 'lb',
        kind: 'loadbalancer',
        changes,
        reason,
        ...(approval === undefined ? {} : { approval }),
      },
    ],
  });
  const obstacle = obstacleOf(lb, input);
  if (obstacle !== undefined) return no(`it cannot change without taking the address away, and ${obstacle}`);
  const approval = replacementApproval(input.uid, lb.id, changes);
  const inPlace = keepsItsPort(wanted, lb);
  if (!input.approved.includes(approval)) return no(costOf(inPlace, lb, there), approval);
  if (inPlace)
    return {
      steps: stray,
      refused: [],
      rebuild: 'approved: the VIP port has to be free before it is made anew',
    };
  if (!replacement && input.keepMembers) return { steps: [], refused: [] };
  if (!replacement) return { steps: [create(wanted, lb, input.desired, changes)], refused: [] };
  const asDesired = { ...lb, id: replacement.id, wire: replacement };
  if (compare(wanted, asDesired, there).has('refuse')) return { steps: stray, refused: [] };
  const { provisioning_status: status, vip_port_id: port } = replacement;
  if (status === 'ERROR') {
    return no(
      `load balancer ${replacement.id}, made to take its place, is in ERROR: delete that one to try again, or take the approval back`,
    );
  }
  if (status !== 'ACTIVE') return { steps: [], refused: [] };
  const old = { verb: 'delete', kind: 'loadbalancer', address: 'lb', id: lb.id, cascade: true } as const;
  const because = 'its place was taken, as approved';
  return { steps: [{ ...old, because }], refused: [], vip_port_id: String(port) };
}

/** What the Service names to approve it: with the id of the load balancer that goes, so good for once. */
export function replacementApproval(uid: string, lb: string, changes: readonly Change[]): string {
  return approvalOf([uid, lb, 'replace', changes.map(inShort)]);
}

function inShort({ attribute, from, to }: Change): readonly unknown[] {
  return [attribute, from ?? null, to ?? null];
}

/** Everything on it must be ours to take down, and both must be found again by tags. */
function obstacleOf(
  lb: ObservedResource,
  { observed, sharedWith = [] }: ReplacementInput,
): string | undefined {
  if (sharedWith.length > 0) return `${sharedWith.join(', ')} share it`;
  if (observed.some(({ parent, owned }) => parent === 'lb' && !owned)) return 'what is not ours is on it';
  const tags = Array.isArray(lb.wire['tags']) ? lb.wire['tags'].map(String) : [];
  if (
    [`${TAG_PREFIX}name=`, 'kube_service_'].some((of) => tags.filter((tag) => tag.startsWith(of)).length > 1)
  )
    return 'other Services use it';
  if (dialectOf(lb.wire) === 'kinx') return 'its VIP is the address that is published';
  return tagValue(lb.wire['tags'], 'cluster') === undefined ? 'it does not carry our tags' : undefined;
}

/** A VIP that is asked for by port or address cannot be on two load balancers at once. */
function keepsItsPort(wanted: DesiredResource, { wire }: ObservedResource): boolean {
  const asked = wanted.attributes as Readonly<Record<string, unknown>>;
  return ['vip_port_id', 'vip_address'].some(
    (name) => asked[name] !== undefined && asked[name] === wire[name],
  );
}

function costOf(
  inPlace: boolean,
  lb: ObservedResource,
  there: ReadonlyMap<Address, ObservedResource>,
): string {
  const floating = there.get('floatingip')?.wire['floating_ip_address'] as string | undefined;
  const vip = String(lb.wire['vip_address']);
  if (inPlace)
    return 'Octavia cannot change it: approved, it is deleted and made again, and does not answer meanwhile (a minute or two)';
  if (floating === undefined)
    return `Octavia cannot change it: approved, another one is made, with another address than ${vip}, and this one is deleted`;
  return `Octavia cannot change it: approved, another one is made beside it, the floating IP ${floating} turns to that one (connections end, about a second without an answer), and this one is deleted; the VIP ${vip} goes with it`;
}

function create(
  wanted: DesiredResource,
  lb: ObservedResource,
  desired: readonly DesiredResource[],
  changes: readonly Change[],
): Step {
  const { tags = [] } = wanted.attributes as { readonly tags?: readonly string[] };
  const attributes = { ...wanted.attributes, tags: [...tags, replacesTag(lb.id)] };
  const step = createTree({ ...wanted, attributes }, desired);
  const what = changes.map(({ attribute }) => attribute).join(', ');
  return { ...step, address: REPLACEMENT, because: `approved: to take the place of lb for another ${what}` };
}

/** With everything on it; Octavia takes no delete while it is at work on it. */
export function removeReplacement(
  replacement: WireResource | undefined,
  because: string,
): readonly DeleteStep[] {
  if (!replacement || String(replacement['provisioning_status']).startsWith('PENDING_')) return [];
  const { id } = replacement;
  return [{ verb: 'delete', kind: 'loadbalancer', address: REPLACEMENT, id, cascade: true, because }];
}
