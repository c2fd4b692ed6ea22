import { isMemberOf, CONTROLLER } from '../../../model/load-balancer/other-controllers.ts';
import type { DesiredResource, ObservedResource } from '../../../model/resources.ts';
import { asObserved, gatedChanges, isAwaitingApproval } from './gate-attributes.ts';
import type { Adopted, Gated } from './gate-attributes.ts';
import type { Address } from '../../../model/address.ts';

type Sides = Pick<Gated, 'desired' | 'observed'>;

/**
 * Keeps the members of an adopted pool. A member keeps its IP address if that is any address of its node, although
 * levelset would choose another one (decision 25). Members that levelset would not select stay until approved if the
 * pool would have no members left, or on a load balancer of kinx if their nodes exist (decision 6).
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

/**
 * The members whose removal waits for approval: all of them if none is desired, and on a load balancer of kinx those at
 * a desired port whose nodes exist.
 */
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

/** Whether the members of this pool are Pods. */
export function isOfPods(pool: Address, wanted: ReadonlyMap<Address, DesiredResource>): boolean {
  return wanted.get(pool)?.mayBeEmpty === true;
}

/**
 * Whether Pods as members of a port without a node port are approved. The old controller gave such a pool no members,
 * and nobody knows who added the present ones. One approval covers the pool for as long as the Service's annotation
 * names that approval: the pool then has the Service's Pods and no other member. Without any member nothing needs
 * approval.
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
 * Keeps members in their present subnet although the Service asks for another one, since no other controller moved
 * members. One approval covers the pool, because the members move to a new pool. Once approved, each member has its
 * node's IP address in the new subnet.
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
 * Keeps members from becoming backups, since the old controller sent traffic to every node. One approval covers the
 * pool for good: the backups change with the Pods, and a pool that has backups is approved.
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

/**
 * Attributes with an approval of their own. `monitor_port`, the port of the health check, is approved with its monitor.
 */
const ELSEWHERE = ['backup', 'monitor_port', 'subnet_id'];

/** Keeps the other settings of a member, such as the state of a member that a person took out of service. */
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
