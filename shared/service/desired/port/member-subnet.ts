import type { Subnet } from '../../../model/network/network-facts.ts';
import type { DesiredResource } from '../../../model/resources.ts';
import type { Annotated } from '../../intent/read-annotations.ts';

/** The subnet of a member, if it is known. One that nobody asked for is where it starts: Octavia fills it in by itself. */
export function inSubnet(
  member: DesiredResource<'member'>,
  subnet: Subnet | undefined,
  { annotated }: { readonly annotated: Annotated },
): DesiredResource<'member'> {
  if (!subnet) return member;
  const isAsked = subnet.id === annotated.Service.memberSubnetId;
  return {
    ...member,
    attributes: { ...member.attributes, subnet_id: subnet.id },
    ...(isAsked ? {} : { unasked: ['subnet_id'] }),
  };
}
