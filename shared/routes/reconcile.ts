/**
 * THE PAGE of the routes, whatever woke levelset:
 *
 *   read all Nodes -> observe -> desire -> plan -> (record) -> apply -> report
 *
 * One router has the routes of all Nodes, so all Nodes together are one object.
 */
import {
  applyEach,
  NONE_APPLIED,
  type AppliedEach,
  writeRoutes,
  type RoutesWritten,
} from './apply/write-routes.ts';
import type { Run } from '../model/outcome.ts';
import { routeConditions } from './desired/node-routes.ts';
import { forgetLimits, compareRoutes, type RoutesComparison } from './compare-routes.ts';
import { ERRORS } from '../model/errors.ts';
import { nodeStatusAt } from '../model/node/node.ts';
import { isByPerson, readsInFull, type ReconcileRequest } from '../model/request.ts';
import { stepsTo } from './plan/plan-routes.ts';
import type { Budget, World } from '../ports.ts';
import { rfc3339, tellPlan } from '../report/condition.ts';
import { forbiddenProblems, isRouted, outcomeOfRoutes, routeEvents } from './report/report-routes.ts';

export async function reconcileRoutes(request: ReconcileRequest, world: World, budget: Budget): Promise<Run> {
  // a person who asks for the routes knows about the Nodes, and may have raised the limit of the router
  const isManual = isByPerson(request);
  if (isManual) forgetLimits(world);

  // observe, desire, plan: the router and the Nodes' ports against the Nodes' podCIDRs
  const compare = (): Promise<RoutesComparison> => compareRoutes(isManual, world);
  const first = await compare();
  if (request.dryRun) return { outcome: { status: 'settled' }, plan: first.plan, applied: [] };

  // apply: after the record, first the router, then the ports
  tellPlan(first.plan, world);
  const written = await writeRoutes(first, compare, world, budget);

  // report: the condition NetworkUnavailable of each Node, and an Event for each Node without a route
  const reported = await reportToNodes(written, world, budget);
  const done = {
    ...written.comparison,
    ...written,
    failed: new Map([...written.failed, ...reported.failed]),
    stopped: written.stopped || reported.stopped,
  };
  const changed = new Set(reported.steps.map(({ address }) => address));
  for (const [node, event] of routeEvents(done))
    if (readsInFull(request.trigger) || changed.has(nodeStatusAt(node.metadata.name)))
      await world.kube.recordEvent(node, event);

  const { plan } = written.comparison;
  return {
    outcome: outcomeOfRoutes(done),
    plan: { ...plan, problems: [...plan.problems, ...forbiddenProblems(written.failed)] },
    applied: [...written.steps, ...reported.steps],
  };
}

/** Nothing if the run stopped early, or if a write failed that is tried again at once. */
async function reportToNodes(written: RoutesWritten, world: World, budget: Budget): Promise<AppliedEach> {
  const { comparison, stopped, failed } = written;
  const isRequeued = [...failed.values()].some(({ code }) => ERRORS[code].disposition === 'wait');
  if (!comparison.desired || stopped || isRequeued) return NONE_APPLIED;
  const now = rfc3339(world.clock.now());
  const desired = routeConditions(comparison.desired.nodes, isRouted(written), now);
  const { observed } = comparison;
  return applyEach(stepsTo(desired, observed), observed, { ...world, budget });
}
