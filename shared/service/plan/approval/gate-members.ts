import { isMemberOf, CONTROLLER } from '../../../model/load-balancer/other-controllers.ts';
import type { DesiredResource, ObservedResource } from '../../../model/resources.ts';
import { asObserved, gatedChanges, isAwaitingApproval } from './gate-attributes.ts';
import type { Adopted, Gated } from './gate-attributes.ts';
import type { Address } from '../../../model/address.ts';

type Sides = Pick<Gated, 'desired' | 'observed'>;

/**
 * The members of an adopted pool: an address of a node that serves is kept although we would have chosen another one
 * (decision 25), and nodes that are there do not leave the pool because we look at them otherwise (decision 6).
 */
export function gateMembers(place: string, sides: Sides, adopted: Adopted): Sides {
  const parent = `pool/${place}`;
  const ofPods = isOfPods(parent, adopted.wanted);
  if (adopted.keepMembers && !ofPods) return sides;
  const isHere = ({ kind, parent: pool }: DesiredResource | ObservedResource): boolean =>
    kind === 'member' && pool === parent;
  if (ofPods) return gatePods(parent, sides, isHere, adopted);
  const present = sides.observed.filter((one) => isHere(one) && one.owned);
  const kept = sides.desired.map((one) => (isHere(one) ? keepAddress(one, present, sides, adopted) : one));
  const subnet = gateMemberSubnet(parent, kept.filter(isHere), present, adopted);
  const desired = subnet === 'approved' ? sides.desired : kept;
  const staying = new Set(kept.map(({ address }) => address));
  const waiting = withoutApproval(parent, present, staying, adopted);
  const serving = gateBackups(parent, desired, present, adopted);
  const unchanged = serving.map((one) =>
    isHere(one) ? gateMemberSettings(one, present, subnet, adopted) : one,
  );
  return { ...sides, desired: [...unchanged, ...waiting.map(asItIs)] };
}

function gatePods(
  pool: string,
  sides: Sides,
  isHere: (one: DesiredResource | ObservedResource) => boolean,
  adopted: Adopted,
): Sides {
  const asked = sides.desired.filter(isHere);
  const present = sides.observed.filter(isHere);
  if (arePodsApproved(pool, asked, present, adopted)) {
    return { ...sides, observed: sides.observed.map((one) => (isHere(one) ? { ...one, owned: true } : one)) };
  }
  return { ...sides, desired: [...sides.desired.filter((one) => !isHere(one)), ...present.map(asItIs)] };
}

function keepAddress(
  desired: DesiredResource,
  present: readonly ObservedResource[],
  sides: Sides,
  { nodes }: Adopted,
): DesiredResource {
  const { name = '', protocol_port: port } = desired.attributes as { name?: string; protocol_port?: number };
  if (present.some(({ address }) => address === desired.address)) return desired;
  const kept = present.find(
    ({ address, wire }) =>
      wire['protocol_port'] === port &&
      isMemberOf(wire, name) &&
      nodes.get(name)?.includes(String(wire['address'])) === true &&
      !sides.desired.some((other) => other.address === address),
  );
  if (!kept) return desired;
  const attributes = { ...desired.attributes, address: String(kept.wire['address']) };
  return { ...desired, address: kept.address, attributes };
}

/** Those that would leave although their node is there, or that are the last ones. */
function withoutApproval(
  parent: string,
  present: readonly ObservedResource[],
  wanted: ReadonlySet<string>,
  { dialect, gate, nodes, desired }: Adopted,
): readonly ObservedResource[] {
  const all = desired.filter((one) => one.kind === 'member' && one.parent === parent);
  const ports = new Set(
    all.map(({ attributes }) => (attributes as { protocol_port?: number }).protocol_port),
  );
  const addresses = new Set([...nodes.values()].flat());
  const surplus = present.filter(({ address }) => !wanted.has(address));
  const isNodeThere = ({ wire }: ObservedResource): boolean =>
    ports.has(Number(wire['protocol_port'])) && addresses.has(String(wire['address']));
  const waiting = all.length === 0 ? surplus : dialect === 'kinx' ? surplus.filter(isNodeThere) : [];
  if (waiting.length === 0) return [];
  const reason =
    all.length === 0
      ? 'the pool would have no members left'
      : `${CONTROLLER[dialect]} made every node a member, and the nodes of these members exist`;
  const from = waiting.map(({ address }) => address.split('/').at(-1)).sort();
  const change = { attribute: 'members', from, to: [] };
  return gate.allows({ verb: 'update', kind: 'pool', address: parent, changes: [change], reason })
    ? []
    : waiting;
}

/** Desired as it is, so that nothing is written and it counts as wanted. */
function asItIs({ address, parent = '', wire }: ObservedResource): DesiredResource<'member'> {
  return {
    kind: 'member',
    address,
    parent,
    ifPresent: true,
    attributes: { address: String(wire['address']), protocol_port: Number(wire['protocol_port']) },
  };
}

/** Whether the members of this pool are Pods. */
export function isOfPods(pool: Address, wanted: ReadonlyMap<Address, DesiredResource>): boolean {
  return wanted.get(pool)?.mayBeEmpty === true;
}

/**
 * A port without a node port: the old controller gave its pool no members at all, and who put some there is not known. So
 * there is one approval for the pool, for as long as it stands on the Service: whatever is in it, it has its Pods and
 * nothing else, as they come and go.
 */
export function arePodsApproved(
  pool: Address,
  asked: readonly DesiredResource[],
  present: readonly ObservedResource[],
  { dialect, gate }: Pick<Adopted, 'dialect' | 'gate'>,
): boolean {
  if (asked.length + present.length === 0) return true;
  const reason = `${CONTROLLER[dialect]} never sent traffic directly to Pods`;
  const changes = [{ attribute: 'members', from: 'as they are', to: 'the Pods of the Service' }];
  return gate.allows({ verb: 'update', kind: 'pool', address: pool, changes, reason });
}

export type SubnetOfMembers = 'as it is' | 'awaiting approval' | 'approved';

/**
 * Members that are reached in another subnet than the one that is asked for: no controller before us moved any. One
 * approval for the pool, since it is a new one that they move to; with it each node is at its address in that subnet.
 */
export function gateMemberSubnet(
  pool: Address,
  desired: readonly DesiredResource[],
  present: readonly ObservedResource[],
  { dialect, gate }: Adopted,
): SubnetOfMembers {
  const moves = desired.flatMap((one) => {
    const { subnet_id: to } = one.attributes as { readonly subnet_id?: string };
    const observed = present.find(({ address }) => address === one.address);
    const from = observed?.wire['subnet_id'] ?? null;
    return !observed || to === undefined || one.unasked?.includes('subnet_id') || from === to
      ? []
      : [{ from, to }];
  });
  const [first] = moves;
  if (!first) return 'as it is';
  const reason = `${CONTROLLER[dialect]} left members in the subnet that they were made with`;
  const from = [...new Set(moves.map((move) => move.from))].sort();
  const changes = [{ attribute: 'subnet_id of the members', from, to: first.to }];
  return gate.allows({ verb: 'update', kind: 'pool', address: pool, changes, reason })
    ? 'approved'
    : 'awaiting approval';
}

/**
 * Every node got traffic, wherever the Pods were. One approval for the pool, and for good: which nodes it are changes with
 * the Pods, and a pool that has backups has been approved.
 */
export function gateBackups(
  parent: Address,
  desired: readonly DesiredResource[],
  present: readonly ObservedResource[],
  { dialect, gate }: Adopted,
): readonly DesiredResource[] {
  const isBackup = (one: DesiredResource): boolean =>
    one.kind === 'member' && one.parent === parent && 'backup' in one.attributes && one.attributes.backup;
  const begun = present.length === 0 || present.some(({ wire }) => wire['backup'] === true);
  if (begun || !desired.some(isBackup)) return desired;
  const reason = `${CONTROLLER[dialect]} sent traffic to every node`;
  const changes = [{ attribute: 'backup', from: false, to: 'true for nodes without a ready Pod' }];
  if (gate.allows({ verb: 'update', kind: 'pool', address: parent, changes, reason })) return desired;
  return desired.map((one) =>
    isBackup(one) ? { ...one, attributes: { ...one.attributes, backup: false } } : one,
  );
}

/** Backups and subnets have their approval already, and the port of the check goes with its monitor. */
const ELSEWHERE = ['backup', 'monitor_port', 'subnet_id'];

/** What else a person may have set on a member, such as one taken out of service. */
export function gateMemberSettings(
  wanted: DesiredResource,
  present: readonly ObservedResource[],
  subnet: SubnetOfMembers,
  adopted: Adopted,
): DesiredResource {
  const observed = present.find(({ address }) => address === wanted.address);
  const desired = subnet === 'awaiting approval' ? { ...wanted, unasked: ['subnet_id'] } : wanted;
  const changes = observed ? gatedChanges(desired, observed, adopted, ELSEWHERE) : [];
  return observed && isAwaitingApproval(desired, changes, adopted)
    ? asObserved(desired, observed, changes)
    : desired;
}
