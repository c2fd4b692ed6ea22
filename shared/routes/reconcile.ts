/**
 * The page of the routes: read all Nodes -> observe the router and their ports -> desire -> plan -> (lease, record) -> apply ->
 * tell the Nodes. One router has the routes of them all, so all Nodes together are one unit.
 */
import { NO_LEASE } from '../apply/apply.ts';
import { applyEach, NONE_APPLIED } from './apply/apply-each.ts';
import type { AppliedEach } from './apply/apply-each.ts';
import type { Run } from '../model/outcome.ts';
import { routeConditions } from './desired/route-conditions.ts';
import { forgetLimits } from './apply/full-routers.ts';
import { evaluateRoutes } from './evaluate-routes.ts';
import type { RoutesEvaluation } from './evaluate-routes.ts';
import { ERRORS } from '../model/errors.ts';
import { nodeStatusAt } from '../model/node/node.ts';
import { readsInFull } from '../model/request.ts';
import type { ReconcileRequest } from '../model/request.ts';
import { planRoutes } from './plan/plan-routes.ts';
import type { Budget, World } from '../ports.ts';
import { rfc3339 } from '../report/condition.ts';
import { forbiddenProblems, isRouted, outcomeOfRoutes, routeEvents } from './report/report-routes.ts';
import { writeRoutes } from './apply/write-routes.ts';
import type { RoutesWritten } from './apply/write-routes.ts';

export async function reconcileRoutes(request: ReconcileRequest, world: World, budget: Budget): Promise<Run> {
  const isManual = request.trigger === 'command' || request.trigger === 'resync';
  if (isManual) forgetLimits(world);
  const evaluation = (): Promise<RoutesEvaluation> => evaluateRoutes({ isManual }, world);
  const first = await evaluation();
  if (request.dryRun) return { outcome: { status: 'settled' }, plan: first.plan, applied: [] };
  const written = await writeRoutes(first, evaluation, world, budget);
  const reported = await reportToNodes(written, world, budget);
  const done = {
    ...written.evaluation,
    ...written,
    failed: new Map([...written.failed, ...reported.failed]),
    stopped: written.stopped || reported.stopped,
  };
  const changed = new Set(reported.steps.map(({ address }) => address));
  for (const [node, event] of routeEvents(done))
    if (readsInFull(request.trigger) || changed.has(nodeStatusAt(node.metadata.name)))
      await world.kube.recordEvent(node, event);
  const { plan } = written.evaluation;
  return {
    outcome: outcomeOfRoutes(done),
    plan: { ...plan, problems: [...plan.problems, ...forbiddenProblems(written.failed)] },
    applied: [...written.steps, ...reported.steps],
  };
}

/** The condition of each Node, as it came out. What is tried again at once is not told. */
async function reportToNodes(written: RoutesWritten, world: World, budget: Budget): Promise<AppliedEach> {
  const { evaluation, stopped, failed } = written;
  const isRequeued = [...failed.values()].some(({ code }) => ERRORS[code].disposition === 'wait');
  if (!evaluation.desired || stopped || isRequeued) return NONE_APPLIED;
  const now = rfc3339(world.clock.now());
  const desired = routeConditions(evaluation.desired.nodes, isRouted(written), now);
  const { observed } = evaluation;
  const { steps } = planRoutes({ desired, observed, problems: [], foreign: [] });
  return applyEach(steps, observed, { ...world, lease: NO_LEASE, budget });
}
