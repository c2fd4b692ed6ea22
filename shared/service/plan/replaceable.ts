/** Whether another load balancer can take the place of one, and what that costs those who use it. */
import { dialectOf } from '../../model/load-balancer/other-controllers.ts';
import { TAG_PREFIX, tagValue } from '../../model/ownership.ts';
import type { AwaitingApproval } from '../../model/plan.ts';
import type { Address } from '../../model/address.ts';
import type { DesiredResource, ObservedResource } from '../../model/resources.ts';

export interface Circumstances {
  readonly observed: readonly ObservedResource[];
  /** Other Services on the load balancer. */
  readonly sharedWith?: readonly string[];
  /** What was withheld until it is approved: another load balancer would have it at once. */
  readonly awaitingApproval?: readonly AwaitingApproval[];
}

/** Everything on it must be ours to take down, and both must be found again by tags. */
export function obstacleOf(
  lb: ObservedResource,
  { observed, sharedWith = [], awaitingApproval = [] }: Circumstances,
): string | undefined {
  if (awaitingApproval.length > 0) return 'what waits for approval comes first';
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
export function keepsItsPort(wanted: DesiredResource, { wire }: ObservedResource): boolean {
  const asked = wanted.attributes as Readonly<Record<string, unknown>>;
  return ['vip_port_id', 'vip_address'].some(
    (name) => asked[name] !== undefined && asked[name] === wire[name],
  );
}

export function costOf(
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
