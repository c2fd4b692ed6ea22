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

/**
 * The drift that was only reported: a short hash of each difference and of what was desired then, one after the other. While that is
 * desired, it stays reported. Neither part has more than MOST_RECORDED hashes (decision 321).
 */
export interface ReportedDrift {
  /** Of what a look sees that leaves out what is on the load balancer. */
  readonly inPassing?: string;
  readonly inFull?: string;
}

/** So many differences of a part are recorded one by one; of more, those of one sort stand together. */
export const MOST_RECORDED = 60;

/** Hexadecimal digits of a hash. */
const DIGITS = 8;

export function recordOf(drift: readonly Drift[]): ReportedDrift {
  const [inPassing, inFull] = partsOf(drift).map((part) => {
    const as = grouping(part);
    return [...new Set(part.map((one) => hashOf(one, as)))].sort().join('');
  });
  return { ...(inPassing ? { inPassing } : {}), ...(inFull ? { inFull } : {}) };
}

/** Whether this very difference was reported before, or so many of its sort that they are recorded together. */
export function isReported(one: Drift, { inPassing = '', inFull = '' }: ReportedDrift): boolean {
  const record = isSeenInPassing(one.address) ? inPassing : inFull;
  const hashes = new Set(record.match(new RegExp(`.{${DIGITS}}`, 'g')));
  return GROUPINGS.some((as) => hashes.has(hashOf(one, as)));
}

/** What is recorded together, for people: `members at tcp/80`, `listeners`; empty if every difference has its own place. */
export function recordedTogether(drift: readonly Drift[]): readonly string[] {
  return partsOf(drift).flatMap((part) => {
    const as = grouping(part);
    return as === 'each' ? [] : [...new Set(part.map((one) => nameOf(one, as)))];
  });
}

/** Each has a record of its own, since a sweep sees only the first one. */
function partsOf(drift: readonly Drift[]): readonly [inPassing: readonly Drift[], inFull: readonly Drift[]] {
  const isPassing = ({ address }: Drift): boolean => isSeenInPassing(address);
  return [drift.filter(isPassing), drift.filter((one) => !isPassing(one))];
}

/** Whether a look that leaves out what is on the load balancer sees what has the address. */
export function isSeenInPassing(address: Address): boolean {
  return address === 'lb' || isOutside(address);
}

/** Whether the address is of something outside Octavia. */
export function isOutside(address: Address): boolean {
  return /^(floatingip|securitygroup|port|secret)/.test(address);
}

const GROUPINGS = ['each', 'by place', 'by port', 'by kind'] as const;
type Grouping = (typeof GROUPINGS)[number];

/** The finest grouping that yields no more than may be recorded. */
function grouping(drift: readonly Drift[]): Grouping {
  const count = (as: Grouping): number => new Set(drift.map((one) => nameOf(one, as))).size;
  return GROUPINGS.find((as) => count(as) <= MOST_RECORDED) ?? 'by kind';
}

function nameOf({ address, attribute, kind }: Drift, as: Grouping): string {
  if (as === 'each') return attribute === undefined ? address : `${address} ${attribute}`;
  if (as === 'by kind') return `${kind}s`;
  return `${as === 'by port' ? 'everything' : `${kind}s`} at ${address.split('/').slice(1, 3).join('/')}`;
}

function hashOf(one: Drift, as: Grouping): string {
  const what = as === 'each' ? (one.wanted ?? null) : as;
  return fingerprint([nameOf(one, as), what]).slice(0, DIGITS);
}
