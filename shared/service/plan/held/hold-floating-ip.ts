import { approvalOf } from '../../../model/ownership.ts';
import type { Change } from '../../../model/plan.ts';
import type { Attributes, DesiredResource, ObservedResource } from '../../../model/resources.ts';
import type { Adopted, Held, HeldInput, DesiredAndObserved, Waiting } from './held-changes.ts';

/** Keeps the published address of a Service: if it would change, no floating IP is made, deleted or moved. */
export function heldFloatingIP(both: DesiredAndObserved, adopted: Adopted): DesiredAndObserved {
  const desired = both.desired.find(({ kind }) => kind === 'floatingip');
  const observed = adopted.there.get('floatingip');
  const change = changeOf(desired, observed, adopted);
  if (!change) return both;
  adopted.hold({
    kind: 'floatingip',
    address: 'floatingip',
    reason: 'the published address would change',
    ...change,
  });
  return withoutFloatingIP(both);
}

function withoutFloatingIP({ desired, observed }: DesiredAndObserved): DesiredAndObserved {
  const isOther = (one: DesiredResource | ObservedResource): boolean => one.kind !== 'floatingip';
  return { desired: desired.filter(isOther), observed: observed.filter(isOther) };
}

/** While nobody knows who made what is on the load balancer, no floating IP goes from it. */
export function keepFloatingIP(input: HeldInput): HeldInput {
  const { desired, observed } = input;
  const isWanted = desired.some(({ kind }) => kind === 'loadbalancer');
  const there = observed.find(({ kind, whose }) => kind === 'floatingip' && whose !== 'foreign');
  const wish = desired.find(({ kind }) => kind === 'floatingip');
  const goes = wish === undefined || (wish.attributes as Attributes)['port_id'] === null;
  return isWanted && there && goes ? { ...input, ...withoutFloatingIP(input) } : input;
}

/** The floating IP stays where `internal-lb` of cloud.conf alone takes it: one line there would take the addresses of a whole cluster. */
export function heldFromConfig(
  both: DesiredAndObserved,
  { internalByConfig, observed, uid, approved }: HeldInput,
): Held {
  const there = observed.find(({ kind, whose }) => kind === 'floatingip' && whose !== 'foreign');
  const { floating_ip_address: from, port_id } = (there?.wire ?? {}) as Attributes;
  const approval = approvalOf([uid, 'internal-lb', there?.id]);
  const isTaken = internalByConfig && typeof port_id === 'string';
  if (!isTaken || approved.includes(approval)) return { ...both, awaitingApproval: [] };
  const changes = [{ attribute: 'address', from, to: null }];
  const reason = 'internal-lb in cloud.conf takes the address away, and the Service does not ask for that';
  const waits = {
    verb: 'delete',
    kind: 'floatingip',
    address: 'floatingip',
    changes,
    reason,
    approval,
  } as const;
  return { ...withoutFloatingIP(both), awaitingApproval: [waits] };
}

function changeOf(
  desired: DesiredResource | undefined,
  observed: ObservedResource | undefined,
  { published, there }: Adopted,
): Pick<Waiting, 'verb' | 'changes'> | undefined {
  const lb = there.get('lb')?.wire;
  const vip = lb?.['vip_address'];
  const address = observed?.wire['floating_ip_address'];
  const isAttached = observed?.wire['port_id'] === lb?.['vip_port_id'];
  const change = (from: unknown, to: unknown): readonly Change[] => [{ attribute: 'address', from, to }];
  // also where a name is published, which leads to it
  if (!desired) {
    const leaves = observed !== undefined && observed.whose !== 'foreign' && isAttached;
    return leaves ? { verb: 'delete', changes: change(address, vip) } : undefined;
  }
  if (published.length === 0) return undefined;
  if (observed) {
    const moves = !isAttached && !published.includes(String(address));
    return moves ? { verb: 'update', changes: change(published.join(', '), address) } : undefined;
  }
  const comes = desired.ifPresent !== true && published.includes(String(vip));
  return comes ? { verb: 'create', changes: change(vip, 'a floating IP') } : undefined;
}
