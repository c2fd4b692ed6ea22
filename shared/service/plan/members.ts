import type { Change, Step } from '../../model/plan.ts';
import type { Address } from '../../model/address.ts';
import type { Attributes, DesiredResource, ObservedResource } from '../../model/resources.ts';

export interface MemberDifference {
  readonly missing: readonly DesiredResource[];
  readonly surplus: readonly ObservedResource[];
  readonly changed: readonly {
    readonly desired: DesiredResource;
    readonly id: string;
    readonly changes: readonly Change[];
  }[];
  /**
   * No member is somebody else's, or waits, or has begun to drain, which a call that lists it would begin anew: only then
   * may one call replace the whole pool.
   */
  readonly alone: boolean;
  /** All that are desired, for the one call that replaces the whole pool. */
  readonly all: readonly DesiredResource[];
}

/**
 * The members of one pool in the fewest calls that rewrite the least, since each call locks the load balancer once:
 *
 * | differences           | call                                       |
 * | one                   | POST, PUT or DELETE of that member         |
 * | several, none leaves  | PUT members?additive_only, only these      |
 * | several, some leave   | PUT members with the whole pool            |
 * | the same, not alone   | as without those that leave, then DELETEs  |
 */
export function planMembers(pool: Address, difference: MemberDifference): readonly Step[] {
  const { missing, surplus, changed } = difference;
  const count = missing.length + surplus.length + changed.length;
  if (count === 0) return [];
  if (count === 1) return [...missing.map(create), ...changed.map(update), ...surplus.map(remove)];
  if (surplus.length > 0 && !difference.alone) {
    return [...planMembers(pool, { ...difference, surplus: [] }), ...surplus.map(remove)];
  }
  const additive = surplus.length === 0;
  const listed = additive ? [...missing, ...changed.map(({ desired }) => desired)] : difference.all;
  return [
    {
      verb: 'members',
      kind: 'pool',
      address: pool,
      additive,
      members: listed.map(({ attributes }) => attributes as Attributes),
      added: missing.map(title),
      removed: surplus.map(title),
      changed: changed.map(({ desired, changes }) => [title(desired), ...changes.map(inShort)].join(' ')),
    },
  ];
}

function create(desired: DesiredResource): Step {
  return {
    verb: 'create',
    kind: 'member',
    address: desired.address,
    attributes: desired.attributes,
  };
}

function update(changed: MemberDifference['changed'][number]): Step {
  const { desired, id, changes } = changed;
  return { verb: 'update', kind: 'member', address: desired.address, id, changes };
}

function remove(observed: ObservedResource): Step {
  return { verb: 'delete', kind: 'member', address: observed.address, id: observed.id };
}

function title(resource: { readonly address: Address }): string {
  return resource.address.split('/').at(-1) ?? resource.address;
}

function inShort({ attribute, from, to }: Change): string {
  return `${attribute} ${JSON.stringify(from ?? null)} -> ${JSON.stringify(to ?? null)}`;
}
