import type { World } from '../../ports.ts';

/** Neutron tells its max_routes only where it refuses, so it is asked again after this many milliseconds. */
const KEEP_MS = 3_600_000;

/** How many routes a router takes, where Neutron said so to this process within the hour. */
export function limitOf(
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

/** For somebody who asks for the routes, since the limit may have been raised. */
export function forgetLimits({ memory }: Pick<World, 'memory'>): void {
  memory.fullRouters.clear();
}
