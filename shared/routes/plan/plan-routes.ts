import type { Plan, Problem, Refusal, Step } from '../../model/plan.ts';
import type { DesiredResource, ObservedResource } from '../../model/resources.ts';
import { routeAt } from '../../model/network/routes.ts';
import type { Route } from '../../model/network/routes.ts';
import { planOne } from '../../plan/plan-one.ts';

export interface RoutesPlanInput {
  /** In the order in which they are to be written. */
  readonly desired: readonly DesiredResource[];
  readonly observed: readonly ObservedResource[];
  readonly problems: readonly Problem[];
  readonly foreign: readonly Route[];
}

/** Between the routes of a router, with all that belongs to them, and what the Nodes say. */
export function planRoutes({ desired, observed, problems, foreign }: RoutesPlanInput): Plan {
  const steps: Step[] = [];
  const refused: Refusal[] = [];
  const there = new Map(observed.map((resource) => [resource.address, resource]));
  for (const resource of desired) planOne(resource, there, steps, refused);
  return {
    unit: 'routes',
    services: [],
    steps,
    refused,
    awaitingApproval: [],
    problems,
    foreign: foreign.map(routeAt),
  };
}
