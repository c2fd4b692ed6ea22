import { isMemberOf, CONTROLLER } from '../../../model/load-balancer/other-controllers.ts';
import type { DesiredResource, ObservedResource } from '../../../model/resources.ts';
import { gateBackups, gateMemberSettings } from './member-settings.ts';
import { gateMemberSubnet } from './member-subnet.ts';
import { arePodsApproved, isOfPods } from './pods.ts';
import type { Adopted, Gated } from './gate-input.ts';

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
  const held = withoutApproval(parent, present, staying, adopted);
  const serving = gateBackups(parent, desired, present, adopted);
  const unchanged = serving.map((one) =>
    isHere(one) ? gateMemberSettings(one, present, subnet, adopted) : one,
  );
  return { ...sides, desired: [...unchanged, ...held.map(asItIs)] };
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
  const held = all.length === 0 ? surplus : dialect === 'kinx' ? surplus.filter(isNodeThere) : [];
  if (held.length === 0) return [];
  const reason =
    all.length === 0
      ? 'the pool would have no members left'
      : `${CONTROLLER[dialect]} made every node a member, and these are there`;
  const from = held.map(({ address }) => address.split('/').at(-1)).sort();
  const change = { attribute: 'members', from, to: [] };
  return gate.allows({ verb: 'update', kind: 'pool', address: parent, changes: [change], reason })
    ? []
    : held;
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
