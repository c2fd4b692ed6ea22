import { withoutOurTags } from '../model/ownership.ts';
import type { DeleteStep, Refusal, Step, Change } from '../model/plan.ts';
import type { Address } from '../model/address.ts';
import type { DesiredResource, ObservedResource, ResourceKind } from '../model/resources.ts';
import { compare } from './compare.ts';

export function remove({ kind, address, id }: ObservedResource, because: string): DeleteStep {
  return { verb: 'delete', kind, address, id, because };
}

/** Adds the steps, or the refusal, that bring one resource to what is desired. */
export function planOne(
  desired: DesiredResource,
  there: ReadonlyMap<Address, ObservedResource>,
  steps: Step[],
  refused: Refusal[],
): void {
  const { kind, address, alternatives = [] } = desired;
  const observed = there.get(address);
  const create: Step = {
    verb: 'create',
    kind,
    address,
    attributes: desired.attributes,
    ...becauseOf(desired),
    ...(alternatives.length > 0 ? { alternatives } : {}),
  };
  if (!observed) {
    if (!desired.ifPresent) steps.push(create);
    return;
  }
  if (observed.whose === 'foreign' && observed.parent !== undefined) {
    refused.push({ address, kind, changes: [], reason: "a resource in its place is not levelset's" });
    return;
  }
  const differences = compare(desired, observed, there);
  const changes = differences.get('in-place');
  const update = { verb: 'update', kind, address, id: observed.id } as const;
  const again = differences.get('recreate');
  const before = changes && writtenBefore(kind, changes, again !== undefined);
  if (before) steps.push({ ...update, changes: before.first, because: before.because });
  if (again) {
    const because = again
      .map(({ attribute, from, to }) => `${attribute} ${String(from)} -> ${String(to)}`)
      .join(', ');
    const gap = kind === 'listener' ? ': this port does not answer for about 2 s' : '';
    steps.push({ ...remove(observed, because + gap), anew: true }, { ...create, because });
    return;
  }
  const rest = changes?.filter((change) => !before?.first.includes(change)) ?? [];
  if (rest.length > 0) steps.push({ ...update, changes: rest, ...becauseOf(desired) });
  const no = differences.get('refuse');
  if (no) refused.push({ address, kind, changes: no, reason: whyNot(kind) });
}

function becauseOf({ because }: DesiredResource): Pick<Step, 'because'> {
  return because === undefined ? {} : { because };
}

/** A listener or pool with another protocol than its port's was made for another purpose. */
function whyNot(kind: ResourceKind): string {
  return kind === 'listener' || kind === 'pool'
    ? 'another controller made it for a feature that this version does not have'
    : 'the change would take the address away';
}

/** Deletes a floating IP that levelset made. One that it only used loses levelset's tags, and is detached unless it stays. */
export function giveBack(observed: ObservedResource, because: string, stays: boolean): Step {
  const { kind, address, id, wire } = observed;
  if (observed.whose === 'ours') return remove(observed, because);
  const tags = wire['tags'] as readonly string[];
  return {
    verb: 'update',
    kind,
    address,
    id,
    because: `${because}; levelset did not create it, so it stays`,
    changes: [
      ...(stays ? [] : [{ attribute: 'port_id', from: wire['port_id'], to: null }]),
      { attribute: 'tags', from: tags, to: withoutOurTags(tags) },
    ],
  };
}

interface Before {
  readonly first: readonly Change[];
  readonly because: string;
}

/** The oldest version of HTTP with which Octavia accepts a host name. */
const HOST_VERSION = 1.1;

/** The changes of one resource that must be written first. Undefined: one call writes all of them. */
function writtenBefore(
  kind: ResourceKind,
  changes: readonly Change[],
  madeAgain: boolean,
): Before | undefined {
  if (kind === 'healthmonitor') return hostBefore(changes);
  return kind === 'listener' ? closedBefore(changes, madeAgain) : undefined;
}

/**
 * A listener waits for its new pool, but a change that shuts clients out must not wait. With another protocol only
 * source ranges are written first.
 */
function closedBefore(changes: readonly Change[], madeAgain: boolean): Before | undefined {
  const switchesPool = changes.some(({ attribute }) => attribute === 'default_pool_id');
  const first = changes.filter((change) =>
    madeAgain ? change.attribute === 'allowed_cidrs' : change.attribute !== 'default_pool_id',
  );
  if (!(switchesPool || madeAgain) || !first.some(closes)) return undefined;
  return { first, because: 'a change that shuts clients out does not wait for the new pool' };
}

/** Octavia checks a new HTTP version against the present host name, even if the same PUT removes the host name. */
function hostBefore(changes: readonly Change[]): Before | undefined {
  const goes = changes.some(({ attribute, to }) => attribute === 'domain_name' && to === null);
  const older = ({ attribute, to }: Change): boolean =>
    attribute === 'http_version' && typeof to === 'number' && to < HOST_VERSION;
  if (!goes || !changes.some(older)) return undefined;
  const first = changes.filter((change) => !older(change));
  return { first, because: 'Octavia takes the older HTTP version only without a host name' };
}

/** Whether the change of a listener, or of security groups on the VIP, shuts out clients that had access before. */
export function closes({ attribute, from, to }: Change): boolean {
  if (attribute === 'vip_sg_ids') return isSome(to);
  if (attribute === 'client_authentication') return to !== 'NONE' && to !== null;
  if (attribute !== 'allowed_cidrs' || !isSome(to)) return false;
  return !isSome(from) || from.some((cidr) => !to.includes(cidr));
}

/** Null and an empty list give access to everybody. */
function isSome(cidrs: unknown): cidrs is readonly unknown[] {
  return Array.isArray(cidrs) && cidrs.length > 0;
}
