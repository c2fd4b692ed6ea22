import type { Cloud } from '../../ports.ts';

/** Neutron tells its max_routes only where it refuses, so it is asked again after this many milliseconds. */
const KEEP_MS = 3_600_000;

const limits = new WeakMap<Cloud, Map<string, { readonly limit: number; readonly until: number }>>();

/** How many routes a router takes, where Neutron said so to this process within the hour. */
export function limitOf(router: string, cloud: Cloud, now: number): number | undefined {
  const known = limits.get(cloud)?.get(router);
  return known && known.until > now ? known.limit : undefined;
}

export function noteLimit(router: string, limit: number, cloud: Cloud, now: number): void {
  const known = limits.get(cloud) ?? new Map<string, { limit: number; until: number }>();
  limits.set(cloud, known.set(router, { limit, until: now + KEEP_MS }));
}

/** Somebody wants to know: it may have been raised. */
export function forgetLimits(cloud: Cloud): void {
  limits.delete(cloud);
}
