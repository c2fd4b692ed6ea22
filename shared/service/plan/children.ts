import type { DrainingMember, Refusal, Step } from '../../model/plan.ts';
import type { Address } from '../../model/address.ts';
import type { DesiredResource, ObservedResource, ResourceKind } from '../../model/resources.ts';
import { compare } from '../../plan/compare.ts';
import { asListed } from './listed-member.ts';
import { planMembers } from './members.ts';
import { planOne, remove } from '../../plan/one.ts';

export interface ChildrenInput {
  readonly desired: readonly DesiredResource[];
  readonly observed: readonly ObservedResource[];
  readonly keepMembers: boolean;
  readonly there: ReadonlyMap<Address, ObservedResource>;
  readonly wanted: ReadonlyMap<Address, DesiredResource>;
  readonly draining?: readonly DrainingMember[];
}

/** Each a step of its own; members go together. */
const PLANNED_ALONE: readonly ResourceKind[] = ['listener', 'pool', 'healthmonitor', 'l7policy', 'l7rule'];
/** With what it is on. */
const GOES_ALONG: readonly ResourceKind[] = ['healthmonitor', 'l7policy', 'l7rule'];

/** What is on a load balancer that exists. */
export function planChildren(input: ChildrenInput, steps: Step[], refused: Refusal[]): void {
  const { there, wanted } = input;
  for (const resource of input.desired) {
    if (PLANNED_ALONE.includes(resource.kind) && !isForeign(resource.parent, there)) {
      planOne(resource, there, steps, refused);
    }
  }
  for (const resource of input.observed) {
    const follows = GOES_ALONG.includes(resource.kind) && !wanted.has(resource.parent ?? '');
    if (PLANNED_ALONE.includes(resource.kind) && resource.owned && !wanted.has(resource.address) && !follows)
      steps.push(remove(resource));
  }
  for (const pool of wanted.values()) {
    if (pool.kind === 'pool' && !isForeign(pool.address, there)) steps.push(...planPoolMembers(pool, input));
  }
}

/** What hangs on somebody else's pool is not ours to plan; it was not even read. */
function isForeign(address: Address | undefined, there: ReadonlyMap<Address, ObservedResource>): boolean {
  const parent = there.get(address ?? '');
  return parent?.kind === 'pool' && !parent.owned;
}

function planPoolMembers(
  { address: pool, mayBeEmpty }: DesiredResource,
  input: ChildrenInput,
): readonly Step[] {
  const { there, wanted } = input;
  const all = input.desired.filter(({ kind, parent }) => kind === 'member' && parent === pool);
  const present = input.observed.filter(({ kind, parent }) => kind === 'member' && parent === pool);
  const compared = all.map((desired) => {
    const observed = present.find(({ address }) => address === desired.address);
    const changes = observed?.owned ? (compare(desired, observed, there).get('in-place') ?? []) : [];
    return {
      desired: observed ? asListed(desired, observed, changes) : desired,
      id: observed?.id ?? '',
      changes,
    };
  });
  const untouched = compared.filter(({ id, changes }) => id !== '' && changes.length === 0);
  const drainsOn = untouched.some(({ desired }) => isDraining(desired, input));
  return planMembers(pool, {
    all: compared.map(({ desired }) => desired),
    changed: compared.filter(({ changes }) => changes.length > 0),
    missing: all.filter(
      ({ address, ifPresent }) => !ifPresent && !present.some((member) => member.address === address),
    ),
    surplus:
      input.keepMembers && mayBeEmpty !== true
        ? []
        : present.filter(({ owned, address }) => owned && !wanted.has(address)),
    alone: present.every(({ owned }) => owned) && all.every(({ ifPresent }) => !ifPresent) && !drainsOn,
  });
}

function isDraining({ address }: DesiredResource, { draining = [] }: ChildrenInput): boolean {
  return draining.some((member) => member.address === address);
}
