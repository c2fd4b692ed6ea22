import type { World } from '../../ports.ts';

/** Then all routes are tried again: Neutron tells max_routes only when it refuses one. */
const KEEP_MS = 3_600_000;

/** The number of routes that a router accepts, if Neutron said so to this process within the hour. */
export function routeLimitOf(
  router: string,
  { memory, clock }: Pick<World, 'memory' | 'clock'>,
): number | undefined {
  const known = memory.fullRouters.get(router);
  return known && known.until > clock.now() ? known.limit : undefined;
}

export function noteLimit(
  router: string,
  limit: number,
  { memory, clock }: Pick<World, 'memory' | 'clock'>,
): void {
  memory.fullRouters.set(router, { limit, until: clock.now() + KEEP_MS });
}

/** Forgets the limits when a person asks for the routes, since max_routes may have been raised. */
export function forgetLimits({ memory }: Pick<World, 'memory'>): void {
  memory.fullRouters.clear();
}
