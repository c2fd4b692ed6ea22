/** Differences that the old controller would have left wait under one hash for the approval of the Service's takeover (decisions 7, 6). */
import { isOfAnotherMaker } from '../../../model/load-balancer/whose.ts';
import { isRef, portKeyOf } from '../../../model/address.ts';
import { CONTROLLER, otherControllerOf } from '../../../model/load-balancer/makers-and-sharers.ts';
import { approvalOf, adoptedTag, hasTag, TAG_PREFIX, isUserTag } from '../../../model/ownership.ts';
import type { Change } from '../../../model/plan.ts';
import type {
  Attributes,
  DesiredResource,
  ResourceKind,
  ObservedResource,
} from '../../../model/resources.ts';
import { presentOf } from '../replace-pools.ts';
import {
  asObserved,
  freeOf,
  heldChanges,
  type Adopted,
  type Held,
  type HeldInput,
  type DesiredAndObserved,
  type Waiting,
} from './held-changes.ts';
import { heldFloatingIP, heldFromConfig, keepFloatingIP } from './hold-floating-ip.ts';
import { heldMembers, keepAddresses, memberIn, podsAsOurs } from './hold-members.ts';

export function holdUntilApproved(given: HeldInput): Held {
  const input = given.isUnread ? keepFloatingIP(given) : given;
  const there = new Map(input.observed.map((one) => [one.address, one]));
  const wanted = new Map(input.desired.map((one) => [one.address, one]));
  const lb = there.get('lb');
  const pools = input.observed.filter(({ kind, whose }) => kind === 'pool' && whose === 'adoptable');
  if (!lb || !wanted.has('lb') || !input.observed.some(isOfAnotherMaker)) return heldFromConfig(input, input);

  const held = new Set(pools.map(({ address }) => address));
  const portKeys = [...wanted.keys()]
    .filter((address) => held.has(address))
    .map((address) => address.slice('pool/'.length));
  const waiting: Waiting[] = [];
  const hold = (change: Waiting): void => void waiting.push(change);
  const adopted: Adopted = { ...input, controller: otherControllerOf(lb.wire), there, wanted, hold };
  const desired = input.desired.map((one) => withOurTags(one, portKeys, adopted));
  const isApproved = hasTag(lb.wire['tags'], adoptedTag(input.key));
  if (isApproved) return heldFromConfig(openPorts(portKeys, { ...input, desired }, adopted), input);

  const balancer = desired.map((one) => (one.kind === 'loadbalancer' ? holdOne(one, adopted) : one));
  const ports = holdPorts(portKeys, { ...input, desired: balancer }, adopted);
  const asItIs = heldFloatingIP(ports, adopted);
  const approval = approvalOf([
    input.uid,
    'adopt',
    waiting.map(({ address, verb, changes }) => [address, verb, changes]),
  ]);
  const isNamed = waiting.length > 0 && input.approved.includes(approval);
  return {
    ...asItIs,
    desired: isNamed ? withTag(asItIs.desired, adoptedTag(input.key)) : asItIs.desired,
    awaitingApproval: waiting.map((change) => ({ ...change, approval })),
  };
}

/** The run that finds the approval writes it down first; by the tag the rest opens, however many runs it takes. */
function withTag(desired: readonly DesiredResource[], tag: string): readonly DesiredResource[] {
  return desired.map((one) => {
    if (one.kind !== 'loadbalancer') return one;
    const { tags = [] } = one.attributes as { readonly tags?: readonly string[] };
    return { ...one, attributes: { ...one.attributes, tags: [...tags, tag] } };
  });
}

function openPorts(
  portKeys: readonly string[],
  both: DesiredAndObserved,
  adopted: Adopted,
): DesiredAndObserved {
  return portKeys.reduce<DesiredAndObserved>(
    (done, portKey) => podsAsOurs(portKey, keepAddresses(portKey, done, adopted, 'in their subnet'), adopted),
    both,
  );
}

function holdPorts(
  portKeys: readonly string[],
  both: DesiredAndObserved,
  adopted: Adopted,
): DesiredAndObserved {
  const atPort = (done: DesiredAndObserved, portKey: string): DesiredAndObserved => {
    const port = { ...done, desired: holdPort(portKey, done.desired, adopted) };
    const [served, isChecked] = heldMonitor(portKey, heldMembers(portKey, port, adopted), adopted);
    return isChecked ? served : withSameCheckPort(portKey, served, adopted);
  };
  const ports = portKeys.reduce(atPort, both);
  return { ...ports, desired: withoutNewKinds(portKeys, ports.desired, adopted) };
}

function holdOne(desired: DesiredResource, adopted: Adopted, free?: readonly string[]): DesiredResource {
  const changes = heldChanges(desired, adopted, free);
  const observed = adopted.there.get(desired.address);
  if (!observed || changes.length === 0) return desired;
  const { kind, address } = desired;
  adopted.hold({ verb: 'update', kind, address, changes, reason: wouldKeep(changes, adopted) });
  return asObserved(desired, observed, changes);
}

function wouldKeep(changes: readonly Change[], { controller }: Adopted): string {
  const speaksProxy = changes.some(({ to }) => String(to).startsWith('PROXY'));
  const warning = speaksProxy ? '; the backends must speak the PROXY protocol then' : '';
  return `${CONTROLLER[controller]} made it with these values and would keep them${warning}`;
}

/** Attributes that a listener has with any protocol. The others wait together with the protocol, which no other controller changed, and so does that of the pool. */
const OF_ANY = ['tags', 'allowed_cidrs', 'connection_limit', 'default_pool_id'];

function holdPort(
  portKey: string,
  all: readonly DesiredResource[],
  adopted: Adopted,
): readonly DesiredResource[] {
  const free = (kind: ResourceKind): readonly string[] => freeOf(kind, adopted);
  const listener = adopted.wanted.get(`listener/${portKey}`);
  const switches =
    listener && heldChanges(listener, adopted, []).some(({ attribute }) => attribute === 'protocol');
  return all.map((one) => {
    if (one.address === `listener/${portKey}`)
      return holdOne(
        one,
        adopted,
        switches ? free('listener').filter((name) => OF_ANY.includes(name)) : undefined,
      );
    if (one.address !== `pool/${portKey}`) return one;
    return holdOne(one, adopted, switches ? free('pool').filter((name) => name !== 'protocol') : undefined);
  });
}

/** The monitor as it is while it waits, and whether members are checked as desired: all would be down otherwise. */
function heldMonitor(
  portKey: string,
  both: DesiredAndObserved,
  adopted: Adopted,
): readonly [DesiredAndObserved, boolean] {
  const address = `monitor/${portKey}`;
  const desired = both.desired.find((one) => one.address === address);
  const observed = adopted.there.get(address);
  const old = CONTROLLER[adopted.controller];
  const others = both.desired.filter((one) => one !== desired);
  const waits = { kind: 'healthmonitor', address } as const;
  if (desired && observed) {
    const held = holdOne(desired, adopted);
    const isSame = equalType(held, desired);
    return [{ ...both, desired: both.desired.map((one) => (one === desired ? held : one)) }, isSame];
  }
  if (desired) {
    const changes = [{ attribute: 'type', from: null, to: (desired.attributes as Attributes)['type'] }];
    const reason = `${old} made this pool without health checks; with them, members that fail get no traffic`;
    adopted.hold({ ...waits, verb: 'create', changes, reason });
    return [{ ...both, desired: others }, false];
  }
  if (!observed) return [both, true];
  const changes = [{ attribute: 'type', from: observed.wire['type'], to: null }];
  const reason = `${old} made this pool with health checks; without them, members that fail keep getting traffic`;
  adopted.hold({ ...waits, verb: 'delete', changes, reason });
  // a pool that replaces this one has the monitor, too
  const stays = {
    ...waits,
    parent: `pool/${portKey}`,
    ifPresent: true as const,
    attributes: presentOf(observed),
  };
  return [{ ...both, desired: [...others, stays] }, false];
}

function equalType(one: DesiredResource, other: DesiredResource): boolean {
  return (one.attributes as Attributes)['type'] === (other.attributes as Attributes)['type'];
}

/** Gives all members, also new ones, the check port of the first present member. */
function withSameCheckPort(
  portKey: string,
  both: DesiredAndObserved,
  { observed }: Adopted,
): DesiredAndObserved {
  const isHere = memberIn(`pool/${portKey}`);
  const sibling = observed.find((one) => isHere(one) && one.whose !== 'foreign');
  const monitor_port = (sibling?.wire['monitor_port'] ?? null) as number | null;
  return {
    ...both,
    desired: both.desired.map((one) =>
      isHere(one) ? { ...one, attributes: { ...one.attributes, monitor_port } } : one,
    ),
  };
}

/** Kinds that other controllers made, too. Security groups, rules and ports need no approval. */
const KNOWN = /^(loadbalancer|listener|pool|member|healthmonitor|floatingip|securitygroup(rule)?|port)$/;

/** Attributes that every resource has, so an approval does not show them. */
const UNREPORTED = ['name', 'tags', 'admin_state_up'];

/** Leaves out resources of other kinds on an adopted listener, such as the policy of a redirect with its rules. */
function withoutNewKinds(
  portKeys: readonly string[],
  desired: readonly DesiredResource[],
  { controller, hold, there }: Adopted,
): readonly DesiredResource[] {
  const listeners = portKeys.map((portKey) => `listener/${portKey}`);
  const isNew = ({ kind, address, parent = '' }: DesiredResource): boolean =>
    !KNOWN.test(kind) && !there.has(address) && listeners.includes(parent);
  const left = new Set<string>();
  for (const one of desired.filter(isNew)) {
    const { kind, address } = one;
    const changes = Object.entries(one.attributes as Attributes)
      .filter(([attribute, to]) => !UNREPORTED.includes(attribute) && !isRef(to))
      .map(([attribute, to]) => ({ attribute, from: null, to }));
    left.add(address);
    hold({
      verb: 'create',
      kind,
      address,
      changes,
      reason: `${CONTROLLER[controller]} never made such a resource`,
    });
  }
  return desired.filter(({ address, parent = '' }) => !left.has(address) && !left.has(parent));
}

/** The desired resource without OCCM's tags, which OCCM adds itself when it takes over. Pools, monitors and what is new keep all tags. */
function withOurTags(
  desired: DesiredResource,
  portKeys: readonly string[],
  { there }: Pick<Adopted, 'there'>,
): DesiredResource {
  const { tags, ...others } = desired.attributes as { readonly tags?: readonly string[] };
  const observed = there.get(desired.address);
  if (!tags || !observed || !isTheirs(desired, observed, portKeys)) return desired;
  const isUsersOwn = desired.kind === 'loadbalancer' && observed.whose === 'foreign';
  const ours = tags.filter((tag) => isUsersOwn || tag.startsWith(TAG_PREFIX) || isUserTag(tag, tags));
  return { ...desired, attributes: { ...others, tags: ours } };
}

/** Whether another controller made it. levelset writes "(levelset HASH)" into the description of each floating IP. */
function isTheirs(
  { kind, address }: DesiredResource,
  { wire }: ObservedResource,
  portKeys: readonly string[],
): boolean {
  if (kind === 'loadbalancer') return true;
  if (kind === 'floatingip') return !String(wire['description']).includes('(levelset ');
  return kind === 'listener' && portKeys.includes(portKeyOf(address));
}
