import type { Change } from '../model/plan.ts';
import type { ResourceKind } from '../model/resources.ts';

/** What has to be written before the rest of one resource, and why. */
export interface Before {
  readonly first: readonly Change[];
  readonly because: string;
}

/** The least version of HTTP with which Octavia takes a host. */
const HOST_VERSION = 1.1;

/** Of the changes of one resource those that cannot wait for, or go with, the others; undefined: all go at once. */
export function writtenBefore(
  kind: ResourceKind,
  changes: readonly Change[],
  madeAgain: boolean,
): Before | undefined {
  if (kind === 'healthmonitor') return hostBefore(changes);
  return kind === 'listener' ? closedBefore(changes, madeAgain) : undefined;
}

/**
 * A listener that turns to another pool, or speaks another protocol, waits until that pool is complete; what keeps clients
 * out does not. Of all that does, only source ranges are taken by a listener of whatever protocol.
 */
function closedBefore(changes: readonly Change[], madeAgain: boolean): Before | undefined {
  const switchesPool = changes.some(({ attribute }) => attribute === 'default_pool_id');
  const first = changes.filter((change) =>
    madeAgain ? change.attribute === 'allowed_cidrs' : change.attribute !== 'default_pool_id',
  );
  if (!(switchesPool || madeAgain) || !first.some(closes)) return undefined;
  return { first, because: 'what closes it does not wait for the new pool' };
}

/** Octavia holds the host that is there, also one that the same PUT takes away, against the version. */
function hostBefore(changes: readonly Change[]): Before | undefined {
  const goes = changes.some(({ attribute, to }) => attribute === 'domain_name' && to === null);
  const older = ({ attribute, to }: Change): boolean =>
    attribute === 'http_version' && typeof to === 'number' && to < HOST_VERSION;
  if (!goes || !changes.some(older)) return undefined;
  const first = changes.filter((change) => !older(change));
  return { first, because: 'the older version of HTTP is taken when no host is left' };
}

/** Whether clients that came in before do not any more. */
function closes({ attribute, from, to }: Change): boolean {
  if (attribute === 'client_authentication') return to !== 'NONE' && to !== null;
  if (attribute !== 'allowed_cidrs' || !isSome(to)) return false;
  return !isSome(from) || from.some((cidr) => !to.includes(cidr));
}

/** Null and an empty list let everybody in. */
function isSome(cidrs: unknown): cidrs is readonly unknown[] {
  return Array.isArray(cidrs) && cidrs.length > 0;
}
