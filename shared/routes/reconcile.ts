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
import { lookAtRoutes } from './look.ts';
import type { RoutesLook } from './look.ts';
import { ERRORS } from '../model/errors.ts';
import { nodeStatusAt } from '../model/node/node.ts';
import { looksCloser } from '../model/request.ts';
import type { ReconcileRequest } from '../model/request.ts';
import { planRoutes } from './plan/plan-routes.ts';
import type { Budget, World } from '../ports.ts';
import { rfc3339 } from '../report/rfc3339.ts';
import { forbiddenProblems, isRouted, outcomeOfRoutes, routeEvents } from './report/report-routes.ts';
import { writeRoutes } from './apply/write-routes.ts';
import type { RoutesWritten } from './apply/write-routes.ts';

export async function reconcileRoutes(request: ReconcileRequest, world: World, budget: Budget): Promise<Run> {
  const isAsked = request.trigger === 'command' || request.trigger === 'resync';
  if (isAsked) forgetLimits(world.cloud);
  const look = (): Promise<RoutesLook> => lookAtRoutes({ isAsked }, world);
  const first = await look();
  if (request.dryRun) return { outcome: { status: 'settled' }, plan: first.plan, applied: [] };
  const written = await writeRoutes(first, look, world, budget);
  const told = await tellNodes(written, world, budget);
  const done = {
    ...written.look,
    ...written,
    failed: new Map([...written.failed, ...told.failed]),
    stopped: written.stopped || told.stopped,
  };
  const changed = new Set(told.steps.map(({ address }) => address));
  for (const [node, event] of routeEvents(done))
    if (looksCloser(request.trigger) || changed.has(nodeStatusAt(node.metadata.name)))
      await world.kube.recordEvent(node, event);
  const { plan } = written.look;
  return {
    outcome: outcomeOfRoutes(done),
    plan: { ...plan, problems: [...plan.problems, ...forbiddenProblems(written.failed)] },
    applied: [...written.steps, ...told.steps],
  };
}

/** The condition of each Node, as it came out. What is tried again at once is not told. */
async function tellNodes(written: RoutesWritten, world: World, budget: Budget): Promise<AppliedEach> {
  const { look, stopped, failed } = written;
  const comesBack = [...failed.values()].some(({ code }) => ERRORS[code].disposition === 'wait');
  if (!look.desired || stopped || comesBack) return NONE_APPLIED;
  const now = rfc3339(world.clock.now());
  const desired = routeConditions(look.desired.nodes, isRouted(written), now);
  const { observed } = look;
  const { steps } = planRoutes({ desired, observed, problems: [], foreign: [] });
  return applyEach(steps, observed, { ...world, lease: NO_LEASE, budget });
}
