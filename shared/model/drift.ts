import type { Address } from './address.ts';
import { fingerprint } from './json.ts';
import type { ResourceKind } from './resources.ts';

/**
 * A difference that somebody else made in OpenStack since the unit was settled. Without `attribute` it is about the whole
 * resource: it is missing, or nobody asks for it.
 */
export interface Drift {
  readonly address: Address;
  readonly kind: ResourceKind;
  readonly attribute?: string;
  /** The desired value. Absent: nobody asks for the resource. */
  readonly wanted?: unknown;
  /** The observed value. Absent: the resource is missing. */
  readonly there?: unknown;
  /** Who asks for what is desired, for people: an annotation, a field, an option, or levelset's default. */
  readonly askedBy: string;
  /** When OpenStack says that the resource, or what it was on, last changed; RFC 3339. Absent: OpenStack does not say. */
  readonly since?: string;
}

/** A value that nobody asks for. levelset leaves it as it is (decisions 2, 90). */
export interface SetByOthers {
  readonly address: Address;
  readonly kind: ResourceKind;
  readonly attribute: string;
  readonly there: unknown;
  /** The value that levelset, or OpenStack, gives it at first. */
  readonly usual: unknown;
}

/** Who asks for what nobody but levelset itself asks for. */
export const DEFAULT = 'the default';

/** What stands for a resource as a whole, in `wanted` and `there`. */
export const PRESENT = 'present';

/** By what is drift that was only reported: a hash of what was desired then. While that is desired, it stays reported. */
export type ReportedDrift = Readonly<Record<string, string>>;

export function recordOf(drift: readonly Drift[]): ReportedDrift {
  return Object.fromEntries(drift.map((one) => [placeOf(one), hashOf(one)]));
}

/** What the record says of these addresses. */
export function recordAbout(record: ReportedDrift, isMeant: (address: Address) => boolean): ReportedDrift {
  return Object.fromEntries(Object.entries(record).filter(([place]) => isMeant(place.split(' ')[0] ?? '')));
}

/** Whether this very difference was reported before. */
export function isReported(one: Drift, record: ReportedDrift): boolean {
  return record[placeOf(one)] === hashOf(one);
}

function placeOf({ address, attribute }: Drift): string {
  return attribute === undefined ? address : `${address} ${attribute}`;
}

function hashOf({ wanted }: Drift): string {
  return fingerprint(wanted ?? null).slice(0, 8);
}
