import type { Step } from '../plan.ts';

/** The address of a load balancer that is to take another one's place. */
export const REPLACEMENT = 'lb/replacement';

/** It makes one load balancer more, while the old one is still there. */
export function isAnother({ address, verb }: Step): boolean {
  return address === REPLACEMENT && verb === 'create';
}
