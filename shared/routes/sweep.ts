/** Whether the routes to the pods are as desired, found by one observation of the router and the Nodes' ports. */
import { errorText } from '../model/errors.ts';
import type { DesiredRoutes } from './desired/desire-routes.ts';
import { evaluateRoutes } from './evaluate-routes.ts';
import type { Node } from '../model/kubernetes.ts';
import { isEverything } from '../model/request.ts';
import type { SweepScope } from '../model/request.ts';
import { NOTHING_FOUND } from '../model/outcome.ts';
import type { Found } from '../model/outcome.ts';
import { sameRecords } from '../model/network/routes.ts';
import type { RouteRecords } from '../model/network/routes.ts';
import { attempt } from '../observe/attempt.ts';
import type { World } from '../ports.ts';
import { outcomeOfRoutes } from './report/report-routes.ts';

/**
 * The key of the routes if they need work. A failure is only a warning, since load balancers do not wait for a
 * router.
 */
export async function findRoutes(
  _nodes: () => Promise<readonly Node[]>,
  world: World,
  scope: SweepScope,
): Promise<Found> {
  if (!isEverything(scope)) return NOTHING_FOUND;
  try {
    const evaluation = await evaluateRoutes({ isManual: false }, world);
    const { plan, desired, records } = evaluation;
    const seen = {
      ...evaluation,
      routes: desired?.router.routes ?? [],
      stopped: false,
      failed: new Map(),
    };
    const isRecorded = !desired || sameRecords(desired.after, records);
    const isQuiet = isRecorded && plan.steps.length === 0;
    if (desired && !scope.readOnly) await noteSettled(desired, records, world);
    const isSettled = isQuiet && !plan.drift && outcomeOfRoutes(seen).status === 'settled';
    return { keys: isSettled ? [] : ['routes'], warnings: [] };
  } catch (error) {
    const reason = errorText(error);
    const warnings = [`the sweep could not compare the routes: ${reason}`];
    return { keys: [], warnings, incomplete: true };
  }
}

/**
 * Records what is in its place, whatever else there is to do, so that what is missing later is drift. A sweep after this one does it
 * if this one cannot.
 */
async function noteSettled(
  { settled }: DesiredRoutes,
  records: RouteRecords,
  { kube }: World,
): Promise<void> {
  if (!sameRecords(settled, records)) await attempt(kube.routes.save(settled, records));
}
