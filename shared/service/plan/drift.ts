/**
 * Drift: what somebody else changed in OpenStack since the Service was settled. The steps of a plan say what differs; that it is
 * drift follows from the state of the unit (service/drift.ts).
 */
import { isOutside, PRESENT } from '../../model/drift.ts';
import type { Drift } from '../../model/drift.ts';
import { placeOf } from '../../model/address.ts';
import type { Address } from '../../model/address.ts';
import { sameJson } from '../../model/json.ts';
import { isOfSecurityGroup, isOutsideOctavia } from '../../model/load-balancer/octavia.ts';
import type { Change, Step } from '../../model/plan.ts';
import type { DesiredResource, ObservedResource, ResourceKind } from '../../model/resources.ts';
import { compare } from '../../plan/compare.ts';

export interface DriftInput {
  readonly steps: readonly Step[];
  readonly desired: readonly DesiredResource[];
  readonly observed: readonly ObservedResource[];
  /** Whether other Services use the load balancer: they, too, write its tags. */
  readonly isShared: boolean;
  /** The VIP whose port is gone, if this plan mends that. */
  readonly lostVip?: string;
  readonly askedBy: (asked: Pick<Drift, 'address' | 'kind' | 'attribute'>) => string;
}

type Difference = Omit<Drift, 'askedBy' | 'since'>;

/** What the steps put back, attribute by attribute, in their order. */
export function driftIn(input: DriftInput): readonly Drift[] {
  const there = new Map(input.observed.map((one) => [one.address, one]));
  const ofPools = anewPools(input, there);
  const differences = [
    ...(input.lostVip === undefined ? [] : [missing(`port/${input.lostVip}`, 'port')]),
    ...ofPools,
    ...input.steps
      .filter(({ address }) => !ofPools.some((one) => placeOf(one.address) === placeOf(address)))
      .flatMap((step) => differencesOf(step, input, there)),
  ].filter((one) => !(input.isShared && one.kind === 'loadbalancer' && one.attribute === 'tags'));
  return differences.map((one) => {
    const since = changedAt(one, there);
    const asked = one.wanted === undefined ? 'nobody' : input.askedBy(one);
    return { ...one, askedBy: asked, ...(since === undefined ? {} : { since }) };
  });
}

type There = ReadonlyMap<Address, ObservedResource>;

function differencesOf(step: Step, input: DriftInput, there: There): readonly Difference[] {
  const { address, kind } = step;
  const observed = there.get(address);
  if (address.startsWith('lb/')) return [];
  switch (step.verb) {
    case 'update':
      return step.changes.filter(isDifference).map((change) => changed(address, kind, change));
    case 'create':
      return observed ? recreated(address, input, there) : [missing(address, kind)];
    // a load balancer in ERROR is repaired, whoever broke it
    case 'failover':
      return [];
    case 'delete':
      // a certificate that an earlier spec has left, and a floating IP beside the one in use, were levelset's to remove
      if (step.anew || !observed || kind === 'secret' || isLeftover(step)) return [];
      return [surplus(address, kind)];
    case 'members': {
      const place = address.slice('pool/'.length);
      const asMember = (title: string): Address => `member/${place}/${title}`;
      return [
        ...step.added.map((title) => missing(asMember(title), 'member')),
        ...step.changed.flatMap((text) =>
          changesOf(asMember(text.split(' ')[0] ?? ''), input, there, 'in-place'),
        ),
        ...step.removed.map((title) => surplus(asMember(title), 'member')),
      ];
    }
  }
}

/** Attributes of pools, monitors and members that only a new pool puts back. Of its steps nothing else is drift. */
function anewPools(input: DriftInput, there: There): readonly Difference[] {
  const made = input.steps.filter(({ verb, kind }) => verb === 'create' && kind === 'pool');
  const places = made
    .filter(({ address }) => address.includes('/next'))
    .map(({ address }) => placeOf(address));
  return input.desired
    .filter(({ address }) => places.includes(placeOf(address)))
    .flatMap(({ address }) => changesOf(address, input, there, 'new-pool'));
}

function recreated(address: Address, input: DriftInput, there: There): readonly Difference[] {
  return [...changesOf(address, input, there, 'recreate'), ...changesOf(address, input, there, 'in-place')];
}

function changesOf(
  address: Address,
  { desired }: DriftInput,
  there: There,
  rule: 'in-place' | 'recreate' | 'new-pool',
): readonly Difference[] {
  const [wanted, observed] = [desired.find((one) => one.address === address), there.get(address)];
  if (!wanted || !observed) return [];
  const changes = compare(wanted, observed, there).get(rule) ?? [];
  return changes.map((change) => changed(address, wanted.kind, change));
}

function changed(address: Address, kind: ResourceKind, { attribute, from, to }: Change): Difference {
  return { address, kind, attribute, wanted: to ?? null, there: from ?? null };
}

function missing(address: Address, kind: ResourceKind): Difference {
  return { address, kind, wanted: PRESENT };
}

function surplus(address: Address, kind: ResourceKind): Difference {
  return { address, kind, there: PRESENT };
}

/** A child in ERROR is written as it is (decision 143). */
function isDifference({ from, to }: Change): boolean {
  return !sameJson(from ?? null, to ?? null);
}

function isLeftover({ kind, address }: Step): boolean {
  return kind === 'floatingip' && address !== 'floatingip';
}

/** The time of the resource itself; of one that is missing, of what it was on. */
function changedAt({ address, there: present }: Difference, there: There): string | undefined {
  const parent = address.startsWith('member/') ? poolOf(address) : 'lb';
  const { wire } =
    (present === undefined && !isOutside(address) ? there.get(parent) : there.get(address)) ?? {};
  const at = wire?.['updated_at'] ?? wire?.['created_at'];
  return typeof at === 'string' ? `${at.replace(/Z$/, '')}Z` : undefined;
}

function poolOf(member: Address): Address {
  return `pool/${placeOf(member)}`;
}

/**
 * Desired and observed resources whose comparison yields none of the drift on the load balancer. What is outside Octavia is planned
 * address by address, so `stepsWithout` takes it out.
 */
export function withhold(
  { desired, observed }: Pick<DriftInput, 'desired' | 'observed'>,
  drift: readonly Drift[],
): Pick<DriftInput, 'desired' | 'observed'> {
  const there = new Map(observed.map((one) => [one.address, one]));
  const by = Map.groupBy(drift, ({ address }) => address);
  const has = (address: Address, what: (one: Drift) => boolean): boolean =>
    by.get(address)?.some(what) ?? false;
  const isMissing = (address: Address): boolean => has(address, (one) => one.there === undefined);
  return {
    desired: desired
      .filter(
        ({ kind, address, parent = '' }) => isOutsideOctavia(kind) || ![address, parent].some(isMissing),
      )
      .map((one) => asItIs(one, there.get(one.address), by.get(one.address))),
    observed: observed.map((one) =>
      !isOutsideOctavia(one.kind) && has(one.address, ({ wanted }) => wanted === undefined)
        ? { ...one, owned: false }
        : one,
    ),
  };
}

function asItIs(
  desired: DesiredResource,
  observed: ObservedResource | undefined,
  drift: readonly Drift[] = [],
): DesiredResource {
  if (!observed || isOutsideOctavia(desired.kind)) return desired;
  const present = drift.flatMap(({ attribute }) =>
    attribute === undefined ? [] : [[attribute, observed.wire[attribute] ?? null] as const],
  );
  return { ...desired, attributes: { ...desired.attributes, ...Object.fromEntries(present) } };
}

/**
 * The steps without those outside Octavia that put back the drift, and without those that need what is missing and stays away. Without
 * its group, nothing of a security group is written.
 */
export function stepsWithout(drift: readonly Drift[], steps: readonly Step[]): readonly Step[] {
  const missing = drift.filter((one) => one.there === undefined).map(({ address }) => `"$ref":"${address}.`);
  const isGroupGone = drift.some(({ kind, there }) => kind === 'securitygroup' && there === undefined);
  return steps.flatMap((step) => {
    const text = JSON.stringify(step);
    if (missing.some((ref) => text.includes(ref))) return [];
    if (!isOutsideOctavia(step.kind)) return step;
    if (isGroupGone && isOfSecurityGroup(step.kind)) return [];
    const stays = drift.filter(({ address }) => address === step.address);
    if (stays.length === 0) return step;
    if (step.verb !== 'update') return [];
    const changes = step.changes.filter(({ attribute }) => !stays.some((one) => one.attribute === attribute));
    return changes.length === 0 ? [] : { ...step, changes };
  });
}
