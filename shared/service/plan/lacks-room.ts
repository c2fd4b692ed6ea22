import { needsRoom, poolOfMembers, writesMembers } from '../../model/load-balancer/octavia.ts';
import type { Plan, Step } from '../../model/plan.ts';

/**
 * Whether a plan waits while Octavia has no room (decision 271): it has a step that needs room, and none that writes members
 * of a pool that is there, which is what a Node needs.
 */
export function lacksRoom({ steps }: Plan): boolean {
  const made = new Set(
    steps.filter(({ verb, kind }) => verb === 'create' && kind === 'pool').map(({ address }) => address),
  );
  const isForNodes = (step: Step): boolean => writesMembers(step) && !made.has(poolOfMembers(step));
  return steps.some(needsRoom) && !steps.some(isForNodes);
}
