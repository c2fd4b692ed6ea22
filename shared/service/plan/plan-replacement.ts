import { familyOf, vipsOf } from '../../model/network/network-facts.ts';
import { approvalOf, replacesTag, TAG_PREFIX } from '../../model/ownership.ts';
import {
  REPLACEMENT,
  type Change,
  type DeleteStep,
  type Problem,
  type Refusal,
  type Step,
  type AwaitingApproval,
} from '../../model/plan.ts';
import { quote } from '../../model/text/text.ts';
import type { Address } from '../../model/address.ts';
import type { DesiredResource, ObservedResource, WireResource } from '../../model/resources.ts';
import { compare } from '../../plan/compare-and-plan.ts';
import { removeWithAll } from './plan-leaving.ts';
import { createTree, leftOut } from './create-tree.ts';
import { planFailover, whyNotRebuilt, type RepairFacts, type WhatServes } from './plan-repair.ts';
import { otherControllerOf, madeForKey } from '../../model/load-balancer/makers-and-sharers.ts';
import { serviceKey, type Key } from '../../model/request.ts';

interface ReplacementInput {
  readonly object: Key;
  readonly observed: readonly ObservedResource[];
  readonly sharedWith: readonly string[];
  /** Other changes that wait for approval. A new load balancer would have them at once, without approval. */
  readonly awaitingApproval: readonly AwaitingApproval[];
  readonly repair: RepairFacts | undefined;
  /** What Octavia cannot change of the load balancer. */
  readonly unmade: readonly Change[] | undefined;
  readonly published: readonly string[];
  readonly uid: string;
  readonly approved: readonly string[];
  /** The load balancer that an earlier run made to take this one's place. */
  readonly replacement: WireResource | undefined;
  readonly another:
    | { readonly resources: readonly DesiredResource[]; readonly problems: readonly Problem[] }
    | undefined;
  readonly desired: readonly DesiredResource[];
  /** No node is eligible, so a new load balancer would have no members. */
  readonly keepMembers: boolean;
  /** It was made for this Service alone, and nobody has its address yet. */
  readonly isForNobody: boolean;
}

export interface Replacement {
  readonly steps: readonly Step[];
  readonly refused: readonly Refusal[];
  /** The complete new load balancer. The floating IP moves to it, and the old one is deleted with everything on it. */
  readonly switchesTo?: WireResource;
  /** The reason why the old load balancer must be deleted before the new one can be made; absent if it need not. */
  readonly rebuild?: string;
}

/**
 * Another load balancer takes this one's place for a change that Octavia cannot make, or an ERROR that no failover mends. It waits for approval, and
 * while an obstacle stands. The new one is made beside the old one and gets the floating IP, and the old one is deleted: first, if both need the
 * same VIP. The new one has the old one's id in a tag, so that the next run continues wherever this one ends.
 */
export function planReplacement(
  wanted: DesiredResource | undefined,
  lb: ObservedResource | undefined,
  there: ReadonlyMap<Address, ObservedResource>,
  input: ReplacementInput,
): Replacement {
  const { replacement } = input;
  const goesWith = `the load balancer that it was to replace is ${lb ? 'deleted, too' : 'gone'}`;
  if (!lb || !wanted) return { steps: removeReplacement(replacement, goesWith), refused: [] };
  const stray = removeReplacement(replacement, 'no change needs it any more');
  const { repair, unmade } = input;
  if (repair && input.isForNobody) {
    const rebuild = 'it is in ERROR and nobody has its address yet, so it is made anew';
    return { steps: removeReplacement(replacement, goesWith), refused: [], rebuild };
  }
  if (!unmade && !repair) return { steps: stray, refused: [] };
  const failover = repair && planFailover(lb, repair);
  if (failover) return { steps: [failover], refused: [] };
  const changes = unmade ?? [];
  const broken = unmade ? undefined : repair;
  const no = (reason: string, approval?: string): Replacement => {
    const refusal = { address: 'lb', kind: 'loadbalancer', changes, reason } as const;
    return approval === undefined
      ? { steps: [], refused: [refusal] }
      : { steps: stray, refused: [{ ...refusal, approval }] };
  };
  const obstacle = obstacleOf(lb, input);
  if (obstacle !== undefined) {
    const what = repair
      ? 'it is in ERROR, and levelset cannot rebuild it'
      : 'the change would take the address away, and levelset cannot replace the load balancer';
    return no(`${what}: ${obstacle}`);
  }
  const approval = replacementApproval(input.uid, lb.id, changes);
  const { resources = input.desired, problems = [] } = input.another ?? {};
  const anew = resources.find(({ address }) => address === 'lb') ?? wanted;
  const inPlace = keepsItsPort(anew, lb);
  const waits = broken
    ? whyWaits(inPlace, lb, { ...input, anew: resources }, broken)
    : 'Octavia cannot change it';
  if (waits !== undefined && !input.approved.includes(approval))
    return no(`${waits}; ${costOf(inPlace, lb, there)}`, approval);
  const because = broken ? 'it is in ERROR' : 'approved';
  const impossible = whyImpossible(resources, problems);
  if (impossible !== undefined) return no(`the approval is given, but ${impossible}`, approval);
  // without an eligible node, a new load balancer would have no members, and the present one keeps its own
  if (input.keepMembers && (inPlace || !replacement)) return { steps: [], refused: [] };
  if (inPlace)
    return {
      steps: stray,
      refused: [],
      rebuild: 'approved; the VIP port must be free before levelset creates the load balancer again',
    };
  if (!replacement) return { steps: [create(wanted, anew, lb, resources, changes)], refused: [] };
  const asDesired = { ...lb, id: replacement.id, wire: replacement };
  if (compare(anew, asDesired, there).has('refuse')) return { steps: stray, refused: [] };
  const { provisioning_status: status } = replacement;
  if (status === 'ERROR')
    return no(
      `load balancer ${replacement.id}, which is to take its place, is in ERROR; to try again, delete that one: openstack loadbalancer delete --cascade ${replacement.id}`,
    );
  if (status !== 'ACTIVE') return { steps: [], refused: [] };
  const old = removeWithAll('lb', lb.id, `${because}; another load balancer has taken its place`);
  return { steps: [old], refused: [], switchesTo: replacement };
}

/** The approval of a replacement. It depends on the id of the old load balancer, so it is good for one time. */
export function replacementApproval(uid: string, lb: string, changes: readonly Change[]): string {
  return approvalOf([uid, lb, 'replace', changes.map(inShort)]);
}

function inShort({ attribute, from, to }: Change): readonly unknown[] {
  return [attribute, from ?? null, to ?? null];
}

function create(
  wanted: DesiredResource,
  anew: DesiredResource,
  lb: ObservedResource,
  desired: readonly DesiredResource[],
  changes: readonly Change[],
): Step {
  const { tags = [] } = wanted.attributes as { readonly tags?: readonly string[] };
  const attributes = { ...anew.attributes, tags: [...tags, replacesTag(lb.id)] };
  const step = createTree({ ...anew, attributes }, desired);
  const because =
    changes.length === 0
      ? 'it takes the place of lb: it is in ERROR'
      : `approved; it takes the place of lb to have another ${changes.map(({ attribute }) => attribute).join(', ')}`;
  return { ...step, address: REPLACEMENT, because };
}

/** The deletion of the replacement. None without one, or while Octavia works on it, since Octavia would refuse. */
function removeReplacement(replacement: WireResource | undefined, because: string): readonly DeleteStep[] {
  if (!replacement || String(replacement['provisioning_status']).startsWith('PENDING_')) return [];
  return [removeWithAll(REPLACEMENT, replacement.id, because)];
}

/** The floating IP on the replacement's VIP port, if there is one. Neutron needs the VIP as well if the port has several IPv4 VIPs. */
export function switchedTo(replacement: WireResource | undefined, wanted: DesiredResource): DesiredResource {
  if (!replacement) return wanted;
  const own = Object.entries(wanted.attributes).filter(([name]) => name !== 'fixed_ip_address');
  const [first, ...others] = vipsOf(replacement).filter((vip) => familyOf(vip) === 4);
  const fixed = first !== undefined && others.length > 0 ? { fixed_ip_address: first } : {};
  const attributes = { ...Object.fromEntries(own), port_id: String(replacement['vip_port_id']), ...fixed };
  return { ...wanted, attributes };
}

/** Why no other load balancer can take this one's place; undefined if one can. One of kinx stays: its VIP is the published address. */
function obstacleOf(
  lb: ObservedResource,
  { object, observed, sharedWith, awaitingApproval }: ReplacementInput,
): string | undefined {
  if (lb.whose === 'foreign') return 'no controller made it: a person did, and let the Service use it';
  const maker = madeForKey(lb.wire);
  if (maker && serviceKey(maker.namespace, maker.name) !== object)
    return 'it was made for another Service, which left it to this one';
  if (awaitingApproval.length > 0) return 'other changes wait for approval first';
  if (sharedWith.length > 0) return `${sharedWith.join(', ')} share it`;
  if (observed.some(({ parent, whose }) => parent === 'lb' && whose === 'foreign'))
    return "a resource on it is not levelset's";
  const tags = Array.isArray(lb.wire['tags']) ? lb.wire['tags'].map(String) : [];
  if (
    [`${TAG_PREFIX}name=`, 'kube_service_'].some((of) => tags.filter((tag) => tag.startsWith(of)).length > 1)
  )
    return 'other Services use it';
  if (otherControllerOf(lb.wire) === 'kinx') return 'its VIP is the published address';
  return lb.whose === 'adoptable' ? "it does not carry levelset's tags" : undefined;
}

/** Whether both load balancers would need the same VIP port or VIP address, which only one can have at a time. */
function keepsItsPort(wanted: DesiredResource, { wire }: ObservedResource): boolean {
  const asked = wanted.attributes as Readonly<Record<string, unknown>>;
  return ['vip_port_id', 'vip_address'].some(
    (name) => asked[name] !== undefined && asked[name] === wire[name],
  );
}

function whyImpossible(
  resources: readonly DesiredResource[],
  problems: readonly Problem[],
): string | undefined {
  const later = leftOut(resources).map(({ address }) => address);
  if (later.length > 0)
    return `a new load balancer cannot have these listeners from the start: ${later.join(', ')}`;
  const wrong = problems.find(({ blocking }) => blocking);
  return (
    wrong &&
    `levelset cannot create the new load balancer: ${wrong.field} ${quote(wrong.value)} ${wrong.message}`
  );
}

function whyWaits(
  inPlace: boolean,
  lb: ObservedResource,
  serving: WhatServes,
  repair: RepairFacts,
): string | undefined {
  const why = inPlace ? 'the Service asks for the very VIP that it has' : whyNotRebuilt(lb, serving, repair);
  return why === undefined ? undefined : `it is in ERROR, and levelset does not rebuild it by itself: ${why}`;
}

function costOf(
  inPlace: boolean,
  lb: ObservedResource,
  there: ReadonlyMap<Address, ObservedResource>,
): string {
  const floating = there.get('floatingip')?.wire['floating_ip_address'] as string | undefined;
  const vip = String(lb.wire['vip_address']);
  if (inPlace)
    return 'after approval levelset deletes the load balancer and creates it again, and it does not answer for a minute or two';
  if (floating === undefined)
    return `after approval levelset creates another load balancer with another address than ${vip}, and deletes this one`;
  return `after approval levelset creates another load balancer, moves the floating IP ${floating} to it (connections end, and about a second passes without an answer), and deletes this one with its VIP ${vip}`;
}
