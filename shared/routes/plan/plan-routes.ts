import type { Plan, Problem, Refusal, Step } from '../../model/plan.ts';
import type { DesiredResource, ObservedResource } from '../../model/resources.ts';
import { routeAt } from '../../model/network/routes.ts';
import type { Route } from '../../model/network/routes.ts';
import { planOne } from '../../plan/plan-one.ts';

interface RoutesPlanInput {
  /** The desired resources in the order in which they are written. */
  readonly desired: readonly DesiredResource[];
  readonly observed: readonly ObservedResource[];
  readonly problems: readonly Problem[];
  readonly foreign: readonly Route[];
  readonly drift?: readonly { readonly drift: readonly Step[] }[];
  readonly driftStays?: true;
}

/** The plan of the routes: what differs on routers and ports, and in the conditions of Nodes. */
export function planRoutes(input: RoutesPlanInput): Plan {
  const { desired, observed, problems, foreign, driftStays } = input;
  const drift = (input.drift ?? []).flatMap((one) => one.drift);
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
    ...(drift.length > 0 ? { drift } : {}),
    ...(drift.length > 0 && driftStays ? { driftStays } : {}),
  };
}
