import { CONTROLLER, isMemberOf } from '../../../model/load-balancer/makers-and-sharers.ts';
import type { Change } from '../../../model/plan.ts';
import type { DesiredResource, Member, ObservedResource, WireResource } from '../../../model/resources.ts';
import { asObserved, freeOf, heldChanges, type Adopted, type DesiredAndObserved } from './held-changes.ts';

/** The health check's port goes with the monitor. */
const WITH_MONITOR = 'monitor_port';

/** Members that levelset would not select stay if the pool would have none left, or on kinx's load balancers if their nodes exist (decision 6). */
export function heldMembers(portKey: string, both: DesiredAndObserved, adopted: Adopted): DesiredAndObserved {
  const pool = `pool/${portKey}`;
  const isHere = memberIn(pool);
  const present = both.observed.filter((one) => isHere(one) && one.whose !== 'foreign');
  if (isOfPods(pool, adopted)) return heldPods(pool, both, adopted);
  if (adopted.keepMembers) return both;
  const kept = keepAddresses(portKey, both, adopted, 'anywhere').desired;
  const settings = withHeldSettings(pool, kept.filter(isHere), present, adopted);
  const staying = new Set(kept.map(({ address }) => address));
  const waiting = heldSurplus(pool, present, staying, adopted);
  return {
    ...both,
    desired: [...kept.map((one) => settings.get(one.address) ?? one), ...waiting.map(asItIs)],
  };
}

export function memberIn(pool: string): (one: DesiredResource | ObservedResource) => boolean {
  return ({ kind, parent }) => kind === 'member' && parent === pool;
}

/** The members as desired, with what waits of their settings: one change for each attribute of a pool, whoever its Nodes are. */
function withHeldSettings(
  pool: string,
  desired: readonly DesiredResource[],
  present: readonly ObservedResource[],
  adopted: Adopted,
): ReadonlyMap<string, DesiredResource> {
  const free = [...freeOf('member', adopted), WITH_MONITOR];
  const there = new Map(present.map((one) => [one.address, one]));
  const differing = desired.flatMap((one) => {
    const observed = there.get(one.address);
    const changes = observed ? heldChanges(one, adopted, free) : [];
    return observed && changes.length > 0 ? [{ one, observed, changes }] : [];
  });
  if (differing.length === 0) return new Map();
  const all = Map.groupBy(
    differing.flatMap(({ changes }) => changes),
    ({ attribute }) => attribute,
  );
  const changes = [...all].map(([attribute, some]) => ({
    attribute: `${attribute} of the members`,
    from: distinct(some, 'from'),
    to: distinct(some, 'to'),
  }));
  const reason = `${CONTROLLER[adopted.controller]} made the members with these values and would keep them`;
  adopted.hold({ verb: 'update', kind: 'pool', address: pool, changes, reason });
  const held = differing.map(({ one, observed, changes: its }) => asObserved(one, observed, its));
  // a Node that joins serves as those beside it do
  const joining = all.has('backup')
    ? desired.filter(({ address }) => !there.has(address)).map(asServing)
    : [];
  return new Map([...held, ...joining].map((one) => [one.address, one]));
}

function distinct(changes: readonly Change[], side: 'from' | 'to'): readonly unknown[] {
  return [...new Set(changes.map((change) => change[side] ?? null))].sort();
}

function asServing(member: DesiredResource): DesiredResource {
  return { ...member, attributes: { ...member.attributes, backup: false } };
}

/** A member keeps any IP address of its node (decision 25); once approved, not where the Service asks for another subnet. */
export function keepAddresses(
  portKey: string,
  both: DesiredAndObserved,
  { nodes, there, wanted }: Adopted,
  where: 'anywhere' | 'in their subnet',
): DesiredAndObserved {
  const pool = `pool/${portKey}`;
  const isHere = memberIn(pool);
  if (isOfPods(pool, { wanted })) return both;
  const present = both.observed.filter((one) => isHere(one) && one.whose !== 'foreign');
  const keep = (one: DesiredResource): DesiredResource => {
    const { name = '', protocol_port: port, subnet_id: subnet } = one.attributes as Partial<Member>;
    if (!isHere(one) || there.has(one.address)) return one;
    const isElsewhere = (wire: WireResource): boolean =>
      subnet !== undefined && !one.unasked?.includes('subnet_id') && wire['subnet_id'] !== subnet;
    const old = present.find(
      ({ address, wire }) =>
        wire['protocol_port'] === port &&
        isMemberOf(wire, name) &&
        nodes.get(name)?.includes(String(wire['address'])) === true &&
        !wanted.has(address) &&
        (where === 'anywhere' || !isElsewhere(wire)),
    );
    if (!old) return one;
    const attributes = { ...one.attributes, address: String(old.wire['address']) };
    return { ...one, address: old.address, attributes };
  };
  return { ...both, desired: both.desired.map(keep) };
}

function heldSurplus(
  pool: string,
  present: readonly ObservedResource[],
  staying: ReadonlySet<string>,
  { controller, hold, nodes, desired }: Adopted,
): readonly ObservedResource[] {
  const asked = desired.filter(memberIn(pool)) as readonly DesiredResource<'member'>[];
  const ports = new Set(asked.map(({ attributes }) => attributes.protocol_port));
  const addresses = new Set([...nodes.values()].flat());
  const surplus = present.filter(({ address }) => !staying.has(address));
  const isNodeThere = ({ wire }: ObservedResource): boolean =>
    ports.has(Number(wire['protocol_port'])) && addresses.has(String(wire['address']));
  const stays = asked.length === 0 ? surplus : controller === 'kinx' ? surplus.filter(isNodeThere) : [];
  if (stays.length === 0) return [];
  const reason =
    asked.length === 0
      ? 'the pool would have no members left'
      : `${CONTROLLER[controller]} made every node a member, and the nodes of these members exist`;
  const from = stays.map(({ address }) => address.split('/').at(-1)).sort();
  hold({
    verb: 'update',
    kind: 'pool',
    address: pool,
    changes: [{ attribute: 'members', from, to: [] }],
    reason,
  });
  return stays;
}

/** The member as desired with its present values, so that nothing is written and it is not surplus. */
export function asItIs({ address, parent = '', wire }: ObservedResource): DesiredResource<'member'> {
  return {
    kind: 'member',
    address,
    parent,
    ifPresent: true,
    attributes: { address: String(wire['address']), protocol_port: Number(wire['protocol_port']) },
  };
}

function isOfPods(pool: string, { wanted }: Pick<Adopted, 'wanted'>): boolean {
  return wanted.get(pool)?.mayBeEmpty === true;
}

/** The old controller gave such a pool no members, and nobody knows who added the present ones. Without any member nothing waits. */
function heldPods(pool: string, both: DesiredAndObserved, { controller, hold }: Adopted): DesiredAndObserved {
  const isHere = memberIn(pool);
  const present = both.observed.filter(isHere);
  if (present.length === 0 && !both.desired.some(isHere)) return both;
  const reason = `${CONTROLLER[controller]} never sent traffic directly to Pods`;
  const changes = [{ attribute: 'members', from: 'as they are', to: 'the Pods of the Service' }];
  hold({ verb: 'update', kind: 'pool', address: pool, changes, reason });
  return { ...both, desired: [...both.desired.filter((one) => !isHere(one)), ...present.map(asItIs)] };
}

/** Once approved, such a pool has the Service's Pods and no other member. */
export function podsAsOurs(portKey: string, both: DesiredAndObserved, adopted: Adopted): DesiredAndObserved {
  const isHere = memberIn(`pool/${portKey}`);
  if (!isOfPods(`pool/${portKey}`, adopted)) return both;
  return { ...both, observed: both.observed.map((one) => (isHere(one) ? { ...one, whose: 'ours' } : one)) };
}
