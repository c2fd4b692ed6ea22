import type { Step } from '../../model/plan.ts';
import type { DesiredResource, ObservedResource } from '../../model/resources.ts';
import { planOne } from '../../plan/compare-and-plan.ts';

/** What differs on routers and ports, and in the conditions of Nodes, in the order in which it is written. */
export function stepsTo(
  desired: readonly DesiredResource[],
  observed: readonly ObservedResource[],
): readonly Step[] {
  const steps: Step[] = [];
  const there = new Map(observed.map((resource) => [resource.address, resource]));
  for (const resource of desired) planOne(resource, there, steps, []);
  return steps;
}
