/** For some time members of leaving nodes get no new connections, and then levelset removes them (decision 120). */
import type { Config } from '../../../config/config.ts';
import type { Address } from '../../../model/address.ts';
import type { Node } from '../../../model/kubernetes.ts';
import type { DesiredResource, Member, ObservedResource } from '../../../model/resources.ts';
import { isEligible } from '../../../model/node/node-set.ts';
import { onceFor } from '../../../model/once-for.ts';
import { desirePortOf } from '../desire-security-group.ts';
import { withSetRecord, type Desired } from '../desire-service.ts';

interface DrainInput {
  readonly observed: readonly ObservedResource[];
  readonly nodes: readonly Node[];
  /** For each member, by its plan address, the milliseconds for which it has had weight 0. */
  readonly drainedForMs: ReadonlyMap<Address, number>;
  /** How long a member drains, in milliseconds; 0: levelset removes it at once. */
  readonly drainMs: number;
  readonly busy: boolean;
}

/** The draining time in milliseconds; 0 with the ovn provider, which has no weights. */
export function drainMsOf({ loadBalancer, connectionDrainingMs }: Config): number {
  return loadBalancer.lbProvider === 'ovn' ? 0 : connectionDrainingMs;
}

/** A leaving node's member drains at weight 0 while another at its node port is desired. From another controller's pool it goes at once. */
export function withDraining(desired: Desired, input: DrainInput): Desired {
  const { observed, nodes, drainedForMs, drainMs, busy } = input;
  const leaving = addressesOfLeaving(nodes);
  if (drainMs === 0 || leaving.size === 0) return desired;
  if (busy) return withGroupAt(leaving, desired);
  const left = membersAt(leaving, desired.resources, observed)
    .map((member) => ({ member, goesInMs: drainMs - (drainedForMs.get(member.address) ?? 0) }))
    .filter(({ goesInMs }) => goesInMs > 0);
  if (left.length === 0) return desired;
  const addresses = new Set(left.map(({ member }) => String(member.wire['address'])));
  const members = left.map(({ member }) => asDrained(member));
  return {
    ...withGroupAt(addresses, { ...desired, resources: [...desired.resources, ...members] }),
    draining: left.map(({ member: { address }, goesInMs }) => ({ address, goesInMs })),
  };
}

/** The Service's security group stays on these ports while members drain. While Octavia locks, any member of a leaving node may drain. */
function withGroupAt(addresses: ReadonlySet<string>, desired: Desired): Desired {
  const { resources } = desired;
  if (!resources.some(({ kind }) => kind === 'securitygroup')) return desired;
  return { ...desired, resources: [...resources, ...[...addresses].map(desirePortOf)] };
}

/** The members of leaving nodes that may drain: another one at the same node port is desired, since an old node port no longer answers. */
function membersAt(
  leaving: ReadonlySet<string>,
  desired: readonly DesiredResource[],
  observed: readonly ObservedResource[],
): readonly ObservedResource[] {
  const wanted = new Map(desired.map((one) => [one.address, one]));
  return observed.filter(({ kind, whose, address, parent = '', wire }) => {
    if (kind !== 'member' || whose !== 'ours' || wanted.has(address)) return false;
    const pool = wanted.get(parent);
    // Pods do not drain
    if (!leaving.has(String(wire['address'])) || !pool || pool.mayBeEmpty) return false;
    const isSuccessor = (one: DesiredResource): boolean =>
      one.kind === 'member' &&
      one.parent === parent &&
      (one.attributes as Partial<Member>).protocol_port === wire['protocol_port'];
    return desired.some(isSuccessor);
  });
}

const addressesOfLeaving = onceFor((nodes: readonly Node[]): ReadonlySet<string> => {
  const leaving = nodes.filter((node) => !isEligible(node));
  return new Set(leaving.flatMap(({ status }) => (status?.addresses ?? []).map(({ address }) => address)));
});

function asDrained({ address, parent = '', wire }: ObservedResource): DesiredResource<'member'> {
  const { name, monitor_port = null, backup = false } = wire as Partial<Member>;
  return withSetRecord<'member'>({
    kind: 'member',
    address,
    parent,
    attributes: {
      ...(name === undefined ? {} : { name }),
      address: String(wire['address']),
      protocol_port: Number(wire['protocol_port']),
      monitor_port,
      backup,
      weight: 0,
      admin_state_up: wire['admin_state_up'] !== false,
    },
  });
}
