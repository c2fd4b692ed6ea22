import type { Address } from '../../model/address.ts';
import { familyOf } from '../../model/network/network-facts.ts';
import type { DesiredResource, ObservedResource } from '../../model/resources.ts';
import { openingAddress } from '../../model/network/openings.ts';

interface Sides {
  readonly desired: readonly DesiredResource[];
  readonly observed: readonly ObservedResource[];
  readonly there: ReadonlyMap<Address, ObservedResource>;
}

/**
 * Whether members are in another subnet than rules are made for, since nobody asks any more for the one they were moved to
 * (docs/decisions.md, 11). While the load balancer is locked its members are not seen, and may be.
 */
export function areMembersElsewhere({ desired, observed, there }: Sides): boolean {
  const members = desired.filter(({ kind }) => kind === 'member');
  if (members.length > 0 && !observed.some(({ kind }) => kind === 'member')) return there.has('lb');
  const present = members.flatMap((wanted) => {
    const observed = there.get(wanted.address);
    return observed ? [{ wanted, subnet: observed.wire['subnet_id'] }] : [];
  });
  return present.some(({ wanted, subnet }) => {
    const { subnet_id } = wanted.attributes as { readonly subnet_id?: string };
    const isUnasked = wanted.unasked?.includes('subnet_id') === true;
    return isUnasked && typeof subnet === 'string' && subnet !== subnet_id;
  });
}

/**
 * The range of such a subnet is known by the rules that there are: it stays open, for all that is asked now. Behind the
 * provider `ovn` rules are of source ranges, which say themselves what stays.
 */
export function rulesOfStaying(
  asked: readonly DesiredResource[],
  sides: Sides,
): readonly DesiredResource<'securitygrouprule'>[] {
  const isOfSubnets = sides.there.get('lb')?.wire['provider'] !== 'ovn';
  if (!isOfSubnets || !areMembersElsewhere(sides)) return [];
  const rules = asked as readonly DesiredResource<'securitygrouprule'>[];
  const known = new Set(rules.map(({ attributes }) => attributes.remote_ip_prefix));
  const found = sides.observed
    .filter(({ kind, wire }) => kind === 'securitygrouprule' && wire['direction'] === 'ingress')
    .map(({ wire }) => wire['remote_ip_prefix'])
    .filter((range) => typeof range === 'string')
    .filter((range) => !known.has(range) && !range.endsWith('/0'));
  const all = rules.flatMap((rule) =>
    [...new Set(found)]
      .filter((range) => rule.attributes.ethertype === `IPv${familyOf(range)}`)
      .map((range) => ofRange(rule, range)),
  );
  return [...new Map(all.map((rule) => [rule.address, rule])).values()];
}

function ofRange(
  rule: DesiredResource<'securitygrouprule'>,
  cidr: string,
): DesiredResource<'securitygrouprule'> {
  const { protocol = '', port_range_min: port = 0 } = rule.attributes;
  const address = openingAddress({ protocol, port, cidr });
  return { ...rule, address, attributes: { ...rule.attributes, remote_ip_prefix: cidr } };
}
