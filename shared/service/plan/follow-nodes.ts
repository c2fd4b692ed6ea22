import { portKeyOf } from '../../model/address.ts';
import type { DesiredResource, ObservedResource, Member } from '../../model/resources.ts';
import { asItIs } from './held/hold-members.ts';

/** A pool in use, neither built beside it nor left over. */
const IN_USE = /^pool\/[a-z]+\/\d+$/;

/**
 * A blocked Service has its pools as they are, with members of today's Nodes, checked as those beside them; at its node port if the Service does
 * not name the port any more. A pool that would lose its last member stays as it is (decision 420).
 */
export function followNodes(
  desired: readonly DesiredResource[],
  observed: readonly ObservedResource[],
): readonly DesiredResource[] {
  const asked = desired.filter((one) => one.kind === 'member') as readonly DesiredResource<'member'>[];
  return observed.filter(isPoolInUse).flatMap(({ kind, address: pool, wire: { tags = [] } }) => {
    const present = observed.filter((one) => one.kind === 'member' && one.parent === pool);
    const ports = present.map(({ wire }) => wire['protocol_port']);
    const wanted = desired.find(({ address }) => address === pool);
    const members = asked
      .filter(({ parent, attributes }) =>
        wanted ? parent === pool : ports.includes(attributes.protocol_port),
      )
      .filter((one) => isBeside(one, present))
      .map((one) =>
        asOthers(
          { ...one, parent: pool, address: one.address.replace(portKeyOf(one.address), portKeyOf(pool)) },
          present,
        ),
      );
    const isThere = ({ address }: DesiredResource): boolean => present.some((one) => one.address === address);
    const isLeft = wanted?.mayBeEmpty === true || members.some((one) => !one.ifPresent || isThere(one));
    return [
      { ...wanted, kind, address: pool, parent: 'lb', attributes: { tags } as object },
      ...(isLeft ? new Map(members.map((one) => [one.address, one])).values() : present.map(asItIs)),
    ];
  });
}

/** A pool is not moved to another subnet, and an empty one waits until the subnet is known. */
function isBeside(
  { attributes, unasked }: DesiredResource<'member'>,
  present: readonly ObservedResource[],
): boolean {
  const { subnet_id: subnet } = attributes;
  if (present.length === 0) return subnet !== undefined;
  if (subnet === undefined) return true;
  return unasked?.includes('subnet_id') === true || present.some(({ wire }) => wire['subnet_id'] === subnet);
}

function isPoolInUse({ kind, whose, address }: ObservedResource): boolean {
  return kind === 'pool' && whose !== 'foreign' && IN_USE.test(address);
}

function asOthers(
  member: DesiredResource<'member'>,
  present: readonly ObservedResource[],
): DesiredResource<'member'> {
  const own = present.find(({ address }) => address === member.address);
  const { monitor_port = null } = ((own ?? present[0])?.wire ?? member.attributes) as Partial<Member>;
  const { admin_state_up = true, backup = false, tags = [] } = (own?.wire ?? {}) as Partial<Member>;
  // what the tags record as set stays, also where it cannot be read any more
  const all = [...new Set([...tags, ...(member.attributes.tags ?? [])])];
  const record = all.length > 0 ? { tags: all } : {};
  const attributes = { backup, ...member.attributes, monitor_port, admin_state_up, ...record };
  return { ...member, attributes };
}
