import { GO_DURATION, parseGoDuration } from './go-duration.ts';

const LONGEST_DRAINING_MS = 3_600_000;

/** The command line, or the environment of a function, as it was given; durations are Go durations such as `5m`. */
export interface Flags {
  readonly cloudConfig?: string;
  /** cloud.conf itself, where there is no file system to put it on. */
  readonly cloudConfigText?: string;
  readonly clusterName?: string;
  readonly loadBalancerClass?: string;
  readonly namespace?: string;
  readonly reconcileTimeout?: string;
  readonly sweepInterval?: string;
  readonly concurrentServiceSyncs?: string | number;
  readonly connectionDrainingTimeout?: string;
  readonly adopt?: string;
  readonly reach?: string;
  readonly allowedReferences?: string;
  readonly controllers?: string;
  readonly clusterCidr?: string;
  readonly configureCloudRoutes?: string;
  readonly discoverRouter?: string;
  readonly allocateNodeCidrs?: string;
  readonly nodeCidrMaskSize?: string;
  readonly nodeCidrMaskSizeIpv4?: string;
  readonly nodeCidrMaskSizeIpv6?: string;
  readonly serviceClusterIpRange?: string;
  readonly nodeNameFrom?: string;
  readonly shutdownStates?: string;
  readonly nodeDeletionShare?: string;
}

/** Milliseconds of a duration flag, or its default. */
export function durationFlag(
  name: string,
  value: string | undefined,
  unset: number,
  problems: string[],
): number {
  if (value === undefined) return unset;
  const duration = parseGoDuration(value);
  if (duration !== undefined && duration >= 1) return Math.trunc(duration);
  problems.push(`--${name} is ${GO_DURATION}, not ${JSON.stringify(value)}`);
  return unset;
}

/** Milliseconds from 0 to the longest, or 0. */
export function drainingFlag(value: string | undefined, problems: string[]): number {
  const duration = value === undefined ? 0 : parseGoDuration(value);
  if (duration !== undefined && duration >= 0 && duration <= LONGEST_DRAINING_MS) return Math.trunc(duration);
  const allowed = `${GO_DURATION}, and at most 1h`;
  problems.push(`--connection-draining-timeout is ${allowed}, not ${JSON.stringify(value)}`);
  return 0;
}

/** A whole number above zero, or its default. */
export function countFlag(
  name: string,
  value: string | number | undefined,
  unset: number,
  problems: string[],
): number {
  if (value === undefined) return unset;
  const count = /^\d{1,6}$/.test(String(value)) ? Number(value) : 0;
  if (count > 0) return count;
  problems.push(`--${name} is a whole number from 1, not ${JSON.stringify(value)}`);
  return unset;
}

/** A boolean in the words that Go's strconv.ParseBool takes, or its default. */
export function booleanFlag(
  name: string,
  value: string | undefined,
  unset: boolean,
  problems: string[],
): boolean {
  if (value === undefined) return unset;
  if (/^(1|t|T|TRUE|true|True)$/.test(value)) return true;
  if (!/^(0|f|F|FALSE|false|False)$/.test(value))
    problems.push(`--${name} is true or false, not ${JSON.stringify(value)}`);
  return false;
}

/** What is written to load balancers of other controllers. */
export function adoptFlag(value: string | undefined, problems: string[]): { readonly adopt?: 'names-only' } {
  if (value === 'names-only') return { adopt: value };
  if (value !== undefined && value !== 'tags')
    problems.push(`--adopt is tags or names-only, not ${JSON.stringify(value)}`);
  return {};
}
